/** Reads and checks what the gateway tells a merchant: the browser's return and the notification. */

import { openJson } from "./cipher.js";
import type { Credentials } from "./credentials.js";
import { HundiError, UntrustedError } from "./errors.js";
import type { EventName } from "./events.js";
import { parse, textOf, type JsonObject } from "./json.js";
import { FORM_NAMES } from "./operations.js";
import { checkAge, signedAt, TOLERANCE_S } from "./signature.js";
import { mismatch, Transaction, transactionOf } from "./transaction.js";

/** Seconds for a return: a customer may read the result before going back. */
export const RETURN_TOLERANCE_S = 900;
const BODY_BYTES_MAX = 256 * 1024;
const FORM_FIELDS_MAX = 100;

export interface CallbackOptions {
  toleranceS?: number;
  returnToleranceS?: number;
  /** Returns seconds since 1970. */
  clock?: () => number;
}

/** A checked return. The transaction may be older than what `verify` knows. */
export interface Return {
  webhookId: string;
  transaction: Transaction;
}

/** A checked notification. It is delivered at least once: store the ids that you have handled. */
export interface Notification extends Return {
  sentAt: Date;
  /** What happened; "" in the form notification. A newer gateway may have further words. */
  event: EventName | (string & {});
}

export class Callbacks {
  private readonly toleranceS: number;
  private readonly returnToleranceS: number;
  private readonly clock: () => number;

  constructor(
    private readonly credentials: Credentials,
    options: CallbackOptions = {},
  ) {
    this.toleranceS = options.toleranceS ?? TOLERANCE_S;
    this.returnToleranceS = options.returnToleranceS ?? RETURN_TOLERANCE_S;
    this.clock = options.clock ?? (() => Date.now() / 1000);
  }

  /** Return the order id that a return names, unchecked: use it only to find your own order. */
  claimedOrderId(form: Record<string, string>): string {
    return textOf(recordIn(this.decrypted(responseIn(form))).get("orderid"));
  }

  /**
   * Return what the browser brought back, once everything about it is checked. Order id, amount and
   * currency are those of your own books.
   */
  readReturn(
    form: Record<string, string>,
    expected: { orderId: string; amountPaise: number; currency?: string },
  ): Return {
    const content = responseIn(form);
    const webhookId = textIn(form, "webhook_id");
    const signedAtS = signedAt(this.credentials.webhookKeys, {
      id: webhookId,
      timestamp: textIn(form, "webhook_timestamp"),
      signatures: textIn(form, "webhook_signature"),
      content,
    });
    checkAge(signedAtS, this.clock(), this.returnToleranceS);
    const transaction = this.transaction(recordIn(this.decrypted(content)));
    transaction.demand({ merchantId: this.credentials.merchantId, ...expected });
    return { webhookId, transaction };
  }

  /**
   * Return a notification of any of the three forms. headers: names in any case. body: the raw
   * bytes, exactly as received. Answer 2xx when this returns, 4xx when it throws.
   */
  readNotification(headers: Record<string, string>, body: Uint8Array): Notification {
    if (body.length > BODY_BYTES_MAX)
      throw unreadable(`the body is longer than ${BODY_BYTES_MAX} bytes`);
    const lower = new Map(
      Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
    );
    const content = utf8(body);
    const webhookId = lower.get("webhook-id") ?? "";
    const signedAtS = signedAt(this.credentials.webhookKeys, {
      id: webhookId,
      timestamp: lower.get("webhook-timestamp") ?? "",
      signatures: lower.get("webhook-signature") ?? "",
      content,
    });
    checkAge(signedAtS, this.clock(), this.toleranceS);
    const [event, record] = this.announced(content);
    return {
      webhookId,
      sentAt: new Date(signedAtS * 1000),
      event,
      transaction: this.transaction(record),
    };
  }

  private announced(content: string): [string, JsonObject] {
    if (!content.trimStart().startsWith("{")) return ["", formRecord(content)];
    let envelope: JsonObject;
    try {
      envelope = parse(content);
    } catch {
      throw unreadable("the notification is no JSON object");
    }
    const response = envelope.get("response");
    const opened = typeof response === "string" ? this.decrypted(response) : envelope;
    return [textOf(opened.get("event")), recordIn(opened)];
  }

  private decrypted(response: string): JsonObject {
    try {
      return openJson(this.credentials.encryptionKey, response);
    } catch {
      throw unreadable("response cannot be decrypted with this merchant's encryption key");
    }
  }

  private transaction(record: JsonObject): Transaction {
    let found: Transaction;
    try {
      found = transactionOf(record, this.credentials.username);
    } catch (error) {
      if (error instanceof HundiError && error.kind === "unreadable_reply") {
        throw unreadable(error.message);
      }
      throw error;
    }
    if (found.merchantId !== this.credentials.merchantId) {
      throw mismatch("merchant_id", this.credentials.merchantId, found.merchantId);
    }
    return found;
  }
}

function responseIn(form: Record<string, string>): string {
  // A "+" that a form parser turned into a space would spoil the signature.
  const response = textIn(form, "response").replaceAll(" ", "+");
  if (!response || response.length > BODY_BYTES_MAX) {
    throw unreadable("the form holds no field response, or one that is too long");
  }
  return response;
}

/** Return a field's text, "" where a parser of forms made an array or an object of it. */
function textIn(form: Record<string, unknown>, name: string): string {
  const value = Object.hasOwn(form, name) ? form[name] : undefined;
  return typeof value === "string" ? value : "";
}

function recordIn(envelope: JsonObject): JsonObject {
  const data = envelope.get("data");
  if (!(data instanceof Map)) throw unreadable("the envelope holds no transaction record");
  return data;
}

function formRecord(content: string): JsonObject {
  const parts = content ? content.split("&") : [];
  if (parts.length > FORM_FIELDS_MAX || !parts.every((part) => part.includes("="))) {
    throw unreadable("the notification is neither JSON nor a form");
  }
  return new Map(
    Array.from(new URLSearchParams(content), ([name, value]) => [FORM_NAMES[name] ?? name, value]),
  );
}

function utf8(body: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    throw unreadable("the body is not UTF-8");
  }
}

function unreadable(message: string): UntrustedError {
  return new UntrustedError("unreadable_callback", message);
}
