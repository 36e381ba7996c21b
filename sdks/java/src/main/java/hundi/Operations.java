package hundi;

import hundi.HundiException.Kind;
import hundi.HundiException.Retry;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * What a merchant can ask of the gateway, each operation once.
 *
 * <p>Written from the table of operations by `make sdks-written`: change the table, not this file.
 */
public abstract class Operations {
  /** What the reply repeats of the request; of a number leading zeros count for nothing. */
  record Echo(String name, boolean isNumber, boolean isSecret) {}

  /**
   * One operation. list: the name of the list that its reply holds. bare: the name for one that has
   * none.
   */
  record Spec(
      String name,
      String address,
      boolean asJson,
      boolean withToken,
      boolean repeats,
      List<Echo> echoes,
      String list,
      String bare) {}

  /** What a code says. */
  record Declared(Kind kind, Retry retry) {}

  abstract <Reply> Reply perform(
      Spec operation, Consumer<Writer> write, Function<Reader, Reply> read);

  abstract Messages.Transaction performForTransaction(Spec operation, Consumer<Writer> write);

  static final String PAYMENT_PAGE = "/gateway/pay/v4/";

  static final Map<String, String> CURRENCIES =
      Map.ofEntries(
          Map.entry("INR", "356"),
          Map.entry("AED", "784"),
          Map.entry("AUD", "036"),
          Map.entry("CAD", "124"),
          Map.entry("EUR", "978"),
          Map.entry("GBP", "826"),
          Map.entry("SGD", "702"),
          Map.entry("USD", "840"));

  static final Map<String, String> FORM_NAMES =
      Map.ofEntries(
          Map.entry("MERCID", "merchant_id"),
          Map.entry("TRANSACTIONID", "orderid"),
          Map.entry("APTRANSACTIONID", "ap_transactionid"),
          Map.entry("AMOUNT", "amount"),
          Map.entry("TRANSACTIONSTATUS", "transaction_status"),
          Map.entry("TRANSACTIONPAYMENTSTATUS", "transaction_payment_status"),
          Map.entry("MESSAGE", "message"),
          Map.entry("CUSTOMVAR", "customvar"),
          Map.entry("CHMOD", "chmod"),
          Map.entry("CURRENCYCODE", "currency_code"),
          Map.entry("CUSTOMER", "customer_name"),
          Map.entry("CUSTOMERPHONE", "customer_phone"),
          Map.entry("CUSTOMEREMAIL", "customer_email"),
          Map.entry("CUSTOMERVPA", "customer_vpa"),
          Map.entry("RRN", "rrn"),
          Map.entry("RISK", "risk"),
          Map.entry("TRANSACTIONTIME", "transaction_time"),
          Map.entry("TRANSACTIONTYPE", "transaction_type"),
          Map.entry("BANKNAME", "bank_name"),
          Map.entry("CARD_NUMBER", "card_number"),
          Map.entry("CARDTYPE", "card_type"),
          Map.entry("SURCHARGE", "surcharge_amount"),
          Map.entry("CARDCOUNTRY", "card_country"),
          Map.entry("REASON", "bank_response_msg"));

