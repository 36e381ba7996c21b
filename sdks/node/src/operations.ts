/** The messages and operations of the gateway.
 *
 * Written from the table of operations by `make sdks-written`: change the table, not this file.
 */

import type { ErrorKind, Retry } from "./errors.js";
import type { Reader } from "./reader.js";
import type { Transaction } from "./transaction.js";
import { Rule, type Writer } from "./writer.js";

/** One operation: where it is sent and how, and what its reply repeats of the request. */
export interface OperationSpec {
  name: string;
  address: string;
  asJson: boolean;
  withToken: boolean;
  /** It may be sent again: it moves no money, or has an id against moving money twice. */
  repeats: boolean;
  /** Names on the wire, whether leading zeros count for nothing, and whether they are secret. */
  echoes: readonly (readonly [string, boolean, boolean])[];
  /** The name of the list that the reply holds, "" for none. */
  list: string;
  /** The name for a list that travels without one. */
  bare: string;
}

export const PAYMENT_PAGE = "/gateway/pay/v4/";

/** Currencies: ISO 4217 letters and number. */
export const CURRENCIES: Record<string, string> = {
  INR: "356",
  AED: "784",
  AUD: "036",
  CAD: "124",
  EUR: "978",
  GBP: "826",
  SGD: "702",
  USD: "840",
};

/** Names of a form notification, and those of the record. */
export const FORM_NAMES: Record<string, string> = {
  MERCID: "merchant_id",
  TRANSACTIONID: "orderid",
  APTRANSACTIONID: "ap_transactionid",
  AMOUNT: "amount",
  TRANSACTIONSTATUS: "transaction_status",
  TRANSACTIONPAYMENTSTATUS: "transaction_payment_status",
  MESSAGE: "message",
  CUSTOMVAR: "customvar",
  CHMOD: "chmod",
  CURRENCYCODE: "currency_code",
  CUSTOMER: "customer_name",
  CUSTOMERPHONE: "customer_phone",
  CUSTOMEREMAIL: "customer_email",
  CUSTOMERVPA: "customer_vpa",
  RRN: "rrn",
  RISK: "risk",
  TRANSACTIONTIME: "transaction_time",
  TRANSACTIONTYPE: "transaction_type",
  BANKNAME: "bank_name",
  CARD_NUMBER: "card_number",
  CARDTYPE: "card_type",
  SURCHARGE: "surcharge_amount",
  CARDCOUNTRY: "card_country",
  REASON: "bank_response_msg",
};

/** Codes of refusals. */
export const CODES: Record<string, { kind: ErrorKind; retry: Retry }> = {
  "101": { kind: "request_refused", retry: "after_fix" },
  "102": { kind: "request_refused", retry: "after_fix" },
  "103": { kind: "request_refused", retry: "after_fix" },
  "104": { kind: "token_refused", retry: "after_fix" },
  "105": { kind: "token_refused", retry: "after_fix" },
  "106": { kind: "token_refused", retry: "after_fix" },
  "108": { kind: "credentials_refused", retry: "after_fix" },
  "110": { kind: "request_refused", retry: "after_fix" },
  "111": { kind: "order_refused", retry: "after_fix" },
  "112": { kind: "order_refused", retry: "never" },
  "113": { kind: "not_enabled", retry: "after_fix" },
  "120": { kind: "state_refused", retry: "never" },
  "121": { kind: "state_refused", retry: "after_fix" },
  "122": { kind: "order_refused", retry: "after_fix" },
  "123": { kind: "refused", retry: "later" },
  "124": { kind: "refused", retry: "never" },
  "125": { kind: "refused", retry: "never" },
  "130": { kind: "not_enabled", retry: "never" },
  "131": { kind: "not_enabled", retry: "later" },
  "413": { kind: "request_refused", retry: "after_fix" },
  "429": { kind: "too_many_requests", retry: "later" },
  "501": { kind: "credentials_refused", retry: "after_fix" },
  "503": { kind: "not_found", retry: "never" },
  "903": { kind: "credentials_refused", retry: "after_fix" },
  "U04": { kind: "not_enabled", retry: "after_fix" },
  "114": { kind: "refused", retry: "after_fix" },
  "132": { kind: "refused", retry: "later" },
  "140": { kind: "refused", retry: "after_fix" },
  "141": { kind: "refused", retry: "never" },
  "142": { kind: "refused", retry: "after_fix" },
  "143": { kind: "refused", retry: "after_fix" },
  "145": { kind: "refused", retry: "never" },
  "144": { kind: "refused", retry: "after_fix" },
  "146": { kind: "refused", retry: "never" },
  "904": { kind: "refused", retry: "after_fix" },
  "991": { kind: "refused", retry: "later" },
  "992": { kind: "refused", retry: "later" },
  "999": { kind: "gateway_fault", retry: "later" },
};

/** A merchant's request for an access token. */
export interface TokenRequest {
  /** OAuth client id */
  clientId: string;
  /** OAuth client secret */
  clientSecret: string;
  /** The outer merchant_id */
  merchantId: string;
  /** The token's purpose; empty: see the documentation */
  scope?: string;
}

export function writeTokenRequest(w: Writer, asked: TokenRequest): void {
  w.text("client_id", asked.clientId, Rule.REQUIRED, 20);
  w.text("client_secret", asked.clientSecret, Rule.SECRET, 200);
  w.matching("merchant_id", asked.merchantId, Rule.REQUIRED, /^[0-9]{1,20}$/, [], "1 to 20 digits");
  w.constant("grant_type", "client_credentials");
  w.one_of("scope", asked.scope, Rule.OPTIONAL, ["", "page", "operations"]);
}

/** A transaction, by at least one of its references; all given ones must agree. */
export interface VerifyRequest {
  /** The merchant's own order id, unique for each merchant */
  orderId?: string;
  /** The gateway's transaction id */
  transactionId?: string;
  /** The bank's retrieval reference number */
  rrn?: string;
  /** A refund's id, as its notification has it */
  refundId?: string;
}

export function writeVerifyRequest(w: Writer, asked: VerifyRequest): void {
  w.matching(
    "orderid",
    asked.orderId,
    Rule.OPTIONAL,
    /^[A-Za-z0-9_.-]{1,64}$/,
    [],
    "1 to 64 characters of A-Z a-z 0-9 - _ .",
  );
  w.matching(
    "ap_transactionid",
    asked.transactionId,
    Rule.OPTIONAL,
    /^[0-9]{1,20}$/,
    [],
    "1 to 20 digits",
  );
  w.text("rrn", asked.rrn, Rule.OPTIONAL, 35);
  w.matching("refund_id", asked.refundId, Rule.OPTIONAL, /^[0-9]{1,20}$/, [], "1 to 20 digits");
  w.atLeastOne("orderid", "ap_transactionid", "rrn", "refund_id");
}

/** Which banks to list. channels: codes of `chmod`, such as `nb`; empty for all. */
export interface BanksRequest {
  /** Restricts the list to these channels */
  channels?: readonly string[];
}

export function writeBanksRequest(w: Writer, asked: BanksRequest): void {
  w.channels("chmod", asked.channels);
  w.shop("mer_dom");
}

/** A UPI address to look up. */
export interface ValidateVpaRequest {
  /** A UPI address */
  address: string;
}

export function writeValidateVpaRequest(w: Writer, asked: ValidateVpaRequest): void {
  w.vpa("vpa", asked.address, Rule.REQUIRED);
}

/** An authorisation to capture; without an amount, all of it. */
export interface CaptureRequest {
  /** The gateway's transaction id */
  transactionId: string;
  /** Decimal above zero, at most two places, in the currency's units */
  amountPaise?: number;
}

export function writeCaptureRequest(w: Writer, asked: CaptureRequest): void {
  w.matching(
    "ap_transactionid",
    asked.transactionId,
    Rule.REQUIRED,
    /^[0-9]{1,20}$/,
    [],
    "1 to 20 digits",
  );
  w.amount("amount", asked.amountPaise, Rule.OPTIONAL);
}

/** An authorisation to void. */
export interface VoidRequest {
  /** The gateway's transaction id */
  transactionId: string;
}

export function writeVoidRequest(w: Writer, asked: VoidRequest): void {
  w.matching(
    "ap_transactionid",
    asked.transactionId,
    Rule.REQUIRED,
    /^[0-9]{1,20}$/,
    [],
    "1 to 20 digits",
  );
}

/** The customer of a QR order, as far as the merchant describes them. */
export interface QrBuyer {
  /** At most 254 characters */
  email?: string;
  /** 8 to 15 digits; + - ( ) and spaces may stand between them */
  phone?: string;
  /** Any script */
  firstname?: string;
  /** Any script */
  lastname?: string;
  /** Any script */
  address?: string;
  /** Any script */
  city?: string;
  /** Any script */
  state?: string;
  /** Any script */
  country?: string;
  /** Postal code */
  pincode?: string;
}

export function writeQrBuyer(w: Writer, asked: QrBuyer): void {
  w.email("buyer_email", asked.email, Rule.OPTIONAL);
  w.phone("buyer_phone", asked.phone, Rule.OPTIONAL);
  w.text("buyer_firstname", asked.firstname, Rule.OPTIONAL, 100);
  w.text("buyer_lastname", asked.lastname, Rule.OPTIONAL, 100);
  w.text("buyer_address", asked.address, Rule.OPTIONAL, 255);
  w.text("buyer_city", asked.city, Rule.OPTIONAL, 255);
  w.text("buyer_state", asked.state, Rule.OPTIONAL, 255);
  w.text("buyer_country", asked.country, Rule.OPTIONAL, 255);
  w.text("buyer_pincode", asked.pincode, Rule.OPTIONAL, 16);
}

/** The one bank account that may pay an order by UPI. */
export interface PayerAccount {
  /** The number of the one bank account that may pay */
  number: string;
  /** The IFSC of that account's branch, in any case */
  ifsc: string;
}

export function writePayerAccount(w: Writer, asked: PayerAccount): void {
  w.matching(
    "upi_tpv_account",
    asked.number,
    Rule.SECRET,
    /^[A-Za-z0-9]{6,18}$/,
    [],
    "6 to 18 letters and digits, the number of a bank account",
  );
  w.matching(
    "upi_tpv_ifsc",
    asked.ifsc,
    Rule.REQUIRED,
    /^[A-Za-z]{4}0[A-Za-z0-9]{6}$/,
    [],
    "an IFSC: four letters, a zero, six letters or digits",
  );
}

