/** Sends requests and reads replies: token, envelope, tries that never move money twice. */

import { createHmac } from "node:crypto";
import { seal, openJson } from "./cipher.js";
import { v4 } from "./checksum.js";
import type { Credentials } from "./credentials.js";
import {
  ConfigurationError,
  HundiError,
  OutcomeUnknownError,
  refusal,
  TransportError,
} from "./errors.js";
import {
  compact,
  parse,
  REPLY_VALUES_MAX,
  textOf,
  type JsonObject,
  type JsonValue,
} from "./json.js";
import {
  readAccessToken,
  TOKEN_OPERATION,
  writeTokenRequest,
  type OperationSpec,
} from "./operations.js";
import { Reader } from "./reader.js";
import { mismatch } from "./transaction.js";
import { Writer } from "./writer.js";

/** What a token opens. A page's token passes through customers' browsers. */
export type Scope = "page" | "operations";

/** A gateway's addresses, and a caller's limits. */
export interface GatewayOptions {
  /** The API host, `https://api.example.in`. */
  baseUrl: string;
  /** The host of the payment page, by default the API host. */
  paymentPageUrl?: string;
  /** `https://shop.example`, for merchants that have registered their domains. */
  shopOrigin?: string;
  /** Seconds that one try may take. */
  timeoutS?: number;
  /** Seconds before each further try of a call that cannot move money twice. */
  pausesS?: readonly number[];
  /** Accept `http://` for another host than this machine. */
  allowPlainHttp?: boolean;
  /** Believe replies without an encrypted part. */
  allowPlainReplies?: boolean;
  /** Replaces the global fetch, for tests and unusual networks. */
  fetch?: typeof fetch;
  /** Returns milliseconds since 1970. */
  clock?: () => number;
}

const REPLY_BYTES_MAX = 2 * 1024 * 1024;
const TOKEN_SPARE_S = 60;
const LOOPBACK = new Set(["127.0.0.1", "[::1]", "localhost"]);
const INDIA_MS = 5.5 * 3600 * 1000;

interface Token {
  text: string;
  renewAtMs: number;
}

export class Calls {
  readonly shopOrigin: string;
  readonly paymentPageUrl: string;
  private readonly baseUrl: string;
  private readonly pausesS: readonly number[];
  private readonly tokens = new Map<Scope, Token>();
  private readonly pending = new Map<Scope, Promise<string>>();

  constructor(
    readonly credentials: Credentials,
    private readonly options: GatewayOptions,
  ) {
    const page = options.paymentPageUrl || options.baseUrl;
    for (const address of [options.baseUrl, page]) checkAddress(address, options.allowPlainHttp);
    this.baseUrl = options.baseUrl.replace(/\/+$/, "");
    this.paymentPageUrl = page.replace(/\/+$/, "");
    this.shopOrigin = options.shopOrigin ?? "";
    this.pausesS = options.pausesS ?? [0.2, 0.8];
  }

  /** Return the `data` of an operation's reply, compared with the request. */
  async perform(operation: OperationSpec, payload: JsonObject): Promise<JsonValue | undefined> {
    const data = (await this.ask(operation, payload)).get("data");
    for (const record of subjects(operation, data)) {
      for (const [name, isNumber, isSecret] of operation.echoes) {
        const plain = (value: JsonValue | undefined) =>
          isNumber ? textOf(value).replace(/^0+/, "") : textOf(value);
        const [expected, received] = [plain(payload.get(name)), plain(record.get(name))];
        if (expected && expected !== received) {
          throw isSecret
            ? mismatch(name, "the one asked for", "another")
            : mismatch(name, expected, received);
        }
      }
    }
    return data;
  }