  static final Map<String, Declared> CODES =
      Map.ofEntries(
          Map.entry("101", new Declared(Kind.REQUEST_REFUSED, Retry.AFTER_FIX)),
          Map.entry("102", new Declared(Kind.REQUEST_REFUSED, Retry.AFTER_FIX)),
          Map.entry("103", new Declared(Kind.REQUEST_REFUSED, Retry.AFTER_FIX)),
          Map.entry("104", new Declared(Kind.TOKEN_REFUSED, Retry.AFTER_FIX)),
          Map.entry("105", new Declared(Kind.TOKEN_REFUSED, Retry.AFTER_FIX)),
          Map.entry("106", new Declared(Kind.TOKEN_REFUSED, Retry.AFTER_FIX)),
          Map.entry("108", new Declared(Kind.CREDENTIALS_REFUSED, Retry.AFTER_FIX)),
          Map.entry("110", new Declared(Kind.REQUEST_REFUSED, Retry.AFTER_FIX)),
          Map.entry("111", new Declared(Kind.ORDER_REFUSED, Retry.AFTER_FIX)),
          Map.entry("112", new Declared(Kind.ORDER_REFUSED, Retry.NEVER)),
          Map.entry("113", new Declared(Kind.NOT_ENABLED, Retry.AFTER_FIX)),
          Map.entry("120", new Declared(Kind.STATE_REFUSED, Retry.NEVER)),
          Map.entry("121", new Declared(Kind.STATE_REFUSED, Retry.AFTER_FIX)),
          Map.entry("122", new Declared(Kind.ORDER_REFUSED, Retry.AFTER_FIX)),
          Map.entry("123", new Declared(Kind.REFUSED, Retry.LATER)),
          Map.entry("124", new Declared(Kind.REFUSED, Retry.NEVER)),
          Map.entry("125", new Declared(Kind.REFUSED, Retry.NEVER)),
          Map.entry("130", new Declared(Kind.NOT_ENABLED, Retry.NEVER)),
          Map.entry("131", new Declared(Kind.NOT_ENABLED, Retry.LATER)),
          Map.entry("413", new Declared(Kind.REQUEST_REFUSED, Retry.AFTER_FIX)),
          Map.entry("429", new Declared(Kind.TOO_MANY_REQUESTS, Retry.LATER)),
          Map.entry("501", new Declared(Kind.CREDENTIALS_REFUSED, Retry.AFTER_FIX)),
          Map.entry("503", new Declared(Kind.NOT_FOUND, Retry.NEVER)),
          Map.entry("903", new Declared(Kind.CREDENTIALS_REFUSED, Retry.AFTER_FIX)),
          Map.entry("U04", new Declared(Kind.NOT_ENABLED, Retry.AFTER_FIX)),
          Map.entry("114", new Declared(Kind.REFUSED, Retry.AFTER_FIX)),
          Map.entry("132", new Declared(Kind.REFUSED, Retry.LATER)),
          Map.entry("140", new Declared(Kind.REFUSED, Retry.AFTER_FIX)),
          Map.entry("141", new Declared(Kind.REFUSED, Retry.NEVER)),
          Map.entry("142", new Declared(Kind.REFUSED, Retry.AFTER_FIX)),
          Map.entry("143", new Declared(Kind.REFUSED, Retry.AFTER_FIX)),
          Map.entry("145", new Declared(Kind.REFUSED, Retry.NEVER)),
          Map.entry("144", new Declared(Kind.REFUSED, Retry.AFTER_FIX)),
          Map.entry("146", new Declared(Kind.REFUSED, Retry.NEVER)),
          Map.entry("904", new Declared(Kind.REFUSED, Retry.AFTER_FIX)),
          Map.entry("991", new Declared(Kind.REFUSED, Retry.LATER)),
          Map.entry("992", new Declared(Kind.REFUSED, Retry.LATER)),
          Map.entry("999", new Declared(Kind.GATEWAY_FAULT, Retry.LATER)));

  static final Spec ACCESS_TOKEN =
      new Spec(
          "token",
          "/gateway/pay/v4/api/oauth2/",
          false, false, true,
          List.of(),
          "",
          "");

  static final Spec VERIFY =
      new Spec(
          "verify",
          "/gateway/pay/v4/api/verify/",
          false, true, true,
          List.of(),
          "",
          "");

  static final Spec BANKS =
      new Spec(
          "banks",
          "/gateway/pay/v4/api/banks/",
          false, true, true,
          List.of(),
          "",
          "banks");

  static final Spec VALIDATE_VPA =
      new Spec(
          "validatevpa",
          "/gateway/pay/v4/api/validatevpa/",
          true, true, true,
          List.of(),
          "",
          "");

  static final Spec CAPTURE =
      new Spec(
          "capture",
          "/gateway/pay/v4/api/capture/",
          false, true, false,
          List.of(new Echo("ap_transactionid", true, false)),
          "",
          "");