/** The customer's approval of later debits, in paise. */
export interface OrderMandate {
  /** Day, week, month, year, or A: debits that the merchant asks for */
  period: string;
  /** Of each debit */
  amountPaise: number;
  /** Every how many periods; not for A */
  frequency?: number;
  /** MM/DD/YYYY, or DD/MM/YYYY by a setting: the first debit, within two years; not for A */
  nextRun?: string;
  /** The most that one debit may be */
  maxAmountPaise?: number;
  /** How many debits; 999 without end; not for A */
  recurringCount?: number;
  /** Tries after a declined one */
  retryAttempts?: number;
}

export function writeOrderMandate(w: Writer, asked: OrderMandate): void {
  w.one_of("sb_period", asked.period, Rule.REQUIRED, ["D", "W", "M", "Y", "A"]);
  w.amount("sb_amount", asked.amountPaise, Rule.REQUIRED);
  w.constant("txnsubtype", "12");
  w.count("sb_frequency", asked.frequency, Rule.OPTIONAL, 1, 366);
  w.day("sb_nextrundate", asked.nextRun, Rule.OPTIONAL);
  w.amount("sb_maxamount", asked.maxAmountPaise, Rule.OPTIONAL);
  w.debits("sb_recurringcount", asked.recurringCount, Rule.OPTIONAL, 999, "A");
  w.count_unless_zero("sb_retryattempts", asked.retryAttempts, Rule.OPTIONAL, 0, 99);
  w.constant("sb_isrecurring", "1");
}

/** An order that is paid by one UPI QR. */
export interface GenerateOrderRequest {
  /** The merchant's own order id, unique for each merchant */
  orderId: string;
  /** Decimal above zero, at most two places, in the currency's units */
  amountPaise: number;
  /** ISO 4217 letters, in any case */
  currency?: string;
  buyer?: QrBuyer;
  /** UPI, or Bharat QR */
  channels?: readonly string[];
  /** Comes back unchanged */
  customvar?: string;
  payerAccount?: PayerAccount;
  /** A sale, or the first payment of a subscription */
  txnsubtype?: string;
  subscription?: OrderMandate;
}

export function writeGenerateOrderRequest(w: Writer, asked: GenerateOrderRequest): void {
  w.matching(
    "orderid",
    asked.orderId,
    Rule.REQUIRED,
    /^[A-Za-z0-9_.-]{1,64}$/,
    [],
    "1 to 64 characters of A-Z a-z 0-9 - _ .",
  );
  w.amount("amount", asked.amountPaise, Rule.REQUIRED);
  w.currency("iso_currency", asked.currency);
  if (asked.buyer) writeQrBuyer(w, asked.buyer);
  w.channels("chmod", asked.channels);
  w.text("customvar", asked.customvar, Rule.OPTIONAL, 4096);
  w.shop("mer_dom");
  if (asked.payerAccount) writePayerAccount(w, asked.payerAccount);
  w.one_of("txnsubtype", asked.txnsubtype, Rule.OPTIONAL, ["2", "12"]);
  if (asked.subscription) writeOrderMandate(w, asked.subscription);
}

/** The customer as the merchant describes them. */
export interface Buyer {
  /** At most 254 characters */
  email: string;
  /** 8 to 15 digits; + - ( ) and spaces may stand between them */
  phone: string;
  /** Any script */
  firstname: string;
  /** Any script */
  lastname: string;
  /** Any script */
  address?: string;
  /** Any script */
  city?: string;
  /** Any script */
  state?: string;
  /** Any script */
  country?: string;
  /** Postal code */
  pincode?: string;
}

export function writeBuyer(w: Writer, asked: Buyer): void {
  w.email("buyer_email", asked.email, Rule.REQUIRED);
  w.phone("buyer_phone", asked.phone, Rule.REQUIRED);
  w.text("buyer_firstname", asked.firstname, Rule.REQUIRED, 100);
  w.text("buyer_lastname", asked.lastname, Rule.REQUIRED, 100);
  w.text("buyer_address", asked.address, Rule.OPTIONAL, 255);
  w.text("buyer_city", asked.city, Rule.OPTIONAL, 255);
  w.text("buyer_state", asked.state, Rule.OPTIONAL, 255);
  w.text("buyer_country", asked.country, Rule.OPTIONAL, 255);
  w.text("buyer_pincode", asked.pincode, Rule.OPTIONAL, 16);
}

/** A card as it was sent, unchecked; without a readable form. */
export interface CardFields {
  /** Digits; never kept */
  number: string;
  /** MM/YY */
  expiry: string;
  /** Never kept */
  cvv: string;
  /** Any script */
  holder?: string;
}

export function writeCardFields(w: Writer, asked: CardFields): void {
  w.text("card_number", asked.number, Rule.SECRET, 40);
  w.text("card_expiry", asked.expiry, Rule.SECRET, 40);
  w.text("card_cvv", asked.cvv, Rule.SECRET, 40);
  w.text("card_holder", asked.holder, Rule.OPTIONAL_SECRET, 40);
}

/** A payment that the merchant's server begins, by its customer's chosen way. */
export interface SeamlessRequest {
  /** The merchant's own order id, unique for each merchant */
  orderId: string;
  /** Decimal above zero, at most two places, in the currency's units */
  amountPaise: number;
  buyer: Buyer;
  /** The channel */
  payBy: string;
  /** ISO 4217 letters, in any case */
  currency?: string;
  /** Restricts the channels of this payment */
  channels?: readonly string[];
  /** Comes back unchanged */
  customvar?: string;
  payerAccount?: PayerAccount;
  /** A sale, or an authorisation that is captured later */
  txnsubtype?: string;
  /** A UPI address */
  vpa?: string;
  /** A code of the bank list: a bank, wallet or lender */
  bankCode?: string;
  card?: CardFields;
  /** The address of the customer's device */
  customerIp?: string;
  /** The customer's User-Agent */
  customerAgent?: string;
}

export function writeSeamlessRequest(w: Writer, asked: SeamlessRequest): void {
  w.matching(
    "orderid",
    asked.orderId,
    Rule.REQUIRED,
    /^[A-Za-z0-9_.-]{1,64}$/,
    [],
    "1 to 64 characters of A-Z a-z 0-9 - _ .",
  );
  w.amount("amount", asked.amountPaise, Rule.REQUIRED);
  writeBuyer(w, asked.buyer);
  w.one_of("pay_by", asked.payBy, Rule.REQUIRED, ["upi", "nb", "ppc", "payltr", "pg"]);
  w.currency("iso_currency", asked.currency);
  w.channels("chmod", asked.channels);
  w.text("customvar", asked.customvar, Rule.OPTIONAL, 4096);
  w.shop("mer_dom");
  if (asked.payerAccount) writePayerAccount(w, asked.payerAccount);
  w.one_of("txnsubtype", asked.txnsubtype, Rule.OPTIONAL, ["2", "1"]);
  w.vpa("vpa", asked.vpa, Rule.OPTIONAL);
  w.text("bank_code", asked.bankCode, Rule.OPTIONAL, 255);
  if (asked.card) writeCardFields(w, asked.card);
  w.text("customer_ip", asked.customerIp, Rule.OPTIONAL, 255);
  w.text("customer_agent", asked.customerAgent, Rule.OPTIONAL, 255);
}

/** One refund, in paise; without an amount, of all that remains. */
export interface RefundItem {
  /** The gateway's transaction id */
  transactionId: string;
  /** Decimal above zero, at most two places, in the currency's units */
  amountPaise?: number;
  /** Of this item alone: the same again refunds once */
  requestId?: string;
}

export function writeRefundItem(w: Writer, asked: RefundItem): void {
  w.matching(
    "ap_transactionid",
    asked.transactionId,
    Rule.REQUIRED,
    /^[0-9]{1,20}$/,
    [],
    "1 to 20 digits",
  );
  w.amount("amount", asked.amountPaise, Rule.OPTIONAL);
  w.matching(
    "refund_request_id",
    asked.requestId,
    Rule.OPTIONAL,
    /^[A-Za-z0-9_.-]{1,64}$/,
    ["approval-", "console-", "link-"],
    "1 to 64 characters of A-Z a-z 0-9 - _ .",
  );
}

/** A batch of refunds. */
export interface RefundRequest {
  /** Base64 of a JSON array of refunds */
  items: readonly RefundItem[];
  /** Of the whole batch: the same again refunds nothing twice */
  requestId?: string;
}

export function writeRefundRequest(w: Writer, asked: RefundRequest): void {
  w.batch("transactions", asked.items, 1000, writeRefundItem);
  w.constant("mode", "refund");
  w.matching(
    "refund_request_id",
    asked.requestId,
    Rule.OPTIONAL,
    /^[A-Za-z0-9_.-]{1,64}$/,
    ["approval-", "console-", "link-"],
    "1 to 64 characters of A-Z a-z 0-9 - _ .",
  );
}

/** A subscription, by a name of the order that registered it; both names must agree. */
export interface SubscriptionName {
  /** The gateway's transaction id */
  transactionId?: string;
  /** Of the order that registered it */
  orderId?: string;
}

export function writeSubscriptionName(w: Writer, asked: SubscriptionName): void {
  w.matching(
    "ap_transactionid",
    asked.transactionId,
    Rule.OPTIONAL,
    /^[0-9]{1,20}$/,
    [],
    "1 to 20 digits",
  );
  w.matching(
    "orderid",
    asked.orderId,
    Rule.OPTIONAL,
    /^[A-Za-z0-9_.-]{1,64}$/,
    [],
    "1 to 64 characters of A-Z a-z 0-9 - _ .",
  );
  w.atLeastOne("ap_transactionid", "orderid");
}

/** Subscriptions, newest first. */
export interface SubscriptionsBefore {
  /** Only those in this state */
  state?: string;
  /** The ap_transactionid after which the page begins */
  before?: string;
}

export function writeSubscriptionsBefore(w: Writer, asked: SubscriptionsBefore): void {
  w.one_of(
    "state",
    asked.state,
    Rule.OPTIONAL,
    ["created", "active", "paused", "cancelled", "completed", "failed"],
  );
  w.matching("before", asked.before, Rule.OPTIONAL, /^[0-9]{1,20}$/, [], "1 to 20 digits");
}

/** A subscription, by the order that registered it, whose next debit is announced now. */
export interface SubscriptionCharge {
  /** The gateway's transaction id */
  transactionId?: string;
  /** Of the order that registered it */
  orderId?: string;
  /** Decimal above zero, at most two places, in the currency's units */
  amountPaise?: number;
}

export function writeSubscriptionCharge(w: Writer, asked: SubscriptionCharge): void {
  w.matching(
    "ap_transactionid",
    asked.transactionId,
    Rule.OPTIONAL,
    /^[0-9]{1,20}$/,
    [],
    "1 to 20 digits",
  );
  w.matching(
    "orderid",
    asked.orderId,
    Rule.OPTIONAL,
    /^[A-Za-z0-9_.-]{1,64}$/,
    [],
    "1 to 64 characters of A-Z a-z 0-9 - _ .",
  );
  w.amount("sb_amount", asked.amountPaise, Rule.OPTIONAL);
  w.atLeastOne("ap_transactionid", "orderid");
}

