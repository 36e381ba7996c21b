/** Everything the SDK throws on purpose, in one tree; each error says whether trying again helps. */

import { CODES } from "./operations.js";

/** `never`: always refused. `after_fix`: a corrected call can succeed. `later`: the same call can. */
export type Retry = "never" | "after_fix" | "later";

/** What an error is about; of a refusal by the gateway it follows from the code. */
export type ErrorKind =
  | "configuration"
  | "wrong_key"
  | "invalid_request"
  | "unreachable"
  | "unreadable_reply"
  | "outcome_unknown"
  | "refused"
  | "request_refused"
  | "token_refused"
  | "credentials_refused"
  | "order_refused"
  | "not_enabled"
  | "state_refused"
  | "not_found"
  | "too_many_requests"
  | "gateway_fault"
  | "unreadable_callback"
  | "signature"
  | "stale"
  | "secure_hash"
  | "mismatch";

export interface ErrorDetails {
  code?: string;
  referenceId?: string;
  field?: string;
  received?: string;
  allowed?: string;
  cause?: unknown;
}

/**
 * The root of all errors. `code` is the gateway's response code, or "". `referenceId` is for the
 * gateway's operator. `field`, `received` and `allowed` say what is wrong with which field.
 */
export class HundiError extends Error {
  readonly kind: ErrorKind;
  readonly retry: Retry;
  readonly code: string;
  readonly referenceId: string;
  readonly field: string;
  readonly received: string;
  readonly allowed: string;

  constructor(kind: ErrorKind, retry: Retry, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = new.target.name;
    this.kind = kind;
    this.code = details.code ?? "";
    this.retry = CODES[this.code]?.retry ?? retry;
    this.referenceId = details.referenceId ?? "";
    this.field = details.field ?? "";
    this.received = details.received ?? "";
    this.allowed = details.allowed ?? "";
  }
}

/** Credentials, addresses or settings cannot work. */
export class ConfigurationError extends HundiError {
  constructor(message: string, kind: ErrorKind = "configuration", details: ErrorDetails = {}) {
    super(kind, "after_fix", message, details);
  }
}

/** A field breaks a bound of the interface; nothing was sent. */
export class InvalidRequestError extends HundiError {
  constructor(field: string, received: string, allowed: string) {
    const got = received ? `received ${JSON.stringify(received)}` : "it is missing";
    super("invalid_request", "after_fix", `${field}: ${got}, allowed is ${allowed}`, {
      field,
      received,
      allowed,
    });
  }
}

/** No usable answer to a call that may be sent again: it cannot move money twice. */
export class TransportError extends HundiError {
  constructor(kind: "unreachable" | "unreadable_reply", message: string, cause?: unknown) {
    super(kind, "later", message, { cause });
  }
}

/** No usable answer to a call that may have moved money. Ask what became of it; do not repeat it. */
export class OutcomeUnknownError extends HundiError {
  constructor(operation: string, cause: HundiError) {
    const message = `${operation} may have been done: ask, do not repeat it (${cause.message})`;
    super("outcome_unknown", "never", message, { cause, referenceId: cause.referenceId });
  }
}

/** The gateway refused the request; `kind` and `retry` follow from `code`. */
export class RefusedError extends HundiError {}

/** A reply, return or notification that must not be believed. Ask `verify`. */
export class UntrustedError extends HundiError {
  constructor(kind: ErrorKind, message: string, details: ErrorDetails = {}) {
    super(kind, "never", message, details);
  }
}

const FIELD_SENTENCE = /^([^:\s]+): (?:received (["'])(.*)\2|it is missing), allowed is (.+)$/s;

/** Return the error of a refusing reply. */
export function refusal(code: string, message: string, referenceId: string): RefusedError {
  const [, field, , received, allowed] = FIELD_SENTENCE.exec(message) ?? [];
  const kind = CODES[code]?.kind ?? "refused";
  const details = { code, referenceId, field, received, allowed };
  return new RefusedError(kind, "after_fix", message || "the gateway gave no reason", details);
}