  static final Spec VOID =
      new Spec(
          "void",
          "/gateway/pay/v4/api/void/",
          false, true, false,
          List.of(new Echo("ap_transactionid", true, false)),
          "",
          "");

  static final Spec GENERATE_QR =
      new Spec(
          "generateorder",
          "/gateway/pay/v4/api/generateorder/",
          true, true, true,
          List.of(new Echo("orderid", false, false)),
          "",
          "");

  static final Spec BEGIN_PAYMENT =
      new Spec(
          "seamless",
          "/gateway/pay/v4/api/seamless/",
          true, true, false,
          List.of(new Echo("orderid", false, false)),
          "",
          "");

  static final Spec REFUND =
      new Spec(
          "refund",
          "/gateway/pay/v4/api/refund/",
          true, true, true,
          List.of(),
          "",
          "");

  static final Spec SUBSCRIPTION =
      new Spec(
          "subscription/status",
          "/gateway/pay/v4/api/subscription/status/",
          false, true, true,
          List.of(new Echo("ap_transactionid", true, false), new Echo("orderid", false, false)),
          "",
          "");

  static final Spec SUBSCRIPTIONS =
      new Spec(
          "subscription/list",
          "/gateway/pay/v4/api/subscription/list/",
          false, true, true,
          List.of(),
          "subscriptions",
          "");

  static final Spec CHARGE_SUBSCRIPTION =
      new Spec(
          "subscription/charge",
          "/gateway/pay/v4/api/subscription/charge/",
          false, true, false,
          List.of(new Echo("ap_transactionid", true, false), new Echo("orderid", false, false)),
          "",
          "");

  static final Spec CHANGE_SUBSCRIPTION =
      new Spec(
          "subscription/change",
          "/gateway/pay/v4/api/subscription/change/",
          false, true, true,
          List.of(new Echo("ap_transactionid", true, false), new Echo("orderid", false, false)),
          "",
          "");

  static final Spec PAUSE_SUBSCRIPTION =
      new Spec(
          "subscription/pause",
          "/gateway/pay/v4/api/subscription/pause/",
          false, true, false,
          List.of(new Echo("ap_transactionid", true, false), new Echo("orderid", false, false)),
          "",
          "");

  static final Spec RESUME_SUBSCRIPTION =
      new Spec(
          "subscription/resume",
          "/gateway/pay/v4/api/subscription/resume/",
          false, true, false,
          List.of(new Echo("ap_transactionid", true, false), new Echo("orderid", false, false)),
          "",
          "");

  static final Spec CANCEL_SUBSCRIPTION =
      new Spec(
          "subscription/cancel",
          "/gateway/pay/v4/api/subscription/cancel/",
          false, true, true,
          List.of(new Echo("ap_transactionid", true, false), new Echo("orderid", false, false)),
          "",
          "");

  static final Spec SAVED_CARDS =
      new Spec(
          "savedcards",
          "/gateway/pay/v4/api/savedcards/",
          false, true, true,
          List.of(new Echo("UID", false, false)),
          "cards",
          "");

  static final Spec DELETE_SAVED_CARD =
      new Spec(
          "savedcards/delete",
          "/gateway/pay/v4/api/savedcards/delete/",
          false, true, false,
          List.of(new Echo("token", false, true)),
          "",
          "");

  static final Spec CREATE_LINK =
      new Spec(
          "link/create",
          "/gateway/pay/v4/api/link/create/",
          false, true, true,
          List.of(new Echo("link_reference", false, false)),
          "",
          "");

  static final Spec LINK =
      new Spec(
          "link/status",
          "/gateway/pay/v4/api/link/status/",
          false, true, true,
          List.of(new Echo("link_id", true, false), new Echo("link_reference", false, false)),
          "",
          "");

  static final Spec LINKS =
      new Spec(
          "link/list",
          "/gateway/pay/v4/api/link/list/",
          false, true, true,
          List.of(),
          "links",
          "");