/** New terms of a subscription, by its order, within what the customer approved. */
export interface SubscriptionChange {
  /** The gateway's transaction id */
  transactionId?: string;
  /** Of the order that registered it */
  orderId?: string;
  /** Decimal above zero, at most two places, in the currency's units */
  amountPaise?: number;
  /** How many debits in all */
  debits?: number;
  /** Tries after a declined one */
  retries?: number;
}

export function writeSubscriptionChange(w: Writer, asked: SubscriptionChange): void {
  w.matching(
    "ap_transactionid",
    asked.transactionId,
    Rule.OPTIONAL,
    /^[0-9]{1,20}$/,
    [],
    "1 to 20 digits",
  );
  w.matching(
    "orderid",
    asked.orderId,
    Rule.OPTIONAL,
    /^[A-Za-z0-9_.-]{1,64}$/,
    [],
    "1 to 64 characters of A-Z a-z 0-9 - _ .",
  );
  w.amount("sb_amount", asked.amountPaise, Rule.OPTIONAL);
  w.count("sb_recurringcount", asked.debits, Rule.OPTIONAL, 1, 998);
  w.count("sb_retryattempts", asked.retries, Rule.OPTIONAL, 0, 99);
  w.atLeastOne("ap_transactionid", "orderid");
}

/** The customer whose saved cards to list, newest first. */
export interface SavedCardsOf {
  /** The merchant's own name of its customer */
  customerId: string;
}

export function writeSavedCardsOf(w: Writer, asked: SavedCardsOf): void {
  w.customer("UID", asked.customerId, Rule.REQUIRED);
}

/** The saved card to delete. */
export interface SavedCardName {
  /** A saved card, as the record and the list name it */
  token: string;
}

export function writeSavedCardName(w: Writer, asked: SavedCardName): void {
  w.text("token", asked.token, Rule.SECRET, 255);
}

/** A line of what a link is for. amount_paise: of all its pieces together. */
export interface NewLinkItem {
  /** What it is */
  description: string;
  /** The amount of all of them together */
  amountPaise: number;
  /** How many */
  quantity?: number;
}

export function writeNewLinkItem(w: Writer, asked: NewLinkItem): void {
  w.text("description", asked.description, Rule.REQUIRED, 100);
  w.amount("amount", asked.amountPaise, Rule.REQUIRED);
  w.count_unless_zero("quantity", asked.quantity, Rule.OPTIONAL, 1, 9999);
}

/** A new link, in paise. The same request under one reference makes one link. */
export interface NewPaymentLink {
  /** The merchant's own name of the link */
  reference: string;
  /** Decimal above zero, at most two places, in the currency's units */
  amountPaise: number;
  /** Its purpose; the customer reads it */
  description: string;
  /** The least of one part; without it the link is paid at once */
  minimumPaise?: number;
  /** Days from now */
  validDays?: number;
  /** Whether money beyond the amount is refunded */
  surplus?: string;
  /** At most 254 characters */
  customerEmail?: string;
  /** 8 to 15 digits; + - ( ) and spaces may stand between them */
  customerPhone?: string;
  /** What it is for, line by line; their amounts add up to the amount */
  items?: readonly NewLinkItem[];
}

export function writeNewPaymentLink(w: Writer, asked: NewPaymentLink): void {
  w.matching(
    "link_reference",
    asked.reference,
    Rule.REQUIRED,
    /^[A-Za-z0-9_.-]{1,64}$/,
    [],
    "1 to 64 characters of A-Z a-z 0-9 - _ .",
  );
  w.amount("amount", asked.amountPaise, Rule.REQUIRED);
  w.text("description", asked.description, Rule.REQUIRED, 200);
  w.amount_unless_zero("minimum", asked.minimumPaise, Rule.OPTIONAL);
  w.count_unless_zero("valid_days", asked.validDays, Rule.OPTIONAL, 1, 366);
  w.one_of("surplus", asked.surplus, Rule.OPTIONAL, ["refund", "keep"]);
  w.email("customer_email", asked.customerEmail, Rule.OPTIONAL);
  w.phone("customer_phone", asked.customerPhone, Rule.OPTIONAL);
  w.objects_unless_empty("items", asked.items, writeNewLinkItem);
}

/** A payment link, by one of its names; both must agree. */
export interface LinkName {
  /** As its creation and notifications name it */
  linkId?: string;
  /** The merchant's own name of the link */
  reference?: string;
}

export function writeLinkName(w: Writer, asked: LinkName): void {
  w.matching("link_id", asked.linkId, Rule.OPTIONAL, /^[0-9]{1,20}$/, [], "1 to 20 digits");
  w.matching(
    "link_reference",
    asked.reference,
    Rule.OPTIONAL,
    /^[A-Za-z0-9_.-]{1,64}$/,
    [],
    "1 to 64 characters of A-Z a-z 0-9 - _ .",
  );
  w.atLeastOne("link_id", "link_reference");
}

/** Payment links, newest first. */
export interface LinksBefore {
  /** The link_id after which the page begins */
  before?: string;
}

export function writeLinksBefore(w: Writer, asked: LinksBefore): void {
  w.matching("before", asked.before, Rule.OPTIONAL, /^[0-9]{1,20}$/, [], "1 to 20 digits");
}

/** Settlements, newest first. */
export interface SettlementsBefore {
  /** The last id that you have: the page begins after it */
  before?: string;
}

export function writeSettlementsBefore(w: Writer, asked: SettlementsBefore): void {
  w.matching("before", asked.before, Rule.OPTIONAL, /^[0-9]{1,20}$/, [], "1 to 20 digits");
}

/** The id of a settlement. */
export interface SettlementName {
  /** A settlement, as the list names it */
  settlementId: string;
}

export function writeSettlementName(w: Writer, asked: SettlementName): void {
  w.matching(
    "settlement_id",
    asked.settlementId,
    Rule.REQUIRED,
    /^[0-9]{1,20}$/,
    [],
    "1 to 20 digits",
  );
}

/** A settlement, whose items to list, oldest first. after: `next` of the page before. */
export interface SettlementItemsAfter {
  /** A settlement, as the list names it */
  settlementId: string;
  /** The item_id after which the page begins */
  after?: string;
}

export function writeSettlementItemsAfter(w: Writer, asked: SettlementItemsAfter): void {
  w.matching(
    "settlement_id",
    asked.settlementId,
    Rule.REQUIRED,
    /^[0-9]{1,20}$/,
    [],
    "1 to 20 digits",
  );
  w.matching(
    "after",
    asked.after,
    Rule.OPTIONAL,
    /^[0-9]{1,15}-[a-z_]{1,40}$/,
    [],
    "an item_id of this list",
  );
}

/** Payouts, newest first. before: the last payout_id that you have, for those that are older. */
export interface PayoutsBefore {
  /** Only those in this state */
  state?: string;
  /** The last id that you have: the page begins after it */
  before?: string;
}

export function writePayoutsBefore(w: Writer, asked: PayoutsBefore): void {
  w.one_of(
    "state",
    asked.state,
    Rule.OPTIONAL,
    ["waiting", "sent", "done", "refused", "returned", "reversed", "held_back"],
  );
  w.matching("before", asked.before, Rule.OPTIONAL, /^[0-9]{1,20}$/, [], "1 to 20 digits");
}

/** No fields: the terms are the sender's own. */
export interface OwnTerms {
}

export function writeOwnTerms(_w: Writer, _asked: OwnTerms): void {
}

/** One linked account's share. value: paise, or hundredths of a per cent; above zero. */
export interface SplitPart {
  /** A linked account of the merchant */
  identifier: string;
  /** A per cent or an amount, above zero */
  value: number;
}

export function writeSplitPart(w: Writer, asked: SplitPart): void {
  w.matching(
    "identifier",
    asked.identifier,
    Rule.REQUIRED,
    /^[A-Za-z0-9_.-]{1,64}$/,
    [],
    "1 to 64 characters of A-Z a-z 0-9 - _ .",
  );
  w.amount("value", asked.value, Rule.REQUIRED);
}

/** How a transaction is shared. */
export interface SplitRequest {
  /** The gateway's transaction id */
  transactionId: string;
  /** The merchant's own id: the same again changes nothing */
  requestId: string;
  /** What the values are */
  type: string;
  /** The merchant's own share */
  primaryValue: number;
  parts: readonly SplitPart[];
  /** The bank's retrieval reference number */
  rrn?: string;
}

export function writeSplitRequest(w: Writer, asked: SplitRequest): void {
  w.matching(
    "ap_transactionid",
    asked.transactionId,
    Rule.REQUIRED,
    /^[0-9]{1,20}$/,
    [],
    "1 to 20 digits",
  );
  w.matching(
    "split_request_id",
    asked.requestId,
    Rule.REQUIRED,
    /^[0-9]{1,15}$/,
    [],
    "1 to 15 digits",
  );
  w.one_of("split_type", asked.type, Rule.REQUIRED, ["percentage", "absolute"]);
  w.amount_or_zero("primary_split_value", asked.primaryValue, Rule.REQUIRED);
  w.objects("splits", asked.parts, writeSplitPart);
  w.text("rrn", asked.rrn, Rule.OPTIONAL, 35);
}

/** Disputes, newest first. */
export interface DisputesBefore {
  /** Only those in this state */
  state?: string;
  /** The last id that you have: the page begins after it */
  before?: string;
}

export function writeDisputesBefore(w: Writer, asked: DisputesBefore): void {
  w.one_of(
    "state",
    asked.state,
    Rule.OPTIONAL,
    ["open", "under_review", "accepting", "expired", "won", "lost", "accepted", "partly_accepted", "closed"],
  );
  w.matching("before", asked.before, Rule.OPTIONAL, /^[0-9]{1,20}$/, [], "1 to 20 digits");
}

/** The id of a dispute. */
export interface DisputeName {
  /** A dispute, as the list and the news of it name it */
  disputeId: string;
}

export function writeDisputeName(w: Writer, asked: DisputeName): void {
  w.matching("dispute_id", asked.disputeId, Rule.REQUIRED, /^[0-9]{1,20}$/, [], "1 to 20 digits");
}

/** A document for the answer to a dispute. */
export interface NewEvidence {
  /** A dispute, as the list and the news of it name it */
  disputeId: string;
  /** A whole PDF, PNG or JPEG of at most 1 MiB, in base64 */
  content: Uint8Array;
  /** The document's name */
  name?: string;
}

