/** A merchant's connection to the gateway. Keep one for the life of your process. */

import { Calls, type GatewayOptions, type Scope } from "./calls.js";
import type { Credentials } from "./credentials.js";
import { InvalidRequestError, refusal, TransportError, type RefusedError } from "./errors.js";
import { PaymentForm } from "./form.js";
import {
  Operations,
  PAYMENT_PAGE,
  readRefundResults,
  REFUND_OPERATION,
  VERIFY_OPERATION,
  writePaymentRequest,
  writeRefundRequest,
  writeVerifyRequest,
  type OperationSpec,
  type PaymentRequest,
  type RefundItem,
  type RefundResult,
} from "./operations.js";
import { Reader } from "./reader.js";
import { mismatch, Transaction, transactionOf } from "./transaction.js";
import { Writer } from "./writer.js";
import type { JsonValue } from "./json.js";

export class Client extends Operations {
  private readonly calls: Calls;

  constructor(
    private readonly credentials: Credentials,
    gateway: GatewayOptions,
  ) {
    super();
    this.calls = new Calls(credentials, gateway);
  }

  /**
   * Return the form that takes the customer to the payment page. Render it at once: its token is
   * valid for some minutes. The same order again reopens the same payment.
   */
  async paymentForm(order: PaymentRequest): Promise<PaymentForm> {
    const writer = new Writer(this.calls.shopOrigin);
    writePaymentRequest(writer, order);
    const token = await this.calls.token("page");
    const action = `${this.calls.paymentPageUrl}${PAYMENT_PAGE}?token=${encodeURIComponent(token)}`;
    return new PaymentForm(action, this.calls.envelope(writer.fields));
  }

  /** Return an access token, for requests made without this client. */
  accessToken(scope: Scope = "operations"): Promise<string> {
    return this.calls.token(scope);
  }

  /**
   * Return the state of a payment. Order id, amount and currency are those of your own books, and
   * are always compared with the answer; transactionId and rrn look it up by another name.
   */
  async verify(expected: {
    orderId: string;
    amountPaise: number;
    currency?: string;
    transactionId?: string;
    rrn?: string;
  }): Promise<Transaction> {
    const { orderId, transactionId, rrn } = expected;
    const writer = new Writer();
    writeVerifyRequest(writer, transactionId || rrn ? { transactionId, rrn } : { orderId });
    const data = await this.calls.perform(VERIFY_OPERATION, writer.fields);
    const found = this.transaction(data);
    found.demand({ merchantId: this.credentials.merchantId, ...expected });
    return found;
  }

  /**
   * Give money back. requestId is an id of your own books: the same id with the same items never
   * refunds twice, so you may repeat this after a TransportError. An accepted refund is begun.
   */
  async refund(items: readonly RefundItem[], requestId: string): Promise<readonly RefundResult[]> {
    if (!requestId) {
      const allowed = "an id of your own books: it makes a retry safe";
      throw new InvalidRequestError("refund_request_id", "", allowed);
    }
    const writer = new Writer();
    writeRefundRequest(writer, { items, requestId });
    const data = await this.calls.perform(REFUND_OPERATION, writer.fields);
    const { results } = readRefundResults(Reader.of(data));
    const isAnswered = (item: RefundItem, place: number) =>
      results[place]?.transactionId === item.transactionId.replace(/^0+/, "");
    if (results.length !== items.length || !items.every(isAnswered)) {
      throw new TransportError("unreadable_reply", "the reply to refund does not answer each item");
    }
    return results;
  }

  protected async perform<Request, Reply>(
    operation: OperationSpec,
    write: (writer: Writer, asked: Request) => void,
    asked: Request,
    read: (reader: Reader) => Reply,
  ): Promise<Reply> {
    const writer = new Writer(this.calls.shopOrigin);
    write(writer, asked);
    const data = await this.calls.perform(operation, writer.fields);
    return read(operation.bare ? Reader.ofList(operation.bare, data) : Reader.of(data));
  }

  protected async performForTransaction<Request>(
    operation: OperationSpec,
    write: (writer: Writer, asked: Request) => void,
    asked: Request,
  ): Promise<Transaction> {
    const writer = new Writer();
    write(writer, asked);
    const found = this.transaction(await this.calls.perform(operation, writer.fields));
    const { merchantId } = this.credentials;
    if (found.merchantId !== merchantId)
      throw mismatch("merchant_id", merchantId, found.merchantId);
    return found;
  }

  private transaction(data: JsonValue | undefined): Transaction {
    if (!(data instanceof Map)) {
      throw new TransportError("unreadable_reply", "the reply holds no transaction record");
    }
    return transactionOf(data, this.credentials.username);
  }
}

/** Return why an item of a refund was refused, or undefined when its refund is begun. */
export function refundError(result: RefundResult): RefusedError | undefined {
  return result.accepted ? undefined : refusal(result.code, result.message, "");
}
