/** A shop's end of the payment: it checks, hands over once, and says what to answer. */

import { Callbacks, type CallbackOptions, type Notification } from "./callbacks.js";
import { Client } from "./client.js";
import type { Credentials } from "./credentials.js";
import type { GatewayOptions } from "./calls.js";
import { HundiError } from "./errors.js";
import type { PaymentRequest } from "./operations.js";
import type { Transaction } from "./transaction.js";

/** Bytes of a request's body that are read; a longer one is refused. */
export const BODY_BYTES_MAX = 256 * 1024;
/** How the payment status of news about a subscription begins; its amount is the debit's. */
const MANDATE_NEWS = "MANDATE ";

/** Hands an event over once: the mark and the shop's effect are written together, or neither. */
export interface EventStore<Connection> {
  /** Return whether `handle` ran now; false when it ran before. */
  handOver(
    notification: Notification,
    handle: (connection: Connection) => Promise<void>,
  ): Promise<boolean>;
}

/** What your own code gives. */
export interface ShopOptions<Connection> {
  store: EventStore<Connection>;
  /** Return an order of your own books. Amount and currency are compared with it. */
  order(orderId: string): Promise<PaymentRequest | undefined>;
  /**
   * Do what an event asks for, on the store's connection. When this throws, its mark is undone too,
   * and the gateway sends the event again.
   */
  handle(notification: Notification, connection: Connection): Promise<void>;
  /**
   * Return the address of your page for a customer who comes back. told: undefined when the return
   * is not believed. Deliver on the notification, not on this.
   */
  afterReturn(orderId: string, told: Transaction | undefined): string;
  callbacks?: CallbackOptions;
}

/** What to answer a request with. */
export interface ShopAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** Keep one for the life of your process. */
export class Shop<Connection> {
  readonly client: Client;
  private readonly callbacks: Callbacks;

  constructor(
    credentials: Credentials,
    gateway: GatewayOptions,
    private readonly own: ShopOptions<Connection>,
  ) {
    this.client = new Client(credentials, gateway);
    this.callbacks = new Callbacks(credentials, own.callbacks);
  }

  /** Return the order of your books, or undefined. */
  order(orderId: string): Promise<PaymentRequest | undefined> {
    return this.own.order(orderId);
  }

  /**
   * Return the document that takes a customer to the payment page. Show it only to the customer
   * whose order it is: it names the buyer. nonce: of your Content-Security-Policy.
   */
  async paymentPage(order: PaymentRequest, nonce = ""): Promise<ShopAnswer> {
    const form = await this.client.paymentForm(order);
    const headers = { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" };
    return { status: 200, headers, body: form.html({ nonce }) };
  }

  /** Hand an event over, once. headers, body: as they came. Throws what `handle` throws. */
  async notification(
    headers: Readonly<Record<string, string | string[] | undefined>>,
    body: Uint8Array,
  ): Promise<ShopAnswer> {
    let news: Notification;
    try {
      news = this.callbacks.readNotification(single(headers), body);
      const { orderId } = news.transaction;
      const order = await this.own.order(orderId);
      if (!order) return text(404, `the shop has no order ${orderId}`);
      if (hasAmountOfOrder(news.transaction)) demand(news.transaction, order);
    } catch (error) {
      if (!(error instanceof HundiError)) throw error;
      return text(error.kind === "mismatch" ? 409 : 400, error.message);
    }
    const isNew = await this.own.store.handOver(news, (connection) =>
      this.own.handle(news, connection),
    );
    return text(200, isNew ? "handled" : "handled before");
  }

  /** Send a customer who comes back to the shop's page. body: the form, as it came. */
  async returned(body: Uint8Array): Promise<ShopAnswer> {
    const form = Object.fromEntries(new URLSearchParams(Buffer.from(body).toString()));
    let orderId: string;
    try {
      orderId = this.callbacks.claimedOrderId(form);
    } catch (error) {
      if (!(error instanceof HundiError)) throw error;
      return text(400, error.message);
    }
    const order = await this.own.order(orderId);
    if (!order) return text(404, "no such order");
    const location = this.own.afterReturn(orderId, this.believed(form, order));
    return { status: 303, headers: { location }, body: "" };
  }

  private believed(form: Record<string, string>, order: PaymentRequest): Transaction | undefined {
    try {
      return this.callbacks.readReturn(form, expectedOf(order)).transaction;
    } catch (error) {
      if (error instanceof HundiError) return undefined;
      throw error;
    }
  }
}

/** The part of a connection of `pg` that is used. */
export interface SqlConnection {
  query(sql: string, values?: unknown[]): Promise<{ rowCount: number | null; rows: any[] }>;
  release(error?: boolean): void;
}

/** A pool of connections, such as one of `pg`. */
export interface SqlPool<Connection extends SqlConnection> {
  connect(): Promise<Connection>;
}

/** Marks events in the table `hundi_events` of PostgreSQL, beside the shop's orders. */
export class TableStore<Connection extends SqlConnection> implements EventStore<Connection> {
  /** The table. */
  static readonly CREATE_TABLE = `
CREATE TABLE IF NOT EXISTS hundi_events (
  webhook_id varchar(255) PRIMARY KEY,
  event varchar(64) NOT NULL,
  order_id varchar(64) NOT NULL,
  handled_at timestamptz NOT NULL DEFAULT CURRENT_TIMESTAMP
)`;
  private static readonly MARK =
    "INSERT INTO hundi_events (webhook_id, event, order_id) VALUES ($1, $2, $3)" +
    " ON CONFLICT (webhook_id) DO NOTHING";

  constructor(private readonly pool: SqlPool<Connection>) {}

  async handOver(
    notification: Notification,
    handle: (connection: Connection) => Promise<void>,
  ): Promise<boolean> {
    const { webhookId, event, transaction } = notification;
    const connection = await this.pool.connect();
    let isBroken = true;
    try {
      await connection.query("BEGIN");
      try {
        const values = [webhookId, event, transaction.orderId];
        const isNew = (await connection.query(TableStore.MARK, values)).rowCount === 1;
        if (isNew) await handle(connection);
        await connection.query("COMMIT");
        isBroken = false;
        return isNew;
      } catch (error) {
        await connection.query("ROLLBACK");
        isBroken = false;
        throw error;
      }
    } finally {
      // A connection that could not end its transaction is not given back to the pool.
      connection.release(isBroken);
    }
  }
}

/** Return the raw body of a request, which nobody may have read before. */
export async function rawBody(request: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > BODY_BYTES_MAX) break;
  }
  return Buffer.concat(chunks);
}

/** In news of a refund, a dispute, an excess or a subscription the amount is of that. */
function hasAmountOfOrder(transaction: Transaction): boolean {
  const { isRefund, isDispute, isExcess, paymentStatus } = transaction;
  return !(isRefund || isDispute || isExcess || paymentStatus.startsWith(MANDATE_NEWS));
}

function expectedOf(order: PaymentRequest) {
  const currency = order.currency?.toUpperCase() || "INR";
  return { orderId: order.orderId, amountPaise: order.amountPaise, currency };
}

function demand(transaction: Transaction, order: PaymentRequest): void {
  transaction.demand({ merchantId: transaction.merchantId, ...expectedOf(order) });
}

function single(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  const named: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) named[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return named;
}

function text(status: number, body: string): ShopAnswer {
  return { status, headers: { "content-type": "text/plain; charset=utf-8" }, body };
}