export function writeNewEvidence(w: Writer, asked: NewEvidence): void {
  w.matching("dispute_id", asked.disputeId, Rule.REQUIRED, /^[0-9]{1,20}$/, [], "1 to 20 digits");
  w.document("content", asked.content, Rule.SECRET, 1398104);
  w.text("name", asked.name, Rule.OPTIONAL, 100);
}

/** The answer that contests a dispute: it needs a note or a document. */
export interface DisputeContest {
  /** A dispute, as the list and the news of it name it */
  disputeId: string;
  /** What the bank is told */
  note?: string;
}

export function writeDisputeContest(w: Writer, asked: DisputeContest): void {
  w.matching("dispute_id", asked.disputeId, Rule.REQUIRED, /^[0-9]{1,20}$/, [], "1 to 20 digits");
  w.text("note", asked.note, Rule.OPTIONAL, 1000);
}

/** The answer that accepts a dispute, or only a part of it. */
export interface DisputeAcceptance {
  /** A dispute, as the list and the news of it name it */
  disputeId: string;
  /** What is given up; all of it when left out */
  amountPaise?: number;
  /** What the bank is told */
  note?: string;
}

export function writeDisputeAcceptance(w: Writer, asked: DisputeAcceptance): void {
  w.matching("dispute_id", asked.disputeId, Rule.REQUIRED, /^[0-9]{1,20}$/, [], "1 to 20 digits");
  w.amount("amount", asked.amountPaise, Rule.OPTIONAL);
  w.text("note", asked.note, Rule.OPTIONAL, 1000);
}

/** Notifications, in the order of their events. */
export interface NotificationsAfter {
  /** The next of the page before; empty for the present end */
  after?: string;
}

export function writeNotificationsAfter(w: Writer, asked: NotificationsAfter): void {
  w.matching(
    "after",
    asked.after,
    Rule.OPTIONAL,
    /^[0-9]{1,19}-[0-9]{1,15}-[0-9]{1,9}$/,
    [],
    "the next of this list",
  );
}

/** A payment to start. */
export interface PaymentRequest {
  /** The merchant's own order id, unique for each merchant */
  orderId: string;
  /** Decimal above zero, at most two places, in the currency's units */
  amountPaise: number;
  buyer: Buyer;
  /** ISO 4217 letters, in any case */
  currency?: string;
  /** Restricts the channels of this payment */
  channels?: readonly string[];
  /** Comes back unchanged */
  customvar?: string;
  payerAccount?: PayerAccount;
  /** 1 authorise, 2 sale, 3 MOTO, 7-11 EMI of 3/6/9/12/18 months, 12 subscription */
  txnsubtype?: string;
  subscription?: OrderMandate;
  /** The merchant's own name of its customer, whose cards are saved */
  uid?: string;
  /** A saved card of that customer, to pay with */
  savedCard?: string;
}

export function writePaymentRequest(w: Writer, asked: PaymentRequest): void {
  w.matching(
    "orderid",
    asked.orderId,
    Rule.REQUIRED,
    /^[A-Za-z0-9_.-]{1,64}$/,
    [],
    "1 to 64 characters of A-Z a-z 0-9 - _ .",
  );
  w.amount("amount", asked.amountPaise, Rule.REQUIRED);
  writeBuyer(w, asked.buyer);
  w.currency("iso_currency", asked.currency);
  w.channels("chmod", asked.channels);
  w.text("customvar", asked.customvar, Rule.OPTIONAL, 4096);
  w.shop("mer_dom");
  if (asked.payerAccount) writePayerAccount(w, asked.payerAccount);
  w.one_of(
    "txnsubtype",
    asked.txnsubtype,
    Rule.OPTIONAL,
    ["1", "2", "3", "7", "8", "9", "10", "11", "12"],
  );
  if (asked.subscription) writeOrderMandate(w, asked.subscription);
  w.customer("UID", asked.uid, Rule.OPTIONAL);
  w.text("token", asked.savedCard, Rule.OPTIONAL_SECRET, 255);
}

/** One payment's transaction record; texts are empty where the record has none. */
export interface TransactionFields {
  transactionId: string;
  orderId: string;
  merchantId: string;
  amountPaise: number;
  amount: string;
  currencyCode: string;
  statusCode: number;
  paymentStatus: string;
  transactionType: number;
  channel: string;
  message: string;
  bankMessage: string;
  bankCode: string;
  rrn: string;
  utr: string;
  customerName: string;
  customerEmail: string;
  customerPhone: string;
  customerVpa: string;
  cardScheme: string;
  cardNumber: string;
  cardType: string;
  cardCountry: string;
  bankName: string;
  customVar: string;
  atRisk: boolean;
  surchargePaise: number;
  createdAt?: Date;
  detailedStatus: string;
  capturedPaise: number;
  refunds: number;
  refundedPaise: number;
  refundId: string;
  refundRequestId: string;
  refundStatus: string;
  refundRrn: string;
  disputeId: string;
  disputePhase: string;
  disputeStatus: string;
  disputeReason: string;
  disputeRespondBy?: Date;
  savedCard: string;
  paidAt?: Date;
  attempts: number;
  emiBank: string;
  emiMonths: number;
  emiRate: string;
  isoCurrency: string;
  inrPaise: number;
  inrRate: string;
}

export function readTransaction(r: Reader): TransactionFields {
  return {
    transactionId: r.words("ap_transactionid"),
    orderId: r.words("orderid"),
    merchantId: r.words("merchant_id"),
    amountPaise: r.amount("amount"),
    amount: r.words("amount"),
    currencyCode: r.words("currency_code"),
    statusCode: r.integer("transaction_status"),
    paymentStatus: r.words("transaction_payment_status"),
    transactionType: r.integer("transaction_type"),
    channel: r.words("chmod"),
    message: r.words("message"),
    bankMessage: r.words("bank_response_msg"),
    bankCode: r.words("bank_response_code"),
    rrn: r.words("rrn"),
    utr: r.words("utr_no"),
    customerName: r.words("customer_name"),
    customerEmail: r.words("customer_email"),
    customerPhone: r.words("customer_phone"),
    customerVpa: r.words("customer_vpa"),
    cardScheme: r.words("card_scheme"),
    cardNumber: r.words("card_number"),
    cardType: r.words("card_type"),
    cardCountry: r.words("card_country"),
    bankName: r.words("bank_name"),
    customVar: r.words("customvar"),
    atRisk: r.is_one("risk"),
    surchargePaise: r.sum("surcharge_amount"),
    createdAt: r.record_time("transaction_time"),
    detailedStatus: r.words("detailed_status"),
    capturedPaise: r.sum("captured_amount"),
    refunds: r.integer("refunds_count"),
    refundedPaise: r.sum("refunds_total"),
    refundId: r.words("refund_id"),
    refundRequestId: r.words("refund_request_id"),
    refundStatus: r.words("refund_status"),
    refundRrn: r.words("refund_rrn"),
    disputeId: r.words("dispute_id"),
    disputePhase: r.words("dispute_phase"),
    disputeStatus: r.words("dispute_status"),
    disputeReason: r.words("dispute_reason"),
    disputeRespondBy: r.record_time("dispute_respond_by"),
    savedCard: r.words("token"),
    paidAt: r.record_time("paid_at"),
    attempts: r.integer("attempts"),
    emiBank: r.words("emi_bank"),
    emiMonths: r.integer("emi_months"),
    emiRate: r.words("emi_rate"),
    isoCurrency: r.words_or("iso_currency", "INR"),
    inrPaise: r.sum("inr_amount"),
    inrRate: r.words("inr_rate"),
  };
}

/** An access token. */
export interface AccessToken {
  /** Hex */
  token: string;
  /** Seconds */
  lifeS: number;
  scope: string;
}

export function readAccessToken(r: Reader): AccessToken {
  return {
    token: r.words("access_token"),
    lifeS: r.whole("expires_in"),
    scope: r.words("scope"),
  };
}

/** One bank of a channel, or a channel without banks: then code and name are "". */
export interface Bank {
  channel: string;
  channelName: string;
  title: string;
  description: string;
  code: string;
  name: string;
  health: string;
  minimumPaise?: number;
  maximumPaise?: number;
}

export function readBank(r: Reader): Bank {
  return {
    channel: r.words("chmod"),
    channelName: r.words("channel_name"),
    title: r.words("title"),
    description: r.words("description"),
    code: r.words("bank_code"),
    name: r.words("bank_name"),
    health: r.words("health"),
    minimumPaise: r.limit("min_amount"),
    maximumPaise: r.limit("max_amount"),
  };
}

/** Every bank of every channel that is open. */
export interface Banks {
  banks: readonly Bank[];
}

export function readBanks(r: Reader): Banks {
  return {
    banks: r.objects("banks", readBank),
  };
}

/** A UPI address, and whether it is registered. */
export interface UpiAddress {
  address: string;
  isRegistered: boolean;
  name: string;
  status: string;
  message: string;
}

export function readUpiAddress(r: Reader): UpiAddress {
  return {
    address: r.name("vpa"),
    isRegistered: r.yes_or_no("valid"),
    name: r.words("vpa_name"),
    status: r.words("status"),
    message: r.words("message"),
  };
}

/** A QR order. */
export interface QrData {
  text: string;
  png: Uint8Array;
  transactionId: string;
  orderId: string;
  merchantId: string;
  textAgain: string;
  status: string;
  expiresAt?: Date;
}

export function readQrData(r: Reader): QrData {
  return {
    text: r.name("qr_string"),
    png: r.bytes("qr_image"),
    transactionId: r.name("ap_transactionid"),
    orderId: r.words("orderid"),
    merchantId: r.words("merchant_id"),
    textAgain: r.words("qrcode_string"),
    status: r.words("status"),
    expiresAt: r.moment("expires_at"),
  };
}

/** The customer's next step, and the state of the order. */
export interface SeamlessData {
  action: string;
  redirectUrl: string;
  redirectFields: Map<string, string>;
  link: string;
  transactionId: string;
  orderId: string;
  merchantId: string;
  amountPaise: number;
  payablePaise: number;
  surchargePaise: number;
  currency: string;
  statusCode: number;
  paymentStatus: string;
  bankCode: string;
  bankMessage: string;
}

export function readSeamlessData(r: Reader): SeamlessData {
  return {
    action: r.words("next_action"),
    redirectUrl: r.words("redirect_url"),
    redirectFields: r.pairs("redirect_fields"),
    link: r.words("upi_link"),
    transactionId: r.name("ap_transactionid"),
    orderId: r.words("orderid"),
    merchantId: r.words("merchant_id"),
    amountPaise: r.money_or_none("amount"),
    payablePaise: r.money_or_none("payable_amount"),
    surchargePaise: r.money_or("surcharge_amount", 0),
    currency: r.words_or("iso_currency", "INR"),
    statusCode: r.whole("transaction_status"),
    paymentStatus: r.words("transaction_payment_status"),
    bankCode: r.words("bank_response_code"),
    bankMessage: r.words("bank_response_msg"),
  };
}