  static final Spec CANCEL_LINK =
      new Spec(
          "link/cancel",
          "/gateway/pay/v4/api/link/cancel/",
          false, true, true,
          List.of(new Echo("link_id", true, false), new Echo("link_reference", false, false)),
          "",
          "");

  static final Spec SETTLEMENTS =
      new Spec(
          "settlement/list",
          "/gateway/pay/v4/api/settlement/list/",
          false, true, true,
          List.of(),
          "settlements",
          "");

  static final Spec SETTLEMENT =
      new Spec(
          "settlement/status",
          "/gateway/pay/v4/api/settlement/status/",
          false, true, true,
          List.of(new Echo("settlement_id", true, false)),
          "",
          "");

  static final Spec SETTLEMENT_ITEMS =
      new Spec(
          "settlement/items",
          "/gateway/pay/v4/api/settlement/items/",
          false, true, true,
          List.of(),
          "",
          "");

  static final Spec PAYOUTS =
      new Spec(
          "payout/list",
          "/gateway/pay/v4/api/payout/list/",
          false, true, true,
          List.of(),
          "payouts",
          "");

  static final Spec NEXT_SETTLEMENT =
      new Spec(
          "settlement/next",
          "/gateway/pay/v4/api/settlement/next/",
          false, true, true,
          List.of(),
          "",
          "");

  static final Spec PRICE_LIST =
      new Spec(
          "fees",
          "/gateway/pay/v4/api/fees/",
          false, true, true,
          List.of(),
          "",
          "");

  static final Spec BANK_ACCOUNTS =
      new Spec(
          "bankaccount/list",
          "/gateway/pay/v4/api/bankaccount/list/",
          false, true, true,
          List.of(),
          "accounts",
          "");

  static final Spec SPLIT =
      new Spec(
          "split",
          "/gateway/neft/split_payout/transaction_level_split_config_api.php",
          true, false, true,
          List.of(new Echo("split_request_id", false, false), new Echo("ap_transactionid", true, false)),
          "",
          "");

  static final Spec DISPUTES =
      new Spec(
          "dispute/list",
          "/gateway/pay/v4/api/dispute/list/",
          false, true, true,
          List.of(),
          "disputes",
          "");

  static final Spec DISPUTE =
      new Spec(
          "dispute/status",
          "/gateway/pay/v4/api/dispute/status/",
          false, true, true,
          List.of(new Echo("dispute_id", true, false)),
          "",
          "");

  static final Spec ADD_EVIDENCE =
      new Spec(
          "dispute/evidence",
          "/gateway/pay/v4/api/dispute/evidence/",
          true, true, true,
          List.of(),
          "",
          "");

  static final Spec CONTEST_DISPUTE =
      new Spec(
          "dispute/contest",
          "/gateway/pay/v4/api/dispute/contest/",
          false, true, true,
          List.of(new Echo("dispute_id", true, false)),
          "",
          "");

  static final Spec ACCEPT_DISPUTE =
      new Spec(
          "dispute/accept",
          "/gateway/pay/v4/api/dispute/accept/",
          false, true, true,
          List.of(new Echo("dispute_id", true, false)),
          "",
          "");

  static final Spec NOTIFICATIONS =
      new Spec(
          "notification/list",
          "/gateway/pay/v4/api/notification/list/",
          false, true, true,
          List.of(),
          "",
          "");

  /**
   * Get bank list. Which banks to list. channels: codes of `chmod`, such as `nb`; empty for all.
   * Safe to repeat. See docs/spec/payment-interfaces.md#banks.
   */
  public List<Messages.Bank> banks(Messages.BanksRequest asked) {
    return perform(BANKS, asked::write, Messages.Banks::read).banks();
  }

  /**
   * Validate UPI address. A UPI address to look up. Raises TooManyRequestsError: the gateway limits
   * these calls. See docs/spec/payment-interfaces.md#validatevpa.
   */
  public Messages.UpiAddress validateVpa(String address) {
    return perform(VALIDATE_VPA, new Messages.ValidateVpaRequest(address)::write, Messages.UpiAddress::read);
  }

