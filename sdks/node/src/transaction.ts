/** The transaction record with the answers that a shop needs. */

import { secureHash } from "./checksum.js";
import { UntrustedError } from "./errors.js";
import { textOf, type JsonObject } from "./json.js";
import { CURRENCIES, readTransaction, type TransactionFields } from "./operations.js";
import { Reader } from "./reader.js";
import { amountText } from "./writer.js";

const SUCCESS = 200;
/** In process, and "the bank has not answered": either may still become paid. */
const STILL_OPEN = new Set([211, 403]);
const CAPTURED = new Set(["SUCCESS", "CAPTURE", "Mandate Approved"]);
const REFUND = 340;
const DISPUTE = 350;

/** What your own books expect of a payment. */
export interface Expected {
  merchantId: string;
  orderId: string;
  amountPaise: number;
  /** ISO 4217 letters, by default INR. */
  currency?: string;
}

export interface Transaction extends TransactionFields {}

export class Transaction {
  constructor(fields: TransactionFields) {
    Object.assign(this, fields);
  }

  /** It is about a refund: the amount is the refund's, not the order's. */
  get isRefund(): boolean {
    return this.transactionType === REFUND;
  }

  /** It is about a dispute: the amount is what the customer's bank demands. */
  get isDispute(): boolean {
    return this.transactionType === DISPUTE;
  }

  /** It is about money that the order cannot keep, and that goes back. */
  get isExcess(): boolean {
    return this.detailedStatus === "EXCESS";
  }

  /** The money is captured: goods may be released. */
  get isPaid(): boolean {
    return this.statusCode === SUCCESS && CAPTURED.has(this.paymentStatus) && !this.isRefund;
  }

  /** The money is reserved and waits for capture or void. */
  get isAuthorised(): boolean {
    return this.statusCode === SUCCESS && this.paymentStatus === "AUTHORIZE";
  }

  get isVoided(): boolean {
    return this.paymentStatus === "VOIDED";
  }

  /** It may become paid without the customer: tell them to wait, then ask again. */
  get isPending(): boolean {
    return STILL_OPEN.has(this.statusCode) && !this.isAboutElse;
  }

  /** It ended unpaid. A late success is rare, and a notification reports it. */
  get isFailed(): boolean {
    return !(this.statusCode === SUCCESS || this.isPending || this.isAboutElse);
  }

  /** It is paid or failed: asking again soon brings nothing new. */
  get isFinal(): boolean {
    return this.isPaid || this.isFailed;
  }

  /** Throw unless the record has this merchant, order, amount and currency. */
  demand({ merchantId, orderId, amountPaise, currency = "INR" }: Expected): void {
    const pairs = [
      ["merchant_id", merchantId, this.merchantId],
      ["orderid", orderId, this.orderId],
      ["amount", amountText(amountPaise), amountText(this.amountPaise)],
      ["currency_code", CURRENCIES[currency] ?? currency, this.currencyCode],
    ] as const;
    for (const [field, expected, received] of pairs) {
      if (expected !== received) throw mismatch(field, expected, received);
    }
  }

  private get isAboutElse(): boolean {
    return this.isRefund || this.isExcess || this.isDispute;
  }
}

/** Return the error of a genuine message about something else. */
export function mismatch(field: string, expected: string, received: string): UntrustedError {
  const message = `${field}: expected ${JSON.stringify(expected)}, received ${JSON.stringify(received)}`;
  return new UntrustedError("mismatch", message, { field, received, allowed: expected });
}

/** Return a record as a transaction, once its `ap_SecureHash` is found to cover it. */
export function transactionOf(record: JsonObject, username: string): Transaction {
  const text = (name: string) => textOf(record.get(name));
  const covered = [
    "orderid",
    "ap_transactionid",
    "amount",
    "transaction_status",
    "message",
    "merchant_id",
  ];
  const payer = text("chmod") === "upi" ? text("customer_vpa") : "";
  const received = text("ap_SecureHash") || text("ap_securehash");
  if (received.trim() !== secureHash([...covered.map(text), username], payer)) {
    throw new UntrustedError("secure_hash", "ap_SecureHash does not cover the values beside it");
  }
  return new Transaction(readTransaction(new Reader(record)));
}