/** The gateway's answer to one item. */
export interface RefundResult {
  transactionId: string;
  amountPaise?: number;
  accepted: boolean;
  message: string;
  refundId: string;
  mode: string;
  code: string;
}

export function readRefundResult(r: Reader): RefundResult {
  return {
    transactionId: r.number("ap_transactionid"),
    amountPaise: r.limit("amount"),
    accepted: r.yes_or_no("success"),
    message: r.words("message"),
    refundId: r.number("refund_id"),
    mode: r.words_or("mode", "refund"),
    code: r.words_or("response_code", "00"),
  };
}

/** The answers in the order of the items. */
export interface RefundResults {
  results: readonly RefundResult[];
}

export function readRefundResults(r: Reader): RefundResults {
  return {
    results: r.objects("transactions", readRefundResult),
  };
}

/** One period of a subscription. */
export interface SubscriptionDebit {
  period: number;
  amountPaise: number;
  state: string;
  debitAt?: Date;
  orderTransactionId: string;
}

export function readSubscriptionDebit(r: Reader): SubscriptionDebit {
  return {
    period: r.whole("period"),
    amountPaise: r.money("amount"),
    state: r.name("state"),
    debitAt: r.moment("debit_at"),
    orderTransactionId: r.words("ap_transactionid"),
  };
}

/** A subscription in its current state. */
export interface Subscription {
  transactionId: string;
  orderId: string;
  state: string;
  amountPaise: number;
  maxPaise: number;
  period: string;
  every: number;
  nextDebitOn?: string;
  debitsMax?: number;
  retries: number;
  validUntil?: string;
  channel: string;
  umrn: string;
  payerVpa: string;
  manageUrl: string;
  debits: readonly SubscriptionDebit[];
}

export function readSubscription(r: Reader): Subscription {
  return {
    transactionId: r.name("ap_transactionid"),
    orderId: r.name("orderid"),
    state: r.name("state"),
    amountPaise: r.money("sb_amount"),
    maxPaise: r.money("sb_maxamount"),
    period: r.name("sb_period"),
    every: r.whole("sb_frequency"),
    nextDebitOn: r.day("sb_nextrundate"),
    debitsMax: r.whole_or_none("sb_recurringcount", 999),
    retries: r.whole("sb_retryattempts"),
    validUntil: r.day("valid_until"),
    channel: r.words("chmod"),
    umrn: r.words("umrn"),
    payerVpa: r.words("customer_vpa"),
    manageUrl: r.words("manage_url"),
    debits: r.objects("debits", readSubscriptionDebit),
  };
}

/** A page of subscriptions, newest first, without their debits. */
export interface Subscriptions {
  subscriptions: readonly Subscription[];
}

export function readSubscriptions(r: Reader): Subscriptions {
  return {
    subscriptions: r.objects("subscriptions", readSubscription),
  };
}

/** One card that a customer lets a merchant keep. */
export interface SavedCard {
  token: string;
  customerId: string;
  number: string;
  scheme: string;
  type: string;
  issuer: string;
  savedAt?: Date;
}

export function readSavedCard(r: Reader): SavedCard {
  return {
    token: r.name("token"),
    customerId: r.name("UID"),
    number: r.name("card_number"),
    scheme: r.words("card_scheme"),
    type: r.words("card_type"),
    issuer: r.words("bank_name"),
    savedAt: r.moment("saved_at"),
  };
}

/** The saved cards of one customer, newest first. */
export interface SavedCards {
  cards: readonly SavedCard[];
}

export function readSavedCards(r: Reader): SavedCards {
  return {
    cards: r.objects("cards", readSavedCard),
  };
}

/** A line of what a link is for, in paise. amount_paise: of all its pieces together. */
export interface PaymentLinkItem {
  description: string;
  quantity: number;
  amountPaise: number;
}

export function readPaymentLinkItem(r: Reader): PaymentLinkItem {
  return {
    description: r.name("description"),
    quantity: r.whole("quantity"),
    amountPaise: r.money("amount"),
  };
}

/** A payment under a link, in paise, counted once it was paid. */
export interface LinkPayment {
  orderId: string;
  transactionId: string;
  amountPaise: number;
  countedPaise: number;
  returnedPaise: number;
  paidAt?: Date;
}

export function readLinkPayment(r: Reader): LinkPayment {
  return {
    orderId: r.name("orderid"),
    transactionId: r.name("ap_transactionid"),
    amountPaise: r.money("amount"),
    countedPaise: r.money("counted_amount"),
    returnedPaise: r.money("returned_amount"),
    paidAt: r.moment("paid_at"),
  };
}

/** A payment link in its current state, in paise. */
export interface PaymentLink {
  linkId: string;
  reference: string;
  url: string;
  state: string;
  amountPaise: number;
  paidPaise: number;
  minimumPaise: number;
  description: string;
  surplus: string;
  createdAt?: Date;
  validUntil?: Date;
  items: readonly PaymentLinkItem[];
  payments: readonly LinkPayment[];
}

export function readPaymentLink(r: Reader): PaymentLink {
  return {
    linkId: r.name("link_id"),
    reference: r.name("link_reference"),
    url: r.name("url"),
    state: r.name("state"),
    amountPaise: r.money("amount"),
    paidPaise: r.money("paid_amount"),
    minimumPaise: r.money_or_none("minimum"),
    description: r.name("description"),
    surplus: r.name("surplus"),
    createdAt: r.moment("created_at"),
    validUntil: r.moment("valid_until"),
    items: r.objects_or_none("items", readPaymentLinkItem),
    payments: r.objects_or_none("payments", readLinkPayment),
  };
}

/** A page of payment links, newest first, without their payments. */
export interface PaymentLinks {
  links: readonly PaymentLink[];
}

export function readPaymentLinks(r: Reader): PaymentLinks {
  return {
    links: r.objects("links", readPaymentLink),
  };
}

/** One bank account's share of a settlement. */
export interface SettlementShare {
  beneficiary: string;
  amountPaise: number;
  /** Of the newest attempt to pay it out */
  payoutId: string;
  payoutState: string;
  utr: string;
}

export function readSettlementShare(r: Reader): SettlementShare {
  return {
    beneficiary: r.name("beneficiary"),
    amountPaise: r.money("amount"),
    payoutId: r.words("payout_id"),
    payoutState: r.words("payout_state"),
    utr: r.words("utr"),
  };
}

/** What you were owed on one day, in whole paise. */
export interface Settlement {
  settlementId: string;
  day?: string;
  kind: string;
  items: number;
  /** What the settlement before left, with its sign */
  carriedInPaise: number;
  grossPaise: number;
  /** With its sign */
  refundsPaise: number;
  /** Disputes and corrections, with its sign */
  otherPaise: number;
  /** Of the items */
  feePaise: number;
  /** Of the items */
  taxPaise: number;
  /** Of settling at once */
  instantFeePaise: number;
  /** Of settling at once */
  instantTaxPaise: number;
  reserveHeldPaise: number;
  reserveReleasedPaise: number;
  /** To the merchant's own account */
  netPaise: number;
  /** To linked accounts */
  splitsPaise: number;
  /** What this one leaves, with its sign */
  carriedPaise: number;
  currency: string;
  utr: string;
  shares: readonly SettlementShare[];
}

export function readSettlement(r: Reader): Settlement {
  return {
    settlementId: r.name("settlement_id"),
    day: r.day("settlement_day"),
    kind: r.name("kind"),
    items: r.whole("items"),
    carriedInPaise: r.balance("carried_in_amount"),
    grossPaise: r.money("gross_amount"),
    refundsPaise: r.balance("refunds_amount"),
    otherPaise: r.balance("other_amount"),
    feePaise: r.money("fee_amount"),
    taxPaise: r.money("tax_amount"),
    instantFeePaise: r.money("instant_fee_amount"),
    instantTaxPaise: r.money("instant_tax_amount"),
    reserveHeldPaise: r.money("reserve_held_amount"),
    reserveReleasedPaise: r.money("reserve_released_amount"),
    netPaise: r.money("net_amount"),
    splitsPaise: r.money("splits_amount"),
    carriedPaise: r.balance("carried_amount"),
    currency: r.name_or("iso_currency", "INR"),
    utr: r.words("utr"),
    shares: r.objects_or_none("shares", readSettlementShare),
  };
}

/** A page of settlements, newest first, without their shares. */
export interface Settlements {
  settlements: readonly Settlement[];
}

export function readSettlements(r: Reader): Settlements {
  return {
    settlements: r.objects("settlements", readSettlement),
  };
}

/** One item of a settlement: gross less fee and tax is net. */
export interface SettlementItem {
  itemId: string;
  kind: string;
  transactionId: string;
  orderId: string;
  at?: Date;
  /** With its sign */
  grossPaise: number;
  feePaise: number;
  taxPaise: number;
  /** With its sign */
  netPaise: number;
  /** Of the price plan */
  rule: string;
}

export function readSettlementItem(r: Reader): SettlementItem {
  return {
    itemId: r.name("item_id"),
    kind: r.name("kind"),
    transactionId: r.words("ap_transactionid"),
    orderId: r.words("orderid"),
    at: r.moment("at"),
    grossPaise: r.balance("gross_amount"),
    feePaise: r.money("fee_amount"),
    taxPaise: r.money("tax_amount"),
    netPaise: r.balance("net_amount"),
    rule: r.words("fee_rule"),
  };
}

/** A page of a settlement's items. next: the `after` of the next page, "" at the end. */
export interface SettlementItems {
  items: readonly SettlementItem[];
  next: string;
}

export function readSettlementItems(r: Reader): SettlementItems {
  return {
    items: r.objects("items", readSettlementItem),
    next: r.words("next"),
  };
}

/** One try to pay out a share of a settlement. */
export interface Payout {
  payoutId: string;
  settlementId: string;
  beneficiary: string;
  amountPaise: number;
  currency: string;
  state: string;
  rail: string;
  account: string;
  utr: string;
  reason: string;
  createdAt?: Date;
  sentAt?: Date;
  endedAt?: Date;
}

export function readPayout(r: Reader): Payout {
  return {
    payoutId: r.name("payout_id"),
    settlementId: r.name("settlement_id"),
    beneficiary: r.name("beneficiary"),
    amountPaise: r.money("amount"),
    currency: r.name_or("iso_currency", "INR"),
    state: r.name("state"),
    rail: r.words("rail"),
    account: r.words("account"),
    utr: r.words("utr"),
    reason: r.words("reason"),
    createdAt: r.moment("created_at"),
    sentAt: r.moment("sent_at"),
    endedAt: r.moment("ended_at"),
  };
}