  /**
   * Capture an authorisation. An authorisation to capture; without an amount, all of it. See
   * docs/spec/payment-interfaces.md#capture.
   */
  public Messages.Transaction capture(Messages.CaptureRequest asked) {
    return performForTransaction(CAPTURE, asked::write);
  }

  /**
   * Void an authorisation. An authorisation to void. See docs/spec/payment-interfaces.md#capture.
   */
  public Messages.Transaction voidPayment(String transactionId) {
    return performForTransaction(VOID, new Messages.VoidRequest(transactionId)::write);
  }

  /**
   * Generate UPI QR code. An order that is paid by one UPI QR. See docs/spec/payment-
   * interfaces.md#generateorder.
   */
  public Messages.QrData generateQr(Messages.GenerateOrderRequest asked) {
    return perform(GENERATE_QR, asked::write, Messages.QrData::read);
  }

  /**
   * Begin a payment from the merchant's server. A payment that the merchant's server begins, by its
   * customer's chosen way. See docs/spec/payment-interfaces.md#seamless.
   */
  public Messages.SeamlessData beginPayment(Messages.SeamlessRequest asked) {
    return perform(BEGIN_PAYMENT, asked::write, Messages.SeamlessData::read);
  }

  /**
   * Show a subscription. A subscription, by a name of the order that registered it; both names must
   * agree. Safe to repeat. See docs/spec/payment-interfaces.md#subscription-operations.
   */
  public Messages.Subscription subscription(Messages.SubscriptionName asked) {
    return perform(SUBSCRIPTION, asked::write, Messages.Subscription::read);
  }

  /**
   * List subscriptions. Subscriptions, newest first. Without their debits. Safe to repeat. See
   * docs/spec/payment-interfaces.md#subscription-operations.
   */
  public List<Messages.Subscription> subscriptions(Messages.SubscriptionsBefore asked) {
    return perform(SUBSCRIPTIONS, asked::write, Messages.Subscriptions::read).subscriptions();
  }

  /**
   * Announce the next debit now. A subscription, by the order that registered it, whose next debit
   * is announced now. The debit is made a day later, after its customer was notified. Never
   * repeated here: after a TransportError ask `subscription`. Raises StateRefusedError (120) while
   * another debit is announced. See docs/spec/payment-interfaces.md#subscription-operations.
   */
  public Messages.Subscription chargeSubscription(Messages.SubscriptionCharge asked) {
    return perform(CHARGE_SUBSCRIPTION, asked::write, Messages.Subscription::read);
  }

  /**
   * Change a subscription. New terms of a subscription, by its order, within what the customer
   * approved. Safe to repeat. See docs/spec/payment-interfaces.md#subscription-operations.
   */
  public Messages.Subscription changeSubscription(Messages.SubscriptionChange asked) {
    return perform(CHANGE_SUBSCRIPTION, asked::write, Messages.Subscription::read);
  }

  /**
   * Pause a subscription. A subscription, by a name of the order that registered it; both names
   * must agree. Nothing is debited meanwhile, or made up for later. Never repeated here: after a
   * TransportError ask `subscription`. Raises StateRefusedError (120) unless active. See
   * docs/spec/payment-interfaces.md#subscription-operations.
   */
  public Messages.Subscription pauseSubscription(Messages.SubscriptionName asked) {
    return perform(PAUSE_SUBSCRIPTION, asked::write, Messages.Subscription::read);
  }

  /**
   * Resume a subscription. A subscription, by a name of the order that registered it; both names
   * must agree. Never repeated here; raises what `pause_subscription` raises. See
   * docs/spec/payment-interfaces.md#subscription-operations.
   */
  public Messages.Subscription resumeSubscription(Messages.SubscriptionName asked) {
    return perform(RESUME_SUBSCRIPTION, asked::write, Messages.Subscription::read);
  }