  /** Return a usable token; one request fetches it for all who wait. rejected: one that was refused. */
  token(scope: Scope, rejected = ""): Promise<string> {
    const held = this.tokens.get(scope);
    if (held && held.text !== rejected && performance.now() < held.renewAtMs) {
      return Promise.resolve(held.text);
    }
    const pending =
      this.pending.get(scope) ?? this.fetchToken(scope).finally(() => this.pending.delete(scope));
    this.pending.set(scope, pending);
    return pending;
  }

  /** Return the outer fields of a request. */
  envelope(fields: JsonObject, iv?: string): Record<string, string> {
    const { credentials } = this;
    return sealed(credentials, fields, this.today(), iv);
  }

  private today(): string {
    const now = (this.options.clock ?? Date.now)();
    return new Date(now + INDIA_MS).toISOString().slice(0, 10);
  }

  private async fetchToken(scope: Scope): Promise<string> {
    const { merchantId, oauthClientId, oauthClientSecret } = this.credentials;
    const writer = new Writer();
    writeTokenRequest(writer, {
      clientId: oauthClientId,
      clientSecret: oauthClientSecret,
      merchantId,
      scope,
    });
    const { privatekey: _, ...form } = this.envelope(writer.fields);
    const askedAtMs = performance.now();
    const envelope = await this.exchange(TOKEN_OPERATION, TOKEN_OPERATION.address, form);
    const { token, lifeS } = readAccessToken(Reader.of(envelope.get("data")));
    // Half of a very short life: a longer spare would make every token old at once.
    const spareS = Math.min(TOKEN_SPARE_S, lifeS / 2);
    this.tokens.set(scope, { text: token, renewAtMs: askedAtMs + (lifeS - spareS) * 1000 });
    return token;
  }

  private async ask(operation: OperationSpec, payload: JsonObject): Promise<JsonObject> {
    const form = this.envelope(payload);
    if (!operation.withToken) return this.exchange(operation, operation.address, form);
    const token = await this.token("operations");
    try {
      return await this.exchange(operation, withToken(operation.address, token), form);
    } catch (error) {
      if (!(error instanceof HundiError && error.kind === "token_refused")) throw error;
      // Once: the gateway may have forgotten tokens. A refused fresh one is a real refusal.
      const fresh = await this.token("operations", token);
      return this.exchange(operation, withToken(operation.address, fresh), form);
    }
  }

  private async exchange(
    operation: OperationSpec,
    address: string,
    form: Record<string, string>,
  ): Promise<JsonObject> {
    const body = operation.asJson ? JSON.stringify(form) : new URLSearchParams(form).toString();
    const type = operation.asJson ? "application/json" : "application/x-www-form-urlencoded";
    for (const pauseS of [...(operation.repeats ? this.pausesS : []), undefined]) {
      try {
        return readReply(this.credentials, await this.send(address, body, type), this.options);
      } catch (error) {
        if (!hasNoAnswer(error)) throw error;
        if (!operation.repeats) throw new OutcomeUnknownError(operation.name, error);
        if (pauseS === undefined) throw error;
        await new Promise((resume) => setTimeout(resume, pauseS * 1000));
      }
    }
    throw new Error("the last try returns or throws");
  }

  private async send(address: string, body: string, type: string): Promise<Uint8Array> {
    const timeoutS = this.options.timeoutS ?? 10;
    try {
      const response = await (this.options.fetch ?? fetch)(this.baseUrl + address, {
        method: "POST",
        body,
        headers: {
          "content-type": type,
          "accept-encoding": "identity",
          "user-agent": "hundi-node/0.1.0",
        },
        // A redirect would carry the token to another host.
        redirect: "manual",
        signal: AbortSignal.timeout(timeoutS * 1000),
      });
      return await bounded(response);
    } catch (error) {
      if (error instanceof HundiError) throw error;
      // The cause may name the address, and with it the token.
      const reason = error instanceof Error ? error.name : "error";
      throw new TransportError("unreachable", `no answer from ${this.baseUrl}: ${reason}`);
    }
  }
}