/** A page of payouts, newest first. */
export interface Payouts {
  payouts: readonly Payout[];
}

export function readPayouts(r: Reader): Payouts {
  return {
    payouts: r.objects("payouts", readPayout),
  };
}

/** The next settlement, as far as it is known now, in paise. */
export interface NextSettlement {
  /** Empty when nothing waits */
  day?: string;
  /** Empty when nothing waits */
  dueAt?: Date;
  items: number;
  netPaise: number;
  splitsPaise: number;
  /** What would be left, with its sign */
  carriedPaise: number;
  currency: string;
  held: boolean;
}

export function readNextSettlement(r: Reader): NextSettlement {
  return {
    day: r.day("settlement_day"),
    dueAt: r.moment("due_at"),
    items: r.whole("items"),
    netPaise: r.money("net_amount"),
    splitsPaise: r.money("splits_amount"),
    carriedPaise: r.balance("carried_amount"),
    currency: r.name_or("iso_currency", "INR"),
    held: r.flag("held"),
  };
}

/** One price. Empty tuples mean everything; None is no bound. */
export interface Price {
  rule: string;
  channels: readonly string[];
  networks: readonly string[];
  notNetworks: readonly string[];
  cardTypes: readonly string[];
  notCardTypes: readonly string[];
  /** Itself left out */
  abovePaise?: number;
  /** Itself included */
  upToPaise?: number;
  basisPoints: number;
  fixedPaise: number;
  minimumPaise?: number;
  maximumPaise?: number;
}

export function readPrice(r: Reader): Price {
  return {
    rule: r.name("rule"),
    channels: r.texts("channels"),
    networks: r.texts("networks"),
    notNetworks: r.texts("not_networks"),
    cardTypes: r.texts("card_types"),
    notCardTypes: r.texts("not_card_types"),
    abovePaise: r.limit("above_amount"),
    upToPaise: r.limit("up_to_amount"),
    basisPoints: r.money("percent"),
    fixedPaise: r.money("fixed_amount"),
    minimumPaise: r.limit("minimum_amount"),
    maximumPaise: r.limit("maximum_amount"),
  };
}

/** The prices in force today. */
export interface PriceList {
  planNo: number;
  firstDay?: string;
  prices: readonly Price[];
}

export function readPriceList(r: Reader): PriceList {
  return {
    planNo: r.whole("plan_no"),
    firstDay: r.day("first_day"),
    prices: r.objects("prices", readPrice),
  };
}

/** An account that receives payouts. */
export interface BankAccount {
  beneficiary: string;
  holder: string;
  account: string;
  ifsc: string;
  state: string;
  addedAt?: Date;
}

export function readBankAccount(r: Reader): BankAccount {
  return {
    beneficiary: r.name("beneficiary"),
    holder: r.words("holder"),
    account: r.name("account"),
    ifsc: r.name("ifsc"),
    state: r.name("state"),
    addedAt: r.moment("added_at"),
  };
}

/** The accounts that receive payouts. */
export interface BankAccounts {
  accounts: readonly BankAccount[];
}

export function readBankAccounts(r: Reader): BankAccounts {
  return {
    accounts: r.objects("accounts", readBankAccount),
  };
}

/** One linked account's share of the transaction. amount: decimal text with two places. */
export interface SplitShare {
  identifier: string;
  amountPaise: number;
}

export function readSplitShare(r: Reader): SplitShare {
  return {
    identifier: r.words("identifier"),
    amountPaise: r.money("amount"),
  };
}

/** The current split. */
export interface SplitData {
  requestId: string;
  status: string;
  transactionId: string;
  primaryPaise: number;
  shares: readonly SplitShare[];
}

export function readSplitData(r: Reader): SplitData {
  return {
    requestId: r.words("split_request_id"),
    status: r.words("status"),
    transactionId: r.words("ap_transactionid"),
    primaryPaise: r.money("primary_amount"),
    shares: r.objects("splits", readSplitShare),
  };
}

/** One phase of a dispute, in paise of the payment's currency; fee and tax in paise of rupees. */
export interface DisputePhase {
  phase: string;
  state: string;
  amountPaise: number;
  heldPaise: number;
  takenPaise: number;
  acceptedPaise: number;
  feePaise: number;
  taxPaise: number;
  reason: string;
  openedAt?: Date;
  respondBy?: Date;
  answeredAt?: Date;
  sentAt?: Date;
  endedAt?: Date;
}

export function readDisputePhase(r: Reader): DisputePhase {
  return {
    phase: r.name("phase"),
    state: r.name("state"),
    amountPaise: r.money("amount"),
    heldPaise: r.money("held_amount"),
    takenPaise: r.money("taken_amount"),
    acceptedPaise: r.money("accepted_amount"),
    feePaise: r.money("fee_amount"),
    taxPaise: r.money("tax_amount"),
    reason: r.words("reason"),
    openedAt: r.moment("opened_at"),
    respondBy: r.moment("respond_by"),
    answeredAt: r.moment("answered_at"),
    sentAt: r.moment("sent_at"),
    endedAt: r.moment("ended_at"),
  };
}

/** A document for the answer to a dispute, without its content. */
export interface Evidence {
  evidenceId: string;
  name: string;
  type: string;
  bytes: number;
  sha256: string;
  addedAt?: Date;
  sentAt?: Date;
}

export function readEvidence(r: Reader): Evidence {
  return {
    evidenceId: r.name("evidence_id"),
    name: r.words("name"),
    type: r.name("type"),
    bytes: r.whole("bytes"),
    sha256: r.name("sha256"),
    addedAt: r.moment("added_at"),
    sentAt: r.moment("sent_at"),
  };
}

/** A dispute. order_id: "" for a payment in the archive. */
export interface Dispute {
  now: DisputePhase;
  disputeId: string;
  transactionId: string;
  orderId: string;
  currency: string;
  phases: readonly DisputePhase[];
  evidence: readonly Evidence[];
}

export function readDispute(r: Reader): Dispute {
  return {
    now: readDisputePhase(r),
    disputeId: r.name("dispute_id"),
    transactionId: r.name("ap_transactionid"),
    orderId: r.words("orderid"),
    currency: r.name("iso_currency"),
    phases: r.objects_or_none("phases", readDisputePhase),
    evidence: r.objects_or_none("evidence", readEvidence),
  };
}

/** A page of disputes, newest first, without their phases and documents. */
export interface Disputes {
  disputes: readonly Dispute[];
}

export function readDisputes(r: Reader): Disputes {
  return {
    disputes: r.objects("disputes", readDispute),
  };
}

/** A notification as it is sent to your server, signed when it was read. */
export interface AnnouncedNotification {
  webhookId: string;
  event: string;
  orderId: string;
  transactionId: string;
  state: string;
  createdAt?: Date;
  contentType: string;
  timestamp: string;
  signature: string;
  /** The body of the request, signed when it was read */
  text: string;
}

export function readAnnouncedNotification(r: Reader): AnnouncedNotification {
  return {
    webhookId: r.name("webhook_id"),
    event: r.words("event"),
    orderId: r.words("orderid"),
    transactionId: r.words("ap_transactionid"),
    state: r.words("state"),
    createdAt: r.moment("created_at"),
    contentType: r.name("content_type"),
    timestamp: r.name("webhook_timestamp"),
    signature: r.name("webhook_signature"),
    text: r.name("body"),
  };
}

/** Notifications in the order of their events. next: the `after` of the next page. */
export interface AnnouncedPage {
  notifications: readonly AnnouncedNotification[];
  next: string;
}

export function readAnnouncedPage(r: Reader): AnnouncedPage {
  return {
    notifications: r.objects("notifications", readAnnouncedNotification),
    next: r.name("next"),
  };
}

export const TOKEN_OPERATION: OperationSpec = {
  name: "token",
  address: "/gateway/pay/v4/api/oauth2/",
  asJson: false,
  withToken: false,
  repeats: true,
  echoes: [],
  list: "",
  bare: "",
};

export const VERIFY_OPERATION: OperationSpec = {
  name: "verify",
  address: "/gateway/pay/v4/api/verify/",
  asJson: false,
  withToken: true,
  repeats: true,
  echoes: [],
  list: "",
  bare: "",
};

export const BANKS_OPERATION: OperationSpec = {
  name: "banks",
  address: "/gateway/pay/v4/api/banks/",
  asJson: false,
  withToken: true,
  repeats: true,
  echoes: [],
  list: "",
  bare: "banks",
};

export const VALIDATE_VPA_OPERATION: OperationSpec = {
  name: "validatevpa",
  address: "/gateway/pay/v4/api/validatevpa/",
  asJson: true,
  withToken: true,
  repeats: true,
  echoes: [],
  list: "",
  bare: "",
};

export const CAPTURE_OPERATION: OperationSpec = {
  name: "capture",
  address: "/gateway/pay/v4/api/capture/",
  asJson: false,
  withToken: true,
  repeats: false,
  echoes: [["ap_transactionid", true, false]],
  list: "",
  bare: "",
};

export const VOID_OPERATION: OperationSpec = {
  name: "void",
  address: "/gateway/pay/v4/api/void/",
  asJson: false,
  withToken: true,
  repeats: false,
  echoes: [["ap_transactionid", true, false]],
  list: "",
  bare: "",
};

export const GENERATE_QR_OPERATION: OperationSpec = {
  name: "generateorder",
  address: "/gateway/pay/v4/api/generateorder/",
  asJson: true,
  withToken: true,
  repeats: true,
  echoes: [["orderid", false, false]],
  list: "",
  bare: "",
};

export const BEGIN_PAYMENT_OPERATION: OperationSpec = {
  name: "seamless",
  address: "/gateway/pay/v4/api/seamless/",
  asJson: true,
  withToken: true,
  repeats: false,
  echoes: [["orderid", false, false]],
  list: "",
  bare: "",
};

export const REFUND_OPERATION: OperationSpec = {
  name: "refund",
  address: "/gateway/pay/v4/api/refund/",
  asJson: true,
  withToken: true,
  repeats: true,
  echoes: [],
  list: "",
  bare: "",
};

export const SUBSCRIPTION_OPERATION: OperationSpec = {
  name: "subscription/status",
  address: "/gateway/pay/v4/api/subscription/status/",
  asJson: false,
  withToken: true,
  repeats: true,
  echoes: [["ap_transactionid", true, false], ["orderid", false, false]],
  list: "",
  bare: "",
};

export const SUBSCRIPTIONS_OPERATION: OperationSpec = {
  name: "subscription/list",
  address: "/gateway/pay/v4/api/subscription/list/",
  asJson: false,
  withToken: true,
  repeats: true,
  echoes: [],
  list: "subscriptions",
  bare: "",
};