  /**
   * Cancel a subscription. A subscription, by a name of the order that registered it; both names
   * must agree. It cannot be resumed. Safe to repeat. See docs/spec/payment-
   * interfaces.md#subscription-operations.
   */
  public Messages.Subscription cancelSubscription(Messages.SubscriptionName asked) {
    return perform(CANCEL_SUBSCRIPTION, asked::write, Messages.Subscription::read);
  }

  /**
   * List a customer's saved cards. The customer whose saved cards to list, newest first. Safe to
   * repeat. See docs/spec/payment-interfaces.md#saved-cards.
   */
  public List<Messages.SavedCard> savedCards(String customerId) {
    return perform(SAVED_CARDS, new Messages.SavedCardsOf(customerId)::write, Messages.SavedCards::read).cards();
  }

  /**
   * Delete a saved card. The saved card to delete. It cannot be used to pay any more. Never
   * repeated here: after a TransportError ask `saved_cards`. Raises NotFoundError for a card you do
   * not have. See docs/spec/payment-interfaces.md#saved-cards.
   */
  public Messages.SavedCard deleteSavedCard(String token) {
    return perform(DELETE_SAVED_CARD, new Messages.SavedCardName(token)::write, Messages.SavedCard::read);
  }

  /**
   * Make a payment link. A new link, in paise. The same request under one reference makes one link.
   * Safe to repeat: the same reference makes one link. See docs/spec/payment-interfaces.md#payment-
   * links.
   */
  public Messages.PaymentLink createLink(Messages.NewPaymentLink asked) {
    return perform(CREATE_LINK, asked::write, Messages.PaymentLink::read);
  }

  /**
   * Show a payment link. A payment link, by one of its names; both must agree. Safe to repeat. See
   * docs/spec/payment-interfaces.md#payment-links.
   */
  public Messages.PaymentLink link(Messages.LinkName asked) {
    return perform(LINK, asked::write, Messages.PaymentLink::read);
  }

  /**
   * List payment links. Payment links, newest first. See docs/spec/payment-interfaces.md#payment-
   * links.
   */
  public List<Messages.PaymentLink> links(Messages.LinksBefore asked) {
    return perform(LINKS, asked::write, Messages.PaymentLinks::read).links();
  }

  /**
   * Cancel a payment link. A payment link, by one of its names; both must agree. It cannot be
   * opened again. Safe to repeat. Raises StateRefusedError (120) for one that is paid. See
   * docs/spec/payment-interfaces.md#payment-links.
   */
  public Messages.PaymentLink cancelLink(Messages.LinkName asked) {
    return perform(CANCEL_LINK, asked::write, Messages.PaymentLink::read);
  }

  /**
   * List settlements. Settlements, newest first. Without their shares. Safe to repeat. See
   * docs/spec/payment-interfaces.md#settlement-operations.
   */
  public List<Messages.Settlement> settlements(Messages.SettlementsBefore asked) {
    return perform(SETTLEMENTS, asked::write, Messages.Settlements::read).settlements();
  }

  /**
   * Show a settlement. The id of a settlement. With the shares in which it was paid out. Safe to
   * repeat. Raises NotFoundError for one that is not yours. See docs/spec/payment-
   * interfaces.md#settlement-operations.
   */
  public Messages.Settlement settlement(String settlementId) {
    return perform(SETTLEMENT, new Messages.SettlementName(settlementId)::write, Messages.Settlement::read);
  }

  /**
   * List the items of a settlement. A settlement, whose items to list, oldest first. after: `next`
   * of the page before. Safe to repeat. Raises NotFoundError. See docs/spec/payment-
   * interfaces.md#settlement-operations.
   */
  public Messages.SettlementItems settlementItems(Messages.SettlementItemsAfter asked) {
    return perform(SETTLEMENT_ITEMS, asked::write, Messages.SettlementItems::read);
  }

  /**
   * List payouts. Payouts, newest first. before: the last payout_id that you have, for those that
   * are older. Safe to repeat. See docs/spec/payment-interfaces.md#settlement-operations.
   */
  public List<Messages.Payout> payouts(Messages.PayoutsBefore asked) {
    return perform(PAYOUTS, asked::write, Messages.Payouts::read).payouts();
  }