/** Return the outer fields of a request whose business fields are sealed. day: `YYYY-MM-DD`, in India. */
export function sealed(
  credentials: Credentials,
  fields: JsonObject,
  day: string,
  iv?: string,
): Record<string, string> {
  // Whoever holds a message can change its first 16 bytes: they hold the name of a field that
  // nobody reads. Its value keeps them from computing the checksum.
  const content = compact(Array.from(fields, ([name, value]) => [name, value]));
  const requestSeal = createHmac("sha256", credentials.apiSecret).update(content).digest("hex");
  const whole: JsonObject = new Map([["request_seal", requestSeal], ...fields]);
  return {
    merchant_id: credentials.merchantId,
    privatekey: credentials.privatekey,
    encdata: seal(credentials.encryptionKey, compact(whole), iv),
    checksum: v4(whole, day),
  };
}

/** Return the opened envelope of a reply; throw the error of a refusal. */
export function readReply(
  credentials: Credentials,
  body: Uint8Array,
  options: { allowPlainReplies?: boolean },
): JsonObject {
  let envelope: JsonObject;
  try {
    envelope = parse(body, REPLY_VALUES_MAX);
  } catch {
    throw new TransportError("unreadable_reply", "an answer that is not the gateway's");
  }
  const response = envelope.get("response");
  const isSealed = typeof response === "string";
  if (isSealed) envelope = opened(credentials, response, envelope);
  if (envelope.get("status_code") !== "200") throw refusalIn(envelope);
  if (!isSealed && !options.allowPlainReplies) {
    throw new ConfigurationError(
      "the reply is not encrypted; set reply_format to both, or allowPlainReplies",
    );
  }
  return envelope;
}

function opened(credentials: Credentials, response: string, plain: JsonObject): JsonObject {
  try {
    return openJson(credentials.encryptionKey, response, REPLY_VALUES_MAX);
  } catch {
    // The plain part beside it proves nothing, but it is the hint a developer needs.
    const hint = plain.get("status_code") === "400" ? refusalIn(plain) : undefined;
    const beside = hint ? `; beside it stands: ${hint.message}` : "";
    const message = `the reply is encrypted under another key: username or password is wrong${beside}`;
    throw new ConfigurationError(message, "wrong_key", {
      code: hint?.code,
      referenceId: hint?.referenceId,
    });
  }
}

function refusalIn(envelope: JsonObject): HundiError {
  const text = (name: string) => textOf(envelope.get(name));
  return refusal(text("error_code") || text("response_code"), text("message"), text("request_id"));
}

function subjects(operation: OperationSpec, data: JsonValue | undefined): JsonObject[] {
  const about = operation.list && data instanceof Map ? data.get(operation.list) : data;
  return [about].flat().filter((each): each is JsonObject => each instanceof Map);
}

function hasNoAnswer(error: unknown): error is HundiError {
  return (
    error instanceof TransportError ||
    (error instanceof HundiError && error.kind === "gateway_fault")
  );
}

async function bounded(response: Response): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > REPLY_BYTES_MAX) {
      throw new TransportError(
        "unreadable_reply",
        `the reply is longer than ${REPLY_BYTES_MAX} bytes`,
      );
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function withToken(address: string, token: string): string {
  return `${address}?token=${encodeURIComponent(token)}`;
}

function checkAddress(address: string, allowPlainHttp = false): void {
  let url: URL;
  try {
    url = new URL(address);
  } catch {
    throw new ConfigurationError(`not the address of a gateway: ${JSON.stringify(address)}`);
  }
  if (!["http:", "https:"].includes(url.protocol) || url.search || url.hash) {
    throw new ConfigurationError(`not the address of a gateway: ${JSON.stringify(address)}`);
  }
  if (url.protocol === "http:" && !allowPlainHttp && !LOOPBACK.has(url.hostname)) {
    throw new ConfigurationError(`${JSON.stringify(address)} is not https`);
  }
}