export const CHARGE_SUBSCRIPTION_OPERATION: OperationSpec = {
  name: "subscription/charge",
  address: "/gateway/pay/v4/api/subscription/charge/",
  asJson: false,
  withToken: true,
  repeats: false,
  echoes: [["ap_transactionid", true, false], ["orderid", false, false]],
  list: "",
  bare: "",
};

export const CHANGE_SUBSCRIPTION_OPERATION: OperationSpec = {
  name: "subscription/change",
  address: "/gateway/pay/v4/api/subscription/change/",
  asJson: false,
  withToken: true,
  repeats: true,
  echoes: [["ap_transactionid", true, false], ["orderid", false, false]],
  list: "",
  bare: "",
};

export const PAUSE_SUBSCRIPTION_OPERATION: OperationSpec = {
  name: "subscription/pause",
  address: "/gateway/pay/v4/api/subscription/pause/",
  asJson: false,
  withToken: true,
  repeats: false,
  echoes: [["ap_transactionid", true, false], ["orderid", false, false]],
  list: "",
  bare: "",
};

export const RESUME_SUBSCRIPTION_OPERATION: OperationSpec = {
  name: "subscription/resume",
  address: "/gateway/pay/v4/api/subscription/resume/",
  asJson: false,
  withToken: true,
  repeats: false,
  echoes: [["ap_transactionid", true, false], ["orderid", false, false]],
  list: "",
  bare: "",
};

export const CANCEL_SUBSCRIPTION_OPERATION: OperationSpec = {
  name: "subscription/cancel",
  address: "/gateway/pay/v4/api/subscription/cancel/",
  asJson: false,
  withToken: true,
  repeats: true,
  echoes: [["ap_transactionid", true, false], ["orderid", false, false]],
  list: "",
  bare: "",
};

export const SAVED_CARDS_OPERATION: OperationSpec = {
  name: "savedcards",
  address: "/gateway/pay/v4/api/savedcards/",
  asJson: false,
  withToken: true,
  repeats: true,
  echoes: [["UID", false, false]],
  list: "cards",
  bare: "",
};

export const DELETE_SAVED_CARD_OPERATION: OperationSpec = {
  name: "savedcards/delete",
  address: "/gateway/pay/v4/api/savedcards/delete/",
  asJson: false,
  withToken: true,
  repeats: false,
  echoes: [["token", false, true]],
  list: "",
  bare: "",
};

export const CREATE_LINK_OPERATION: OperationSpec = {
  name: "link/create",
  address: "/gateway/pay/v4/api/link/create/",
  asJson: false,
  withToken: true,
  repeats: true,
  echoes: [["link_reference", false, false]],
  list: "",
  bare: "",
};

export const LINK_OPERATION: OperationSpec = {
  name: "link/status",
  address: "/gateway/pay/v4/api/link/status/",
  asJson: false,
  withToken: true,
  repeats: true,
  echoes: [["link_id", true, false], ["link_reference", false, false]],
  list: "",
  bare: "",
};

export const LINKS_OPERATION: OperationSpec = {
  name: "link/list",
  address: "/gateway/pay/v4/api/link/list/",
  asJson: false,
  withToken: true,
  repeats: true,
  echoes: [],
  list: "links",
  bare: "",
};

export const CANCEL_LINK_OPERATION: OperationSpec = {
  name: "link/cancel",
  address: "/gateway/pay/v4/api/link/cancel/",
  asJson: false,
  withToken: true,
  repeats: true,
  echoes: [["link_id", true, false], ["link_reference", false, false]],
  list: "",
  bare: "",
};

export const SETTLEMENTS_OPERATION: OperationSpec = {
  name: "settlement/list",
  address: "/gateway/pay/v4/api/settlement/list/",
  asJson: false,
  withToken: true,
  repeats: true,
  echoes: [],
  list: "settlements",
  bare: "",
};

export const SETTLEMENT_OPERATION: OperationSpec = {
  name: "settlement/status",
  address: "/gateway/pay/v4/api/settlement/status/",
  asJson: false,
  withToken: true,
  repeats: true,
  echoes: [["settlement_id", true, false]],
  list: "",
  bare: "",
};

export const SETTLEMENT_ITEMS_OPERATION: OperationSpec = {
  name: "settlement/items",
  address: "/gateway/pay/v4/api/settlement/items/",
  asJson: false,
  withToken: true,
  repeats: true,
  echoes: [],
  list: "",
  bare: "",
};

export const PAYOUTS_OPERATION: OperationSpec = {
  name: "payout/list",
  address: "/gateway/pay/v4/api/payout/list/",
  asJson: false,
  withToken: true,
  repeats: true,
  echoes: [],
  list: "payouts",
  bare: "",
};

export const NEXT_SETTLEMENT_OPERATION: OperationSpec = {
  name: "settlement/next",
  address: "/gateway/pay/v4/api/settlement/next/",
  asJson: false,
  withToken: true,
  repeats: true,
  echoes: [],
  list: "",
  bare: "",
};

export const PRICE_LIST_OPERATION: OperationSpec = {
  name: "fees",
  address: "/gateway/pay/v4/api/fees/",
  asJson: false,
  withToken: true,
  repeats: true,
  echoes: [],
  list: "",
  bare: "",
};

export const BANK_ACCOUNTS_OPERATION: OperationSpec = {
  name: "bankaccount/list",
  address: "/gateway/pay/v4/api/bankaccount/list/",
  asJson: false,
  withToken: true,
  repeats: true,
  echoes: [],
  list: "accounts",
  bare: "",
};

export const SPLIT_OPERATION: OperationSpec = {
  name: "split",
  address: "/gateway/neft/split_payout/transaction_level_split_config_api.php",
  asJson: true,
  withToken: false,
  repeats: true,
  echoes: [["split_request_id", false, false], ["ap_transactionid", true, false]],
  list: "",
  bare: "",
};

export const DISPUTES_OPERATION: OperationSpec = {
  name: "dispute/list",
  address: "/gateway/pay/v4/api/dispute/list/",
  asJson: false,
  withToken: true,
  repeats: true,
  echoes: [],
  list: "disputes",
  bare: "",
};

export const DISPUTE_OPERATION: OperationSpec = {
  name: "dispute/status",
  address: "/gateway/pay/v4/api/dispute/status/",
  asJson: false,
  withToken: true,
  repeats: true,
  echoes: [["dispute_id", true, false]],
  list: "",
  bare: "",
};

export const ADD_EVIDENCE_OPERATION: OperationSpec = {
  name: "dispute/evidence",
  address: "/gateway/pay/v4/api/dispute/evidence/",
  asJson: true,
  withToken: true,
  repeats: true,
  echoes: [],
  list: "",
  bare: "",
};

export const CONTEST_DISPUTE_OPERATION: OperationSpec = {
  name: "dispute/contest",
  address: "/gateway/pay/v4/api/dispute/contest/",
  asJson: false,
  withToken: true,
  repeats: true,
  echoes: [["dispute_id", true, false]],
  list: "",
  bare: "",
};

export const ACCEPT_DISPUTE_OPERATION: OperationSpec = {
  name: "dispute/accept",
  address: "/gateway/pay/v4/api/dispute/accept/",
  asJson: false,
  withToken: true,
  repeats: true,
  echoes: [["dispute_id", true, false]],
  list: "",
  bare: "",
};

export const NOTIFICATIONS_OPERATION: OperationSpec = {
  name: "notification/list",
  address: "/gateway/pay/v4/api/notification/list/",
  asJson: false,
  withToken: true,
  repeats: true,
  echoes: [],
  list: "",
  bare: "",
};

/** What a merchant can ask of the gateway, each operation once. */
export abstract class Operations {
  protected abstract perform<Request, Reply>(
    operation: OperationSpec,
    write: (writer: Writer, asked: Request) => void,
    asked: Request,
    read: (reader: Reader) => Reply,
  ): Promise<Reply>;

  protected abstract performForTransaction<Request>(
    operation: OperationSpec,
    write: (writer: Writer, asked: Request) => void,
    asked: Request,
  ): Promise<Transaction>;

  /**
   * Get bank list. Which banks to list. channels: codes of `chmod`, such as `nb`; empty for all.
   * Safe to repeat. See docs/spec/payment-interfaces.md#banks.
   */
  banks(channels?: readonly string[]): Promise<readonly Bank[]> {
    return this.perform(
      BANKS_OPERATION,
      writeBanksRequest,
      { channels },
      readBanks,
    ).then((reply) => reply.banks);
  }

  /**
   * Validate UPI address. A UPI address to look up. Raises TooManyRequestsError: the gateway limits
   * these calls. See docs/spec/payment-interfaces.md#validatevpa.
   */
  validateVpa(address: string): Promise<UpiAddress> {
    return this.perform(
      VALIDATE_VPA_OPERATION,
      writeValidateVpaRequest,
      { address },
      readUpiAddress,
    );
  }

  /**
   * Capture an authorisation. An authorisation to capture; without an amount, all of it. See
   * docs/spec/payment-interfaces.md#capture.
   */
  capture(asked: CaptureRequest): Promise<Transaction> {
    return this.performForTransaction(CAPTURE_OPERATION, writeCaptureRequest, asked);
  }

  /**
   * Void an authorisation. An authorisation to void. See docs/spec/payment-interfaces.md#capture.
   */
  void(transactionId: string): Promise<Transaction> {
    return this.performForTransaction(VOID_OPERATION, writeVoidRequest, { transactionId });
  }

  /**
   * Generate UPI QR code. An order that is paid by one UPI QR. See docs/spec/payment-
   * interfaces.md#generateorder.
   */
  generateQr(asked: GenerateOrderRequest): Promise<QrData> {
    return this.perform(GENERATE_QR_OPERATION, writeGenerateOrderRequest, asked, readQrData);
  }

  /**
   * Begin a payment from the merchant's server. A payment that the merchant's server begins, by its
   * customer's chosen way. See docs/spec/payment-interfaces.md#seamless.
   */
  beginPayment(asked: SeamlessRequest): Promise<SeamlessData> {
    return this.perform(BEGIN_PAYMENT_OPERATION, writeSeamlessRequest, asked, readSeamlessData);
  }

  /**
   * Show a subscription. A subscription, by a name of the order that registered it; both names must
   * agree. Safe to repeat. See docs/spec/payment-interfaces.md#subscription-operations.
   */
  subscription(asked: SubscriptionName): Promise<Subscription> {
    return this.perform(SUBSCRIPTION_OPERATION, writeSubscriptionName, asked, readSubscription);
  }

  /**
   * List subscriptions. Subscriptions, newest first. Without their debits. Safe to repeat. See
   * docs/spec/payment-interfaces.md#subscription-operations.
   */
  subscriptions(asked: SubscriptionsBefore = {}): Promise<readonly Subscription[]> {
    return this.perform(
      SUBSCRIPTIONS_OPERATION,
      writeSubscriptionsBefore,
      asked,
      readSubscriptions,
    ).then((reply) => reply.subscriptions);
  }