  /**
   * Show the next settlement. No fields: the terms are the sender's own. Payments of the last
   * minutes may be missing. Safe to repeat. See docs/spec/payment-interfaces.md#terms-operations.
   */
  public Messages.NextSettlement nextSettlement() {
    return perform(NEXT_SETTLEMENT, new Messages.OwnTerms()::write, Messages.NextSettlement::read);
  }

  /**
   * List the prices in force. No fields: the terms are the sender's own. Safe to repeat. See
   * docs/spec/payment-interfaces.md#terms-operations.
   */
  public Messages.PriceList priceList() {
    return perform(PRICE_LIST, new Messages.OwnTerms()::write, Messages.PriceList::read);
  }

  /**
   * List the accounts that are paid out to. No fields: the terms are the sender's own. Safe to
   * repeat. Only an operator changes them. See docs/spec/payment-interfaces.md#terms-operations.
   */
  public List<Messages.BankAccount> bankAccounts() {
    return perform(BANK_ACCOUNTS, new Messages.OwnTerms()::write, Messages.BankAccounts::read).accounts();
  }

  /**
   * Configure split settlement. How a transaction is shared. See docs/spec/payment-
   * interfaces.md#split.
   */
  public Messages.SplitData split(Messages.SplitRequest asked) {
    return perform(SPLIT, asked::write, Messages.SplitData::read);
  }

  /**
   * List disputes. Disputes, newest first. Without their phases and documents. Safe to repeat. See
   * docs/spec/payment-interfaces.md#dispute-operations.
   */
  public List<Messages.Dispute> disputes(Messages.DisputesBefore asked) {
    return perform(DISPUTES, asked::write, Messages.Disputes::read).disputes();
  }

  /**
   * Show a dispute. The id of a dispute. Safe to repeat. Raises NotFoundError for one that is not
   * yours. See docs/spec/payment-interfaces.md#dispute-operations.
   */
  public Messages.Dispute dispute(String disputeId) {
    return perform(DISPUTE, new Messages.DisputeName(disputeId)::write, Messages.Dispute::read);
  }

  /**
   * Add a document to the answer to a dispute. A document for the answer to a dispute. The same
   * document is kept once, so it is safe to repeat. Raises RefusedError (124) once it is answered
   * or over. See docs/spec/payment-interfaces.md#dispute-operations.
   */
  public Messages.Evidence addEvidence(Messages.NewEvidence asked) {
    return perform(ADD_EVIDENCE, asked::write, Messages.Evidence::read);
  }

  /**
   * Contest a dispute. The answer that contests a dispute: it needs a note or a document. The bank
   * decides. Safe to repeat: the same answer again changes nothing. Raises RefusedError (124) after
   * another answer, or after the deadline; (125) where the acquirer takes this answer in its own
   * dashboard alone. See docs/spec/payment-interfaces.md#dispute-operations.
   */
  public Messages.Dispute contestDispute(Messages.DisputeContest asked) {
    return perform(CONTEST_DISPUTE, asked::write, Messages.Dispute::read);
  }

  /**
   * Accept a dispute, wholly or in part. The answer that accepts a dispute, or only a part of it.
   * Repeats and raises as `contest_dispute` does. See docs/spec/payment-interfaces.md#dispute-
   * operations.
   */
  public Messages.Dispute acceptDispute(Messages.DisputeAcceptance asked) {
    return perform(ACCEPT_DISPUTE, asked::write, Messages.Dispute::read);
  }

  /**
   * List notifications. Notifications, in the order of their events. Each as it is sent. Safe to
   * repeat. See docs/spec/payment-interfaces.md#notification-operations.
   */
  public Messages.AnnouncedPage notifications(Messages.NotificationsAfter asked) {
    return perform(NOTIFICATIONS, asked::write, Messages.AnnouncedPage::read);
  }
}