  /**
   * Announce the next debit now. A subscription, by the order that registered it, whose next debit
   * is announced now. The debit is made a day later, after its customer was notified. Never
   * repeated here: after a TransportError ask `subscription`. Raises StateRefusedError (120) while
   * another debit is announced. See docs/spec/payment-interfaces.md#subscription-operations.
   */
  chargeSubscription(asked: SubscriptionCharge): Promise<Subscription> {
    return this.perform(
      CHARGE_SUBSCRIPTION_OPERATION,
      writeSubscriptionCharge,
      asked,
      readSubscription,
    );
  }

  /**
   * Change a subscription. New terms of a subscription, by its order, within what the customer
   * approved. Safe to repeat. See docs/spec/payment-interfaces.md#subscription-operations.
   */
  changeSubscription(asked: SubscriptionChange): Promise<Subscription> {
    return this.perform(
      CHANGE_SUBSCRIPTION_OPERATION,
      writeSubscriptionChange,
      asked,
      readSubscription,
    );
  }

  /**
   * Pause a subscription. A subscription, by a name of the order that registered it; both names
   * must agree. Nothing is debited meanwhile, or made up for later. Never repeated here: after a
   * TransportError ask `subscription`. Raises StateRefusedError (120) unless active. See
   * docs/spec/payment-interfaces.md#subscription-operations.
   */
  pauseSubscription(asked: SubscriptionName): Promise<Subscription> {
    return this.perform(
      PAUSE_SUBSCRIPTION_OPERATION,
      writeSubscriptionName,
      asked,
      readSubscription,
    );
  }

  /**
   * Resume a subscription. A subscription, by a name of the order that registered it; both names
   * must agree. Never repeated here; raises what `pause_subscription` raises. See
   * docs/spec/payment-interfaces.md#subscription-operations.
   */
  resumeSubscription(asked: SubscriptionName): Promise<Subscription> {
    return this.perform(
      RESUME_SUBSCRIPTION_OPERATION,
      writeSubscriptionName,
      asked,
      readSubscription,
    );
  }

  /**
   * Cancel a subscription. A subscription, by a name of the order that registered it; both names
   * must agree. It cannot be resumed. Safe to repeat. See docs/spec/payment-
   * interfaces.md#subscription-operations.
   */
  cancelSubscription(asked: SubscriptionName): Promise<Subscription> {
    return this.perform(
      CANCEL_SUBSCRIPTION_OPERATION,
      writeSubscriptionName,
      asked,
      readSubscription,
    );
  }

  /**
   * List a customer's saved cards. The customer whose saved cards to list, newest first. Safe to
   * repeat. See docs/spec/payment-interfaces.md#saved-cards.
   */
  savedCards(customerId: string): Promise<readonly SavedCard[]> {
    return this.perform(
      SAVED_CARDS_OPERATION,
      writeSavedCardsOf,
      { customerId },
      readSavedCards,
    ).then((reply) => reply.cards);
  }

  /**
   * Delete a saved card. The saved card to delete. It cannot be used to pay any more. Never
   * repeated here: after a TransportError ask `saved_cards`. Raises NotFoundError for a card you do
   * not have. See docs/spec/payment-interfaces.md#saved-cards.
   */
  deleteSavedCard(token: string): Promise<SavedCard> {
    return this.perform(DELETE_SAVED_CARD_OPERATION, writeSavedCardName, { token }, readSavedCard);
  }

  /**
   * Make a payment link. A new link, in paise. The same request under one reference makes one link.
   * Safe to repeat: the same reference makes one link. See docs/spec/payment-interfaces.md#payment-
   * links.
   */
  createLink(asked: NewPaymentLink): Promise<PaymentLink> {
    return this.perform(CREATE_LINK_OPERATION, writeNewPaymentLink, asked, readPaymentLink);
  }

  /**
   * Show a payment link. A payment link, by one of its names; both must agree. Safe to repeat. See
   * docs/spec/payment-interfaces.md#payment-links.
   */
  link(asked: LinkName): Promise<PaymentLink> {
    return this.perform(LINK_OPERATION, writeLinkName, asked, readPaymentLink);
  }

  /**
   * List payment links. Payment links, newest first. See docs/spec/payment-interfaces.md#payment-
   * links.
   */
  links(before?: string): Promise<readonly PaymentLink[]> {
    return this.perform(
      LINKS_OPERATION,
      writeLinksBefore,
      { before },
      readPaymentLinks,
    ).then((reply) => reply.links);
  }

  /**
   * Cancel a payment link. A payment link, by one of its names; both must agree. It cannot be
   * opened again. Safe to repeat. Raises StateRefusedError (120) for one that is paid. See
   * docs/spec/payment-interfaces.md#payment-links.
   */
  cancelLink(asked: LinkName): Promise<PaymentLink> {
    return this.perform(CANCEL_LINK_OPERATION, writeLinkName, asked, readPaymentLink);
  }

  /**
   * List settlements. Settlements, newest first. Without their shares. Safe to repeat. See
   * docs/spec/payment-interfaces.md#settlement-operations.
   */
  settlements(before?: string): Promise<readonly Settlement[]> {
    return this.perform(
      SETTLEMENTS_OPERATION,
      writeSettlementsBefore,
      { before },
      readSettlements,
    ).then((reply) => reply.settlements);
  }

  /**
   * Show a settlement. The id of a settlement. With the shares in which it was paid out. Safe to
   * repeat. Raises NotFoundError for one that is not yours. See docs/spec/payment-
   * interfaces.md#settlement-operations.
   */
  settlement(settlementId: string): Promise<Settlement> {
    return this.perform(
      SETTLEMENT_OPERATION,
      writeSettlementName,
      { settlementId },
      readSettlement,
    );
  }

  /**
   * List the items of a settlement. A settlement, whose items to list, oldest first. after: `next`
   * of the page before. Safe to repeat. Raises NotFoundError. See docs/spec/payment-
   * interfaces.md#settlement-operations.
   */
  settlementItems(asked: SettlementItemsAfter): Promise<SettlementItems> {
    return this.perform(
      SETTLEMENT_ITEMS_OPERATION,
      writeSettlementItemsAfter,
      asked,
      readSettlementItems,
    );
  }

  /**
   * List payouts. Payouts, newest first. before: the last payout_id that you have, for those that
   * are older. Safe to repeat. See docs/spec/payment-interfaces.md#settlement-operations.
   */
  payouts(asked: PayoutsBefore = {}): Promise<readonly Payout[]> {
    return this.perform(
      PAYOUTS_OPERATION,
      writePayoutsBefore,
      asked,
      readPayouts,
    ).then((reply) => reply.payouts);
  }

  /**
   * Show the next settlement. No fields: the terms are the sender's own. Payments of the last
   * minutes may be missing. Safe to repeat. See docs/spec/payment-interfaces.md#terms-operations.
   */
  nextSettlement(): Promise<NextSettlement> {
    return this.perform(NEXT_SETTLEMENT_OPERATION, writeOwnTerms, {}, readNextSettlement);
  }

  /**
   * List the prices in force. No fields: the terms are the sender's own. Safe to repeat. See
   * docs/spec/payment-interfaces.md#terms-operations.
   */
  priceList(): Promise<PriceList> {
    return this.perform(PRICE_LIST_OPERATION, writeOwnTerms, {}, readPriceList);
  }

  /**
   * List the accounts that are paid out to. No fields: the terms are the sender's own. Safe to
   * repeat. Only an operator changes them. See docs/spec/payment-interfaces.md#terms-operations.
   */
  bankAccounts(): Promise<readonly BankAccount[]> {
    return this.perform(
      BANK_ACCOUNTS_OPERATION,
      writeOwnTerms,
      {},
      readBankAccounts,
    ).then((reply) => reply.accounts);
  }

  /**
   * Configure split settlement. How a transaction is shared. See docs/spec/payment-
   * interfaces.md#split.
   */
  split(asked: SplitRequest): Promise<SplitData> {
    return this.perform(SPLIT_OPERATION, writeSplitRequest, asked, readSplitData);
  }

  /**
   * List disputes. Disputes, newest first. Without their phases and documents. Safe to repeat. See
   * docs/spec/payment-interfaces.md#dispute-operations.
   */
  disputes(asked: DisputesBefore = {}): Promise<readonly Dispute[]> {
    return this.perform(
      DISPUTES_OPERATION,
      writeDisputesBefore,
      asked,
      readDisputes,
    ).then((reply) => reply.disputes);
  }

  /**
   * Show a dispute. The id of a dispute. Safe to repeat. Raises NotFoundError for one that is not
   * yours. See docs/spec/payment-interfaces.md#dispute-operations.
   */
  dispute(disputeId: string): Promise<Dispute> {
    return this.perform(DISPUTE_OPERATION, writeDisputeName, { disputeId }, readDispute);
  }

  /**
   * Add a document to the answer to a dispute. A document for the answer to a dispute. The same
   * document is kept once, so it is safe to repeat. Raises RefusedError (124) once it is answered
   * or over. See docs/spec/payment-interfaces.md#dispute-operations.
   */
  addEvidence(asked: NewEvidence): Promise<Evidence> {
    return this.perform(ADD_EVIDENCE_OPERATION, writeNewEvidence, asked, readEvidence);
  }

  /**
   * Contest a dispute. The answer that contests a dispute: it needs a note or a document. The bank
   * decides. Safe to repeat: the same answer again changes nothing. Raises RefusedError (124) after
   * another answer, or after the deadline; (125) where the acquirer takes this answer in its own
   * dashboard alone. See docs/spec/payment-interfaces.md#dispute-operations.
   */
  contestDispute(asked: DisputeContest): Promise<Dispute> {
    return this.perform(CONTEST_DISPUTE_OPERATION, writeDisputeContest, asked, readDispute);
  }

  /**
   * Accept a dispute, wholly or in part. The answer that accepts a dispute, or only a part of it.
   * Repeats and raises as `contest_dispute` does. See docs/spec/payment-interfaces.md#dispute-
   * operations.
   */
  acceptDispute(asked: DisputeAcceptance): Promise<Dispute> {
    return this.perform(ACCEPT_DISPUTE_OPERATION, writeDisputeAcceptance, asked, readDispute);
  }

  /**
   * List notifications. Notifications, in the order of their events. Each as it is sent. Safe to
   * repeat. See docs/spec/payment-interfaces.md#notification-operations.
   */
  notifications(after?: string): Promise<AnnouncedPage> {
    return this.perform(
      NOTIFICATIONS_OPERATION,
      writeNotificationsAfter,
      { after },
      readAnnouncedPage,
    );
  }
}
