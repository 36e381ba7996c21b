package hundi;

import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The messages of the gateway.
 *
 * <p>Written from the table of operations by `make sdks-written`: change the table, not this file.
 */
public final class Messages {
  private Messages() {}

  /** A merchant's request for an access token. */
  public static final class TokenRequest {
    private final String clientId;
    private final String clientSecret;
    private final String merchantId;
    private String scope = "";

    public TokenRequest(String clientId, String clientSecret, String merchantId) {
      this.clientId = clientId;
      this.clientSecret = clientSecret;
      this.merchantId = merchantId;
    }

    /** OAuth client id */
    public String clientId() {
      return clientId;
    }

    /** OAuth client secret */
    public String clientSecret() {
      return clientSecret;
    }

    /** The outer merchant_id */
    public String merchantId() {
      return merchantId;
    }

    /** The token's purpose; empty: see the documentation */
    public TokenRequest scope(String value) {
      scope = value;
      return this;
    }

    void write(Writer w) {
      w.text("client_id", clientId, Writer.Rule.REQUIRED, 20);
      w.text("client_secret", clientSecret, Writer.Rule.SECRET, 200);
      w.matching("merchant_id", merchantId, Writer.Rule.REQUIRED, Pattern.compile("^[0-9]{1,20}$"), List.of(), "1 to 20 digits");
      w.constant("grant_type", "client_credentials");
      w.oneOf("scope", scope, Writer.Rule.OPTIONAL, List.of("", "page", "operations"));
    }
  }

  /** A transaction, by at least one of its references; all given ones must agree. */
  public static final class VerifyRequest {
    private String orderId = "";
    private String transactionId = "";
    private String rrn = "";
    private String refundId = "";

    public VerifyRequest() {
    }

    /** The merchant's own order id, unique for each merchant */
    public VerifyRequest orderId(String value) {
      orderId = value;
      return this;
    }

    /** The gateway's transaction id */
    public VerifyRequest transactionId(String value) {
      transactionId = value;
      return this;
    }

    /** The bank's retrieval reference number */
    public VerifyRequest rrn(String value) {
      rrn = value;
      return this;
    }

    /** A refund's id, as its notification has it */
    public VerifyRequest refundId(String value) {
      refundId = value;
      return this;
    }

    void write(Writer w) {
      w.matching("orderid", orderId, Writer.Rule.OPTIONAL, Pattern.compile("^[A-Za-z0-9_.-]{1,64}$"), List.of(), "1 to 64 characters of A-Z a-z 0-9 - _ .");
      w.matching("ap_transactionid", transactionId, Writer.Rule.OPTIONAL, Pattern.compile("^[0-9]{1,20}$"), List.of(), "1 to 20 digits");
      w.text("rrn", rrn, Writer.Rule.OPTIONAL, 35);
      w.matching("refund_id", refundId, Writer.Rule.OPTIONAL, Pattern.compile("^[0-9]{1,20}$"), List.of(), "1 to 20 digits");
      w.atLeastOne("orderid", "ap_transactionid", "rrn", "refund_id");
    }
  }

  /** Which banks to list. channels: codes of `chmod`, such as `nb`; empty for all. */
  public static final class BanksRequest {
    private List<String> channels = List.of();

    public BanksRequest() {
    }

    /** Restricts the list to these channels */
    public BanksRequest channels(List<String> value) {
      channels = value;
      return this;
    }

    void write(Writer w) {
      w.channels("chmod", channels);
      w.shop("mer_dom");
    }
  }

  /** A UPI address to look up. */
  public static final class ValidateVpaRequest {
    private final String address;

    public ValidateVpaRequest(String address) {
      this.address = address;
    }

    /** A UPI address */
    public String address() {
      return address;
    }

    void write(Writer w) {
      w.vpa("vpa", address, Writer.Rule.REQUIRED);
    }
  }

  /** An authorisation to capture; without an amount, all of it. */
  public static final class CaptureRequest {
    private final String transactionId;
    private Long amountPaise;

    public CaptureRequest(String transactionId) {
      this.transactionId = transactionId;
    }

    /** The gateway's transaction id */
    public String transactionId() {
      return transactionId;
    }

    /** Decimal above zero, at most two places, in the currency's units */
    public CaptureRequest amountPaise(Long value) {
      amountPaise = value;
      return this;
    }

    void write(Writer w) {
      w.matching("ap_transactionid", transactionId, Writer.Rule.REQUIRED, Pattern.compile("^[0-9]{1,20}$"), List.of(), "1 to 20 digits");
      w.amount("amount", amountPaise, Writer.Rule.OPTIONAL);
    }
  }

  /** An authorisation to void. */
  public static final class VoidRequest {
    private final String transactionId;

    public VoidRequest(String transactionId) {
      this.transactionId = transactionId;
    }

    /** The gateway's transaction id */
    public String transactionId() {
      return transactionId;
    }

    void write(Writer w) {
      w.matching("ap_transactionid", transactionId, Writer.Rule.REQUIRED, Pattern.compile("^[0-9]{1,20}$"), List.of(), "1 to 20 digits");
    }
  }

  /** The customer of a QR order, as far as the merchant describes them. */
  public static final class QrBuyer {
    private String email = "";
    private String phone = "";
    private String firstname = "";
    private String lastname = "";
    private String address = "";
    private String city = "";
    private String state = "";
    private String country = "";
    private String pincode = "";

    public QrBuyer() {
    }

    /** At most 254 characters */
    public QrBuyer email(String value) {
      email = value;
      return this;
    }

    /** 8 to 15 digits; + - ( ) and spaces may stand between them */
    public QrBuyer phone(String value) {
      phone = value;
      return this;
    }

    /** Any script */
    public QrBuyer firstname(String value) {
      firstname = value;
      return this;
    }

    /** Any script */
    public QrBuyer lastname(String value) {
      lastname = value;
      return this;
    }

    /** Any script */
    public QrBuyer address(String value) {
      address = value;
      return this;
    }

    /** Any script */
    public QrBuyer city(String value) {
      city = value;
      return this;
    }

    /** Any script */
    public QrBuyer state(String value) {
      state = value;
      return this;
    }

    /** Any script */
    public QrBuyer country(String value) {
      country = value;
      return this;
    }

    /** Postal code */
    public QrBuyer pincode(String value) {
      pincode = value;
      return this;
    }

    void write(Writer w) {
      w.email("buyer_email", email, Writer.Rule.OPTIONAL);
      w.phone("buyer_phone", phone, Writer.Rule.OPTIONAL);
      w.text("buyer_firstname", firstname, Writer.Rule.OPTIONAL, 100);
      w.text("buyer_lastname", lastname, Writer.Rule.OPTIONAL, 100);
      w.text("buyer_address", address, Writer.Rule.OPTIONAL, 255);
      w.text("buyer_city", city, Writer.Rule.OPTIONAL, 255);
      w.text("buyer_state", state, Writer.Rule.OPTIONAL, 255);
      w.text("buyer_country", country, Writer.Rule.OPTIONAL, 255);
      w.text("buyer_pincode", pincode, Writer.Rule.OPTIONAL, 16);
    }
  }

  /** The one bank account that may pay an order by UPI. */
  public static final class PayerAccount {
    private final String number;
    private final String ifsc;

    public PayerAccount(String number, String ifsc) {
      this.number = number;
      this.ifsc = ifsc;
    }

    /** The number of the one bank account that may pay */
    public String number() {
      return number;
    }

    /** The IFSC of that account's branch, in any case */
    public String ifsc() {
      return ifsc;
    }

    void write(Writer w) {
      w.matching("upi_tpv_account", number, Writer.Rule.SECRET, Pattern.compile("^[A-Za-z0-9]{6,18}$"), List.of(), "6 to 18 letters and digits, the number of a bank account");
      w.matching("upi_tpv_ifsc", ifsc, Writer.Rule.REQUIRED, Pattern.compile("^[A-Za-z]{4}0[A-Za-z0-9]{6}$"), List.of(), "an IFSC: four letters, a zero, six letters or digits");
    }
  }

  /** The customer's approval of later debits, in paise. */
  public static final class OrderMandate {
    private final String period;
    private final long amountPaise;
    private Long frequency;
    private LocalDate nextRun;
    private Long maxAmountPaise;
    private Long recurringCount;
    private long retryAttempts;

    public OrderMandate(String period, long amountPaise) {
      this.period = period;
      this.amountPaise = amountPaise;
    }

    /** Day, week, month, year, or A: debits that the merchant asks for */
    public String period() {
      return period;
    }

    /** Of each debit */
    public long amountPaise() {
      return amountPaise;
    }

    /** Every how many periods; not for A */
    public OrderMandate frequency(Long value) {
      frequency = value;
      return this;
    }

    /** MM/DD/YYYY, or DD/MM/YYYY by a setting: the first debit, within two years; not for A */
    public OrderMandate nextRun(LocalDate value) {
      nextRun = value;
      return this;
    }

    /** The most that one debit may be */
    public OrderMandate maxAmountPaise(Long value) {
      maxAmountPaise = value;
      return this;
    }

    /** How many debits; 999 without end; not for A */
    public OrderMandate recurringCount(Long value) {
      recurringCount = value;
      return this;
    }

    /** Tries after a declined one */
    public OrderMandate retryAttempts(long value) {
      retryAttempts = value;
      return this;
    }

    void write(Writer w) {
      w.oneOf("sb_period", period, Writer.Rule.REQUIRED, List.of("D", "W", "M", "Y", "A"));
      w.amount("sb_amount", amountPaise, Writer.Rule.REQUIRED);
      w.constant("txnsubtype", "12");
      w.count("sb_frequency", frequency, Writer.Rule.OPTIONAL, 1, 366);
      w.day("sb_nextrundate", nextRun, Writer.Rule.OPTIONAL);
      w.amount("sb_maxamount", maxAmountPaise, Writer.Rule.OPTIONAL);
      w.debits("sb_recurringcount", recurringCount, Writer.Rule.OPTIONAL, 999, "A");
      w.countUnlessZero("sb_retryattempts", retryAttempts, Writer.Rule.OPTIONAL, 0, 99);
      w.constant("sb_isrecurring", "1");
    }
  }

  /** An order that is paid by one UPI QR. */
  public static final class GenerateOrderRequest {
    private final String orderId;
    private final long amountPaise;
    private String currency = "";
    private QrBuyer buyer;
    private List<String> channels = List.of();
    private String customvar = "";
    private PayerAccount payerAccount;
    private String txnsubtype = "";
    private OrderMandate subscription;

    public GenerateOrderRequest(String orderId, long amountPaise) {
      this.orderId = orderId;
      this.amountPaise = amountPaise;
    }

    /** The merchant's own order id, unique for each merchant */
    public String orderId() {
      return orderId;
    }

    /** Decimal above zero, at most two places, in the currency's units */
    public long amountPaise() {
      return amountPaise;
    }

    /** ISO 4217 letters, in any case */
    public GenerateOrderRequest currency(String value) {
      currency = value;
      return this;
    }

    public GenerateOrderRequest buyer(QrBuyer value) {
      buyer = value;
      return this;
    }

    /** UPI, or Bharat QR */
    public GenerateOrderRequest channels(List<String> value) {
      channels = value;
      return this;
    }

    /** Comes back unchanged */
    public GenerateOrderRequest customvar(String value) {
      customvar = value;
      return this;
    }

    public GenerateOrderRequest payerAccount(PayerAccount value) {
      payerAccount = value;
      return this;
    }

    /** A sale, or the first payment of a subscription */
    public GenerateOrderRequest txnsubtype(String value) {
      txnsubtype = value;
      return this;
    }

    public GenerateOrderRequest subscription(OrderMandate value) {
      subscription = value;
      return this;
    }

    void write(Writer w) {
      w.matching("orderid", orderId, Writer.Rule.REQUIRED, Pattern.compile("^[A-Za-z0-9_.-]{1,64}$"), List.of(), "1 to 64 characters of A-Z a-z 0-9 - _ .");
      w.amount("amount", amountPaise, Writer.Rule.REQUIRED);
      w.currency("iso_currency", currency);
      if (buyer != null) buyer.write(w);
      w.channels("chmod", channels);
      w.text("customvar", customvar, Writer.Rule.OPTIONAL, 4096);
      w.shop("mer_dom");
      if (payerAccount != null) payerAccount.write(w);
      w.oneOf("txnsubtype", txnsubtype, Writer.Rule.OPTIONAL, List.of("2", "12"));
      if (subscription != null) subscription.write(w);
    }
  }

  /** The customer as the merchant describes them. */
  public static final class Buyer {
    private final String email;
    private final String phone;
    private final String firstname;
    private final String lastname;
    private String address = "";
    private String city = "";
    private String state = "";
    private String country = "";
    private String pincode = "";

    public Buyer(String email, String phone, String firstname, String lastname) {
      this.email = email;
      this.phone = phone;
      this.firstname = firstname;
      this.lastname = lastname;
    }

    /** At most 254 characters */
    public String email() {
      return email;
    }

    /** 8 to 15 digits; + - ( ) and spaces may stand between them */
    public String phone() {
      return phone;
    }

    /** Any script */
    public String firstname() {
      return firstname;
    }

    /** Any script */
    public String lastname() {
      return lastname;
    }

    /** Any script */
    public Buyer address(String value) {
      address = value;
      return this;
    }

    /** Any script */
    public Buyer city(String value) {
      city = value;
      return this;
    }

    /** Any script */
    public Buyer state(String value) {
      state = value;
      return this;
    }

    /** Any script */
    public Buyer country(String value) {
      country = value;
      return this;
    }

    /** Postal code */
    public Buyer pincode(String value) {
      pincode = value;
      return this;
    }

    void write(Writer w) {
      w.email("buyer_email", email, Writer.Rule.REQUIRED);
      w.phone("buyer_phone", phone, Writer.Rule.REQUIRED);
      w.text("buyer_firstname", firstname, Writer.Rule.REQUIRED, 100);
      w.text("buyer_lastname", lastname, Writer.Rule.REQUIRED, 100);
      w.text("buyer_address", address, Writer.Rule.OPTIONAL, 255);
      w.text("buyer_city", city, Writer.Rule.OPTIONAL, 255);
      w.text("buyer_state", state, Writer.Rule.OPTIONAL, 255);
      w.text("buyer_country", country, Writer.Rule.OPTIONAL, 255);
      w.text("buyer_pincode", pincode, Writer.Rule.OPTIONAL, 16);
    }
  }

  /** A card as it was sent, unchecked; without a readable form. */
  public static final class CardFields {
    private final String number;
    private final String expiry;
    private final String cvv;
    private String holder = "";

    public CardFields(String number, String expiry, String cvv) {
      this.number = number;
      this.expiry = expiry;
      this.cvv = cvv;
    }

    /** Digits; never kept */
    public String number() {
      return number;
    }

    /** MM/YY */
    public String expiry() {
      return expiry;
    }

    /** Never kept */
    public String cvv() {
      return cvv;
    }

    /** Any script */
    public CardFields holder(String value) {
      holder = value;
      return this;
    }

    void write(Writer w) {
      w.text("card_number", number, Writer.Rule.SECRET, 40);
      w.text("card_expiry", expiry, Writer.Rule.SECRET, 40);
      w.text("card_cvv", cvv, Writer.Rule.SECRET, 40);
      w.text("card_holder", holder, Writer.Rule.OPTIONAL_SECRET, 40);
    }
  }

  /** A payment that the merchant's server begins, by its customer's chosen way. */
  public static final class SeamlessRequest {
    private final String orderId;
    private final long amountPaise;
    private final Buyer buyer;
    private final String payBy;
    private String currency = "";
    private List<String> channels = List.of();
    private String customvar = "";
    private PayerAccount payerAccount;
    private String txnsubtype = "";
    private String vpa = "";
    private String bankCode = "";
    private CardFields card;
    private String customerIp = "";
    private String customerAgent = "";

    public SeamlessRequest(String orderId, long amountPaise, Buyer buyer, String payBy) {
      this.orderId = orderId;
      this.amountPaise = amountPaise;
      this.buyer = buyer;
      this.payBy = payBy;
    }

    /** The merchant's own order id, unique for each merchant */
    public String orderId() {
      return orderId;
    }

    /** Decimal above zero, at most two places, in the currency's units */
    public long amountPaise() {
      return amountPaise;
    }

    public Buyer buyer() {
      return buyer;
    }

    /** The channel */
    public String payBy() {
      return payBy;
    }

    /** ISO 4217 letters, in any case */
    public SeamlessRequest currency(String value) {
      currency = value;
      return this;
    }

    /** Restricts the channels of this payment */
    public SeamlessRequest channels(List<String> value) {
      channels = value;
      return this;
    }

    /** Comes back unchanged */
    public SeamlessRequest customvar(String value) {
      customvar = value;
      return this;
    }

    public SeamlessRequest payerAccount(PayerAccount value) {
      payerAccount = value;
      return this;
    }

    /** A sale, or an authorisation that is captured later */
    public SeamlessRequest txnsubtype(String value) {
      txnsubtype = value;
      return this;
    }

    /** A UPI address */
    public SeamlessRequest vpa(String value) {
      vpa = value;
      return this;
    }

    /** A code of the bank list: a bank, wallet or lender */
    public SeamlessRequest bankCode(String value) {
      bankCode = value;
      return this;
    }

    public SeamlessRequest card(CardFields value) {
      card = value;
      return this;
    }

    /** The address of the customer's device */
    public SeamlessRequest customerIp(String value) {
      customerIp = value;
      return this;
    }

    /** The customer's User-Agent */
    public SeamlessRequest customerAgent(String value) {
      customerAgent = value;
      return this;
    }

    void write(Writer w) {
      w.matching("orderid", orderId, Writer.Rule.REQUIRED, Pattern.compile("^[A-Za-z0-9_.-]{1,64}$"), List.of(), "1 to 64 characters of A-Z a-z 0-9 - _ .");
      w.amount("amount", amountPaise, Writer.Rule.REQUIRED);
      buyer.write(w);
      w.oneOf("pay_by", payBy, Writer.Rule.REQUIRED, List.of("upi", "nb", "ppc", "payltr", "pg"));
      w.currency("iso_currency", currency);
      w.channels("chmod", channels);
      w.text("customvar", customvar, Writer.Rule.OPTIONAL, 4096);
      w.shop("mer_dom");
      if (payerAccount != null) payerAccount.write(w);
      w.oneOf("txnsubtype", txnsubtype, Writer.Rule.OPTIONAL, List.of("2", "1"));
      w.vpa("vpa", vpa, Writer.Rule.OPTIONAL);
      w.text("bank_code", bankCode, Writer.Rule.OPTIONAL, 255);
      if (card != null) card.write(w);
      w.text("customer_ip", customerIp, Writer.Rule.OPTIONAL, 255);
      w.text("customer_agent", customerAgent, Writer.Rule.OPTIONAL, 255);
    }
  }

  /** One refund, in paise; without an amount, of all that remains. */
  public static final class RefundItem {
    private final String transactionId;
    private Long amountPaise;
    private String requestId = "";

    public RefundItem(String transactionId) {
      this.transactionId = transactionId;
    }

    /** The gateway's transaction id */
    public String transactionId() {
      return transactionId;
    }

    /** Decimal above zero, at most two places, in the currency's units */
    public RefundItem amountPaise(Long value) {
      amountPaise = value;
      return this;
    }

    /** Of this item alone: the same again refunds once */
    public RefundItem requestId(String value) {
      requestId = value;
      return this;
    }

    void write(Writer w) {
      w.matching("ap_transactionid", transactionId, Writer.Rule.REQUIRED, Pattern.compile("^[0-9]{1,20}$"), List.of(), "1 to 20 digits");
      w.amount("amount", amountPaise, Writer.Rule.OPTIONAL);
      w.matching("refund_request_id", requestId, Writer.Rule.OPTIONAL, Pattern.compile("^[A-Za-z0-9_.-]{1,64}$"), List.of("approval-", "console-", "link-"), "1 to 64 characters of A-Z a-z 0-9 - _ .");
    }
  }

  /** A batch of refunds. */
  public static final class RefundRequest {
    private final List<RefundItem> items;
    private String requestId = "";

    public RefundRequest(List<RefundItem> items) {
      this.items = items;
    }

    /** Base64 of a JSON array of refunds */
    public List<RefundItem> items() {
      return items;
    }

    /** Of the whole batch: the same again refunds nothing twice */
    public RefundRequest requestId(String value) {
      requestId = value;
      return this;
    }

    void write(Writer w) {
      w.batch("transactions", items, 1000, RefundItem::write);
      w.constant("mode", "refund");
      w.matching("refund_request_id", requestId, Writer.Rule.OPTIONAL, Pattern.compile("^[A-Za-z0-9_.-]{1,64}$"), List.of("approval-", "console-", "link-"), "1 to 64 characters of A-Z a-z 0-9 - _ .");
    }
  }

  /** A subscription, by a name of the order that registered it; both names must agree. */
  public static final class SubscriptionName {
    private String transactionId = "";
    private String orderId = "";

    public SubscriptionName() {
    }

    /** The gateway's transaction id */
    public SubscriptionName transactionId(String value) {
      transactionId = value;
      return this;
    }

    /** Of the order that registered it */
    public SubscriptionName orderId(String value) {
      orderId = value;
      return this;
    }

    void write(Writer w) {
      w.matching("ap_transactionid", transactionId, Writer.Rule.OPTIONAL, Pattern.compile("^[0-9]{1,20}$"), List.of(), "1 to 20 digits");
      w.matching("orderid", orderId, Writer.Rule.OPTIONAL, Pattern.compile("^[A-Za-z0-9_.-]{1,64}$"), List.of(), "1 to 64 characters of A-Z a-z 0-9 - _ .");
      w.atLeastOne("ap_transactionid", "orderid");
    }
  }

  /** Subscriptions, newest first. */
  public static final class SubscriptionsBefore {
    private String state = "";
    private String before = "";

    public SubscriptionsBefore() {
    }

    /** Only those in this state */
    public SubscriptionsBefore state(String value) {
      state = value;
      return this;
    }

    /** The ap_transactionid after which the page begins */
    public SubscriptionsBefore before(String value) {
      before = value;
      return this;
    }

    void write(Writer w) {
      w.oneOf("state", state, Writer.Rule.OPTIONAL, List.of("created", "active", "paused", "cancelled", "completed", "failed"));
      w.matching("before", before, Writer.Rule.OPTIONAL, Pattern.compile("^[0-9]{1,20}$"), List.of(), "1 to 20 digits");
    }
  }

  /** A subscription, by the order that registered it, whose next debit is announced now. */
  public static final class SubscriptionCharge {
    private String transactionId = "";
    private String orderId = "";
    private Long amountPaise;

    public SubscriptionCharge() {
    }

    /** The gateway's transaction id */
    public SubscriptionCharge transactionId(String value) {
      transactionId = value;
      return this;
    }

    /** Of the order that registered it */
    public SubscriptionCharge orderId(String value) {
      orderId = value;
      return this;
    }

    /** Decimal above zero, at most two places, in the currency's units */
    public SubscriptionCharge amountPaise(Long value) {
      amountPaise = value;
      return this;
    }

    void write(Writer w) {
      w.matching("ap_transactionid", transactionId, Writer.Rule.OPTIONAL, Pattern.compile("^[0-9]{1,20}$"), List.of(), "1 to 20 digits");
      w.matching("orderid", orderId, Writer.Rule.OPTIONAL, Pattern.compile("^[A-Za-z0-9_.-]{1,64}$"), List.of(), "1 to 64 characters of A-Z a-z 0-9 - _ .");
      w.amount("sb_amount", amountPaise, Writer.Rule.OPTIONAL);
      w.atLeastOne("ap_transactionid", "orderid");
    }
  }

  /** New terms of a subscription, by its order, within what the customer approved. */
  public static final class SubscriptionChange {
    private String transactionId = "";
    private String orderId = "";
    private Long amountPaise;
    private Long debits;
    private Long retries;

    public SubscriptionChange() {
    }

    /** The gateway's transaction id */
    public SubscriptionChange transactionId(String value) {
      transactionId = value;
      return this;
    }

    /** Of the order that registered it */
    public SubscriptionChange orderId(String value) {
      orderId = value;
      return this;
    }

    /** Decimal above zero, at most two places, in the currency's units */
    public SubscriptionChange amountPaise(Long value) {
      amountPaise = value;
      return this;
    }

    /** How many debits in all */
    public SubscriptionChange debits(Long value) {
      debits = value;
      return this;
    }

    /** Tries after a declined one */
    public SubscriptionChange retries(Long value) {
      retries = value;
      return this;
    }

    void write(Writer w) {
      w.matching("ap_transactionid", transactionId, Writer.Rule.OPTIONAL, Pattern.compile("^[0-9]{1,20}$"), List.of(), "1 to 20 digits");
      w.matching("orderid", orderId, Writer.Rule.OPTIONAL, Pattern.compile("^[A-Za-z0-9_.-]{1,64}$"), List.of(), "1 to 64 characters of A-Z a-z 0-9 - _ .");
      w.amount("sb_amount", amountPaise, Writer.Rule.OPTIONAL);
      w.count("sb_recurringcount", debits, Writer.Rule.OPTIONAL, 1, 998);
      w.count("sb_retryattempts", retries, Writer.Rule.OPTIONAL, 0, 99);
      w.atLeastOne("ap_transactionid", "orderid");
    }
  }

  /** The customer whose saved cards to list, newest first. */
  public static final class SavedCardsOf {
    private final String customerId;

    public SavedCardsOf(String customerId) {
      this.customerId = customerId;
    }

    /** The merchant's own name of its customer */
    public String customerId() {
      return customerId;
    }

    void write(Writer w) {
      w.customer("UID", customerId, Writer.Rule.REQUIRED);
    }
  }

  /** The saved card to delete. */
  public static final class SavedCardName {
    private final String token;

    public SavedCardName(String token) {
      this.token = token;
    }

    /** A saved card, as the record and the list name it */
    public String token() {
      return token;
    }

    void write(Writer w) {
      w.text("token", token, Writer.Rule.SECRET, 255);
    }
  }

  /** A line of what a link is for. amount_paise: of all its pieces together. */
  public static final class NewLinkItem {
    private final String description;
    private final long amountPaise;
    private long quantity;

    public NewLinkItem(String description, long amountPaise) {
      this.description = description;
      this.amountPaise = amountPaise;
    }

    /** What it is */
    public String description() {
      return description;
    }

    /** The amount of all of them together */
    public long amountPaise() {
      return amountPaise;
    }

    /** How many */
    public NewLinkItem quantity(long value) {
      quantity = value;
      return this;
    }

    void write(Writer w) {
      w.text("description", description, Writer.Rule.REQUIRED, 100);
      w.amount("amount", amountPaise, Writer.Rule.REQUIRED);
      w.countUnlessZero("quantity", quantity, Writer.Rule.OPTIONAL, 1, 9999);
    }
  }

  /** A new link, in paise. The same request under one reference makes one link. */
  public static final class NewPaymentLink {
    private final String reference;
    private final long amountPaise;
    private final String description;
    private long minimumPaise;
    private long validDays;
    private String surplus = "";
    private String customerEmail = "";
    private String customerPhone = "";
    private List<NewLinkItem> items;

    public NewPaymentLink(String reference, long amountPaise, String description) {
      this.reference = reference;
      this.amountPaise = amountPaise;
      this.description = description;
    }

    /** The merchant's own name of the link */
    public String reference() {
      return reference;
    }

    /** Decimal above zero, at most two places, in the currency's units */
    public long amountPaise() {
      return amountPaise;
    }

    /** Its purpose; the customer reads it */
    public String description() {
      return description;
    }

    /** The least of one part; without it the link is paid at once */
    public NewPaymentLink minimumPaise(long value) {
      minimumPaise = value;
      return this;
    }

    /** Days from now */
    public NewPaymentLink validDays(long value) {
      validDays = value;
      return this;
    }

    /** Whether money beyond the amount is refunded */
    public NewPaymentLink surplus(String value) {
      surplus = value;
      return this;
    }

    /** At most 254 characters */
    public NewPaymentLink customerEmail(String value) {
      customerEmail = value;
      return this;
    }

    /** 8 to 15 digits; + - ( ) and spaces may stand between them */
    public NewPaymentLink customerPhone(String value) {
      customerPhone = value;
      return this;
    }

    /** What it is for, line by line; their amounts add up to the amount */
    public NewPaymentLink items(List<NewLinkItem> value) {
      items = value;
      return this;
    }

    void write(Writer w) {
      w.matching("link_reference", reference, Writer.Rule.REQUIRED, Pattern.compile("^[A-Za-z0-9_.-]{1,64}$"), List.of(), "1 to 64 characters of A-Z a-z 0-9 - _ .");
      w.amount("amount", amountPaise, Writer.Rule.REQUIRED);
      w.text("description", description, Writer.Rule.REQUIRED, 200);
      w.amountUnlessZero("minimum", minimumPaise, Writer.Rule.OPTIONAL);
      w.countUnlessZero("valid_days", validDays, Writer.Rule.OPTIONAL, 1, 366);
      w.oneOf("surplus", surplus, Writer.Rule.OPTIONAL, List.of("refund", "keep"));
      w.email("customer_email", customerEmail, Writer.Rule.OPTIONAL);
      w.phone("customer_phone", customerPhone, Writer.Rule.OPTIONAL);
      w.objectsUnlessEmpty("items", items, NewLinkItem::write);
    }
  }

  /** A payment link, by one of its names; both must agree. */
  public static final class LinkName {
    private String linkId = "";
    private String reference = "";

    public LinkName() {
    }

    /** As its creation and notifications name it */
    public LinkName linkId(String value) {
      linkId = value;
      return this;
    }

    /** The merchant's own name of the link */
    public LinkName reference(String value) {
      reference = value;
      return this;
    }

    void write(Writer w) {
      w.matching("link_id", linkId, Writer.Rule.OPTIONAL, Pattern.compile("^[0-9]{1,20}$"), List.of(), "1 to 20 digits");
      w.matching("link_reference", reference, Writer.Rule.OPTIONAL, Pattern.compile("^[A-Za-z0-9_.-]{1,64}$"), List.of(), "1 to 64 characters of A-Z a-z 0-9 - _ .");
      w.atLeastOne("link_id", "link_reference");
    }
  }

  /** Payment links, newest first. */
  public static final class LinksBefore {
    private String before = "";

    public LinksBefore() {
    }

    /** The link_id after which the page begins */
    public LinksBefore before(String value) {
      before = value;
      return this;
    }

    void write(Writer w) {
      w.matching("before", before, Writer.Rule.OPTIONAL, Pattern.compile("^[0-9]{1,20}$"), List.of(), "1 to 20 digits");
    }
  }

  /** Settlements, newest first. */
  public static final class SettlementsBefore {
    private String before = "";

    public SettlementsBefore() {
    }

    /** The last id that you have: the page begins after it */
    public SettlementsBefore before(String value) {
      before = value;
      return this;
    }

    void write(Writer w) {
      w.matching("before", before, Writer.Rule.OPTIONAL, Pattern.compile("^[0-9]{1,20}$"), List.of(), "1 to 20 digits");
    }
  }

  /** The id of a settlement. */
  public static final class SettlementName {
    private final String settlementId;

    public SettlementName(String settlementId) {
      this.settlementId = settlementId;
    }

    /** A settlement, as the list names it */
    public String settlementId() {
      return settlementId;
    }

    void write(Writer w) {
      w.matching("settlement_id", settlementId, Writer.Rule.REQUIRED, Pattern.compile("^[0-9]{1,20}$"), List.of(), "1 to 20 digits");
    }
  }

  /** A settlement, whose items to list, oldest first. after: `next` of the page before. */
  public static final class SettlementItemsAfter {
    private final String settlementId;
    private String after = "";

    public SettlementItemsAfter(String settlementId) {
      this.settlementId = settlementId;
    }

    /** A settlement, as the list names it */
    public String settlementId() {
      return settlementId;
    }

    /** The item_id after which the page begins */
    public SettlementItemsAfter after(String value) {
      after = value;
      return this;
    }

    void write(Writer w) {
      w.matching("settlement_id", settlementId, Writer.Rule.REQUIRED, Pattern.compile("^[0-9]{1,20}$"), List.of(), "1 to 20 digits");
      w.matching("after", after, Writer.Rule.OPTIONAL, Pattern.compile("^[0-9]{1,15}-[a-z_]{1,40}$"), List.of(), "an item_id of this list");
    }
  }

  /** Payouts, newest first. before: the last payout_id that you have, for those that are older. */
  public static final class PayoutsBefore {
    private String state = "";
    private String before = "";

    public PayoutsBefore() {
    }

    /** Only those in this state */
    public PayoutsBefore state(String value) {
      state = value;
      return this;
    }

    /** The last id that you have: the page begins after it */
    public PayoutsBefore before(String value) {
      before = value;
      return this;
    }

    void write(Writer w) {
      w.oneOf("state", state, Writer.Rule.OPTIONAL, List.of("waiting", "sent", "done", "refused", "returned", "reversed", "held_back"));
      w.matching("before", before, Writer.Rule.OPTIONAL, Pattern.compile("^[0-9]{1,20}$"), List.of(), "1 to 20 digits");
    }
  }

  /** No fields: the terms are the sender's own. */
  public static final class OwnTerms {

    public OwnTerms() {
    }

    void write(Writer w) {
    }
  }

  /** One linked account's share. value: paise, or hundredths of a per cent; above zero. */
  public static final class SplitPart {
    private final String identifier;
    private final long value;

    public SplitPart(String identifier, long value) {
      this.identifier = identifier;
      this.value = value;
    }

    /** A linked account of the merchant */
    public String identifier() {
      return identifier;
    }

    /** A per cent or an amount, above zero */
    public long value() {
      return value;
    }

    void write(Writer w) {
      w.matching("identifier", identifier, Writer.Rule.REQUIRED, Pattern.compile("^[A-Za-z0-9_.-]{1,64}$"), List.of(), "1 to 64 characters of A-Z a-z 0-9 - _ .");
      w.amount("value", value, Writer.Rule.REQUIRED);
    }
  }

  /** How a transaction is shared. */
  public static final class SplitRequest {
    private final String transactionId;
    private final String requestId;
    private final String type;
    private final long primaryValue;
    private final List<SplitPart> parts;
    private String rrn = "";

    public SplitRequest(String transactionId, String requestId, String type, long primaryValue, List<SplitPart> parts) {
      this.transactionId = transactionId;
      this.requestId = requestId;
      this.type = type;
      this.primaryValue = primaryValue;
      this.parts = parts;
    }

    /** The gateway's transaction id */
    public String transactionId() {
      return transactionId;
    }

    /** The merchant's own id: the same again changes nothing */
    public String requestId() {
      return requestId;
    }

    /** What the values are */
    public String type() {
      return type;
    }

    /** The merchant's own share */
    public long primaryValue() {
      return primaryValue;
    }

    public List<SplitPart> parts() {
      return parts;
    }

    /** The bank's retrieval reference number */
    public SplitRequest rrn(String value) {
      rrn = value;
      return this;
    }

    void write(Writer w) {
      w.matching("ap_transactionid", transactionId, Writer.Rule.REQUIRED, Pattern.compile("^[0-9]{1,20}$"), List.of(), "1 to 20 digits");
      w.matching("split_request_id", requestId, Writer.Rule.REQUIRED, Pattern.compile("^[0-9]{1,15}$"), List.of(), "1 to 15 digits");
      w.oneOf("split_type", type, Writer.Rule.REQUIRED, List.of("percentage", "absolute"));
      w.amountOrZero("primary_split_value", primaryValue, Writer.Rule.REQUIRED);
      w.objects("splits", parts, SplitPart::write);
      w.text("rrn", rrn, Writer.Rule.OPTIONAL, 35);
    }
  }

  /** Disputes, newest first. */
  public static final class DisputesBefore {
    private String state = "";
    private String before = "";

    public DisputesBefore() {
    }

    /** Only those in this state */
    public DisputesBefore state(String value) {
      state = value;
      return this;
    }

    /** The last id that you have: the page begins after it */
    public DisputesBefore before(String value) {
      before = value;
      return this;
    }

    void write(Writer w) {
      w.oneOf("state", state, Writer.Rule.OPTIONAL, List.of("open", "under_review", "accepting", "expired", "won", "lost", "accepted", "partly_accepted", "closed"));
      w.matching("before", before, Writer.Rule.OPTIONAL, Pattern.compile("^[0-9]{1,20}$"), List.of(), "1 to 20 digits");
    }
  }

  /** The id of a dispute. */
  public static final class DisputeName {
    private final String disputeId;

    public DisputeName(String disputeId) {
      this.disputeId = disputeId;
    }

    /** A dispute, as the list and the news of it name it */
    public String disputeId() {
      return disputeId;
    }

    void write(Writer w) {
      w.matching("dispute_id", disputeId, Writer.Rule.REQUIRED, Pattern.compile("^[0-9]{1,20}$"), List.of(), "1 to 20 digits");
    }
  }

  /** A document for the answer to a dispute. */
  public static final class NewEvidence {
    private final String disputeId;
    private final byte[] content;
    private String name = "";

    public NewEvidence(String disputeId, byte[] content) {
      this.disputeId = disputeId;
      this.content = content;
    }

    /** A dispute, as the list and the news of it name it */
    public String disputeId() {
      return disputeId;
    }

    /** A whole PDF, PNG or JPEG of at most 1 MiB, in base64 */
    public byte[] content() {
      return content;
    }

    /** The document's name */
    public NewEvidence name(String value) {
      name = value;
      return this;
    }

    void write(Writer w) {
      w.matching("dispute_id", disputeId, Writer.Rule.REQUIRED, Pattern.compile("^[0-9]{1,20}$"), List.of(), "1 to 20 digits");
      w.document("content", content, Writer.Rule.SECRET, 1398104);
      w.text("name", name, Writer.Rule.OPTIONAL, 100);
    }
  }

  /** The answer that contests a dispute: it needs a note or a document. */
  public static final class DisputeContest {
    private final String disputeId;
    private String note = "";

    public DisputeContest(String disputeId) {
      this.disputeId = disputeId;
    }

    /** A dispute, as the list and the news of it name it */
    public String disputeId() {
      return disputeId;
    }

    /** What the bank is told */
    public DisputeContest note(String value) {
      note = value;
      return this;
    }

    void write(Writer w) {
      w.matching("dispute_id", disputeId, Writer.Rule.REQUIRED, Pattern.compile("^[0-9]{1,20}$"), List.of(), "1 to 20 digits");
      w.text("note", note, Writer.Rule.OPTIONAL, 1000);
    }
  }

  /** The answer that accepts a dispute, or only a part of it. */
  public static final class DisputeAcceptance {
    private final String disputeId;
    private Long amountPaise;
    private String note = "";

    public DisputeAcceptance(String disputeId) {
      this.disputeId = disputeId;
    }

    /** A dispute, as the list and the news of it name it */
    public String disputeId() {
      return disputeId;
    }

    /** What is given up; all of it when left out */
    public DisputeAcceptance amountPaise(Long value) {
      amountPaise = value;
      return this;
    }

    /** What the bank is told */
    public DisputeAcceptance note(String value) {
      note = value;
      return this;
    }

    void write(Writer w) {
      w.matching("dispute_id", disputeId, Writer.Rule.REQUIRED, Pattern.compile("^[0-9]{1,20}$"), List.of(), "1 to 20 digits");
      w.amount("amount", amountPaise, Writer.Rule.OPTIONAL);
      w.text("note", note, Writer.Rule.OPTIONAL, 1000);
    }
  }

  /** Notifications, in the order of their events. */
  public static final class NotificationsAfter {
    private String after = "";

    public NotificationsAfter() {
    }

    /** The next of the page before; empty for the present end */
    public NotificationsAfter after(String value) {
      after = value;
      return this;
    }

    void write(Writer w) {
      w.matching("after", after, Writer.Rule.OPTIONAL, Pattern.compile("^[0-9]{1,19}-[0-9]{1,15}-[0-9]{1,9}$"), List.of(), "the next of this list");
    }
  }

  /** A payment to start. */
  public static final class PaymentRequest {
    private final String orderId;
    private final long amountPaise;
    private final Buyer buyer;
    private String currency = "";
    private List<String> channels = List.of();
    private String customvar = "";
    private PayerAccount payerAccount;
    private String txnsubtype = "";
    private OrderMandate subscription;
    private String uid = "";
    private String savedCard = "";

    public PaymentRequest(String orderId, long amountPaise, Buyer buyer) {
      this.orderId = orderId;
      this.amountPaise = amountPaise;
      this.buyer = buyer;
    }

    /** The merchant's own order id, unique for each merchant */
    public String orderId() {
      return orderId;
    }

    /** Decimal above zero, at most two places, in the currency's units */
    public long amountPaise() {
      return amountPaise;
    }

    public Buyer buyer() {
      return buyer;
    }

    /** ISO 4217 letters, in any case */
    public PaymentRequest currency(String value) {
      currency = value;
      return this;
    }

    /** Restricts the channels of this payment */
    public PaymentRequest channels(List<String> value) {
      channels = value;
      return this;
    }

    /** Comes back unchanged */
    public PaymentRequest customvar(String value) {
      customvar = value;
      return this;
    }

    public PaymentRequest payerAccount(PayerAccount value) {
      payerAccount = value;
      return this;
    }

    /** 1 authorise, 2 sale, 3 MOTO, 7-11 EMI of 3/6/9/12/18 months, 12 subscription */
    public PaymentRequest txnsubtype(String value) {
      txnsubtype = value;
      return this;
    }

    public PaymentRequest subscription(OrderMandate value) {
      subscription = value;
      return this;
    }

    /** The merchant's own name of its customer, whose cards are saved */
    public PaymentRequest uid(String value) {
      uid = value;
      return this;
    }

    /** A saved card of that customer, to pay with */
    public PaymentRequest savedCard(String value) {
      savedCard = value;
      return this;
    }

    void write(Writer w) {
      w.matching("orderid", orderId, Writer.Rule.REQUIRED, Pattern.compile("^[A-Za-z0-9_.-]{1,64}$"), List.of(), "1 to 64 characters of A-Z a-z 0-9 - _ .");
      w.amount("amount", amountPaise, Writer.Rule.REQUIRED);
      buyer.write(w);
      w.currency("iso_currency", currency);
      w.channels("chmod", channels);
      w.text("customvar", customvar, Writer.Rule.OPTIONAL, 4096);
      w.shop("mer_dom");
      if (payerAccount != null) payerAccount.write(w);
      w.oneOf("txnsubtype", txnsubtype, Writer.Rule.OPTIONAL, List.of("1", "2", "3", "7", "8", "9", "10", "11", "12"));
      if (subscription != null) subscription.write(w);
      w.customer("UID", uid, Writer.Rule.OPTIONAL);
      w.text("token", savedCard, Writer.Rule.OPTIONAL_SECRET, 255);
    }
  }

  /** One payment's transaction record; texts are empty where the record has none. */
  public record Transaction(
      String transactionId,
      String orderId,
      String merchantId,
      long amountPaise,
      String amount,
      String currencyCode,
      long statusCode,
      String paymentStatus,
      long transactionType,
      String channel,
      String message,
      String bankMessage,
      String bankCode,
      String rrn,
      String utr,
      String customerName,
      String customerEmail,
      String customerPhone,
      String customerVpa,
      String cardScheme,
      String cardNumber,
      String cardType,
      String cardCountry,
      String bankName,
      String customVar,
      boolean atRisk,
      long surchargePaise,
      OffsetDateTime createdAt,
      String detailedStatus,
      long capturedPaise,
      long refunds,
      long refundedPaise,
      String refundId,
      String refundRequestId,
      String refundStatus,
      String refundRrn,
      String disputeId,
      String disputePhase,
      String disputeStatus,
      String disputeReason,
      OffsetDateTime disputeRespondBy,
      String savedCard,
      OffsetDateTime paidAt,
      long attempts,
      String emiBank,
      long emiMonths,
      String emiRate,
      String isoCurrency,
      long inrPaise,
      String inrRate) implements TransactionStates {
    static Transaction read(Reader r) {
      return new Transaction(
          r.words("ap_transactionid"),
          r.words("orderid"),
          r.words("merchant_id"),
          r.amount("amount"),
          r.words("amount"),
          r.words("currency_code"),
          r.integer("transaction_status"),
          r.words("transaction_payment_status"),
          r.integer("transaction_type"),
          r.words("chmod"),
          r.words("message"),
          r.words("bank_response_msg"),
          r.words("bank_response_code"),
          r.words("rrn"),
          r.words("utr_no"),
          r.words("customer_name"),
          r.words("customer_email"),
          r.words("customer_phone"),
          r.words("customer_vpa"),
          r.words("card_scheme"),
          r.words("card_number"),
          r.words("card_type"),
          r.words("card_country"),
          r.words("bank_name"),
          r.words("customvar"),
          r.isOne("risk"),
          r.sum("surcharge_amount"),
          r.recordTime("transaction_time"),
          r.words("detailed_status"),
          r.sum("captured_amount"),
          r.integer("refunds_count"),
          r.sum("refunds_total"),
          r.words("refund_id"),
          r.words("refund_request_id"),
          r.words("refund_status"),
          r.words("refund_rrn"),
          r.words("dispute_id"),
          r.words("dispute_phase"),
          r.words("dispute_status"),
          r.words("dispute_reason"),
          r.recordTime("dispute_respond_by"),
          r.words("token"),
          r.recordTime("paid_at"),
          r.integer("attempts"),
          r.words("emi_bank"),
          r.integer("emi_months"),
          r.words("emi_rate"),
          r.wordsOr("iso_currency", "INR"),
          r.sum("inr_amount"),
          r.words("inr_rate"));
    }
  }

  /** An access token. */
  public record AccessToken(
      String token,
      long lifeS,
      String scope) {
    static AccessToken read(Reader r) {
      return new AccessToken(
          r.words("access_token"),
          r.whole("expires_in"),
          r.words("scope"));
    }

    /** Return no value: some are secret, or a customer's own. */
    @Override
    public String toString() {
      return "AccessToken";
    }
  }

  /** One bank of a channel, or a channel without banks: then code and name are "". */
  public record Bank(
      String channel,
      String channelName,
      String title,
      String description,
      String code,
      String name,
      String health,
      Long minimumPaise,
      Long maximumPaise) {
    static Bank read(Reader r) {
      return new Bank(
          r.words("chmod"),
          r.words("channel_name"),
          r.words("title"),
          r.words("description"),
          r.words("bank_code"),
          r.words("bank_name"),
          r.words("health"),
          r.limit("min_amount"),
          r.limit("max_amount"));
    }
  }

  /** Every bank of every channel that is open. */
  public record Banks(
      List<Bank> banks) {
    static Banks read(Reader r) {
      return new Banks(
          r.objects("banks", Bank::read));
    }
  }

  /** A UPI address, and whether it is registered. */
  public record UpiAddress(
      String address,
      boolean isRegistered,
      String name,
      String status,
      String message) {
    static UpiAddress read(Reader r) {
      return new UpiAddress(
          r.name("vpa"),
          r.yesOrNo("valid"),
          r.words("vpa_name"),
          r.words("status"),
          r.words("message"));
    }

    /** Return no value: some are secret, or a customer's own. */
    @Override
    public String toString() {
      return "UpiAddress";
    }
  }

  /** A QR order. */
  public record QrData(
      String text,
      byte[] png,
      String transactionId,
      String orderId,
      String merchantId,
      String textAgain,
      String status,
      OffsetDateTime expiresAt) {
    static QrData read(Reader r) {
      return new QrData(
          r.name("qr_string"),
          r.bytes("qr_image"),
          r.name("ap_transactionid"),
          r.words("orderid"),
          r.words("merchant_id"),
          r.words("qrcode_string"),
          r.words("status"),
          r.moment("expires_at"));
    }

    /** Return no value: some are secret, or a customer's own. */
    @Override
    public String toString() {
      return "QrData";
    }
  }

  /** The customer's next step, and the state of the order. */
  public record SeamlessData(
      String action,
      String redirectUrl,
      Map<String, String> redirectFields,
      String link,
      String transactionId,
      String orderId,
      String merchantId,
      long amountPaise,
      long payablePaise,
      long surchargePaise,
      String currency,
      long statusCode,
      String paymentStatus,
      String bankCode,
      String bankMessage) {
    static SeamlessData read(Reader r) {
      return new SeamlessData(
          r.words("next_action"),
          r.words("redirect_url"),
          r.pairs("redirect_fields"),
          r.words("upi_link"),
          r.name("ap_transactionid"),
          r.words("orderid"),
          r.words("merchant_id"),
          r.moneyOrNone("amount"),
          r.moneyOrNone("payable_amount"),
          r.moneyOr("surcharge_amount", 0),
          r.wordsOr("iso_currency", "INR"),
          r.whole("transaction_status"),
          r.words("transaction_payment_status"),
          r.words("bank_response_code"),
          r.words("bank_response_msg"));
    }
  }

  /** The gateway's answer to one item. */
  public record RefundResult(
      String transactionId,
      Long amountPaise,
      boolean accepted,
      String message,
      String refundId,
      String mode,
      String code) {
    static RefundResult read(Reader r) {
      return new RefundResult(
          r.number("ap_transactionid"),
          r.limit("amount"),
          r.yesOrNo("success"),
          r.words("message"),
          r.number("refund_id"),
          r.wordsOr("mode", "refund"),
          r.wordsOr("response_code", "00"));
    }
  }

  /** The answers in the order of the items. */
  public record RefundResults(
      List<RefundResult> results) {
    static RefundResults read(Reader r) {
      return new RefundResults(
          r.objects("transactions", RefundResult::read));
    }
  }

  /** One period of a subscription. */
  public record SubscriptionDebit(
      long period,
      long amountPaise,
      String state,
      OffsetDateTime debitAt,
      String orderTransactionId) {
    static SubscriptionDebit read(Reader r) {
      return new SubscriptionDebit(
          r.whole("period"),
          r.money("amount"),
          r.name("state"),
          r.moment("debit_at"),
          r.words("ap_transactionid"));
    }
  }

  /** A subscription in its current state. */
  public record Subscription(
      String transactionId,
      String orderId,
      String state,
      long amountPaise,
      long maxPaise,
      String period,
      long every,
      LocalDate nextDebitOn,
      Long debitsMax,
      long retries,
      LocalDate validUntil,
      String channel,
      String umrn,
      String payerVpa,
      String manageUrl,
      List<SubscriptionDebit> debits) {
    static Subscription read(Reader r) {
      return new Subscription(
          r.name("ap_transactionid"),
          r.name("orderid"),
          r.name("state"),
          r.money("sb_amount"),
          r.money("sb_maxamount"),
          r.name("sb_period"),
          r.whole("sb_frequency"),
          r.day("sb_nextrundate"),
          r.wholeOrNone("sb_recurringcount", 999),
          r.whole("sb_retryattempts"),
          r.day("valid_until"),
          r.words("chmod"),
          r.words("umrn"),
          r.words("customer_vpa"),
          r.words("manage_url"),
          r.objects("debits", SubscriptionDebit::read));
    }

    /** Return no value: some are secret, or a customer's own. */
    @Override
    public String toString() {
      return "Subscription";
    }
  }

  /** A page of subscriptions, newest first, without their debits. */
  public record Subscriptions(
      List<Subscription> subscriptions) {
    static Subscriptions read(Reader r) {
      return new Subscriptions(
          r.objects("subscriptions", Subscription::read));
    }
  }

  /** One card that a customer lets a merchant keep. */
  public record SavedCard(
      String token,
      String customerId,
      String number,
      String scheme,
      String type,
      String issuer,
      OffsetDateTime savedAt) {
    static SavedCard read(Reader r) {
      return new SavedCard(
          r.name("token"),
          r.name("UID"),
          r.name("card_number"),
          r.words("card_scheme"),
          r.words("card_type"),
          r.words("bank_name"),
          r.moment("saved_at"));
    }

    /** Return no value: some are secret, or a customer's own. */
    @Override
    public String toString() {
      return "SavedCard";
    }
  }

  /** The saved cards of one customer, newest first. */
  public record SavedCards(
      List<SavedCard> cards) {
    static SavedCards read(Reader r) {
      return new SavedCards(
          r.objects("cards", SavedCard::read));
    }
  }

  /** A line of what a link is for, in paise. amount_paise: of all its pieces together. */
  public record PaymentLinkItem(
      String description,
      long quantity,
      long amountPaise) {
    static PaymentLinkItem read(Reader r) {
      return new PaymentLinkItem(
          r.name("description"),
          r.whole("quantity"),
          r.money("amount"));
    }
  }

  /** A payment under a link, in paise, counted once it was paid. */
  public record LinkPayment(
      String orderId,
      String transactionId,
      long amountPaise,
      long countedPaise,
      long returnedPaise,
      OffsetDateTime paidAt) {
    static LinkPayment read(Reader r) {
      return new LinkPayment(
          r.name("orderid"),
          r.name("ap_transactionid"),
          r.money("amount"),
          r.money("counted_amount"),
          r.money("returned_amount"),
          r.moment("paid_at"));
    }
  }

  /** A payment link in its current state, in paise. */
  public record PaymentLink(
      String linkId,
      String reference,
      String url,
      String state,
      long amountPaise,
      long paidPaise,
      long minimumPaise,
      String description,
      String surplus,
      OffsetDateTime createdAt,
      OffsetDateTime validUntil,
      List<PaymentLinkItem> items,
      List<LinkPayment> payments) {
    static PaymentLink read(Reader r) {
      return new PaymentLink(
          r.name("link_id"),
          r.name("link_reference"),
          r.name("url"),
          r.name("state"),
          r.money("amount"),
          r.money("paid_amount"),
          r.moneyOrNone("minimum"),
          r.name("description"),
          r.name("surplus"),
          r.moment("created_at"),
          r.moment("valid_until"),
          r.objectsOrNone("items", PaymentLinkItem::read),
          r.objectsOrNone("payments", LinkPayment::read));
    }

    /** Return no value: some are secret, or a customer's own. */
    @Override
    public String toString() {
      return "PaymentLink";
    }
  }

  /** A page of payment links, newest first, without their payments. */
  public record PaymentLinks(
      List<PaymentLink> links) {
    static PaymentLinks read(Reader r) {
      return new PaymentLinks(
          r.objects("links", PaymentLink::read));
    }
  }

  /** One bank account's share of a settlement. */
  public record SettlementShare(
      String beneficiary,
      long amountPaise,
      String payoutId,
      String payoutState,
      String utr) {
    static SettlementShare read(Reader r) {
      return new SettlementShare(
          r.name("beneficiary"),
          r.money("amount"),
          r.words("payout_id"),
          r.words("payout_state"),
          r.words("utr"));
    }
  }

  /** What you were owed on one day, in whole paise. */
  public record Settlement(
      String settlementId,
      LocalDate day,
      String kind,
      long items,
      long carriedInPaise,
      long grossPaise,
      long refundsPaise,
      long otherPaise,
      long feePaise,
      long taxPaise,
      long instantFeePaise,
      long instantTaxPaise,
      long reserveHeldPaise,
      long reserveReleasedPaise,
      long netPaise,
      long splitsPaise,
      long carriedPaise,
      String currency,
      String utr,
      List<SettlementShare> shares) {
    static Settlement read(Reader r) {
      return new Settlement(
          r.name("settlement_id"),
          r.day("settlement_day"),
          r.name("kind"),
          r.whole("items"),
          r.balance("carried_in_amount"),
          r.money("gross_amount"),
          r.balance("refunds_amount"),
          r.balance("other_amount"),
          r.money("fee_amount"),
          r.money("tax_amount"),
          r.money("instant_fee_amount"),
          r.money("instant_tax_amount"),
          r.money("reserve_held_amount"),
          r.money("reserve_released_amount"),
          r.money("net_amount"),
          r.money("splits_amount"),
          r.balance("carried_amount"),
          r.nameOr("iso_currency", "INR"),
          r.words("utr"),
          r.objectsOrNone("shares", SettlementShare::read));
    }
  }

  /** A page of settlements, newest first, without their shares. */
  public record Settlements(
      List<Settlement> settlements) {
    static Settlements read(Reader r) {
      return new Settlements(
          r.objects("settlements", Settlement::read));
    }
  }

  /** One item of a settlement: gross less fee and tax is net. */
  public record SettlementItem(
      String itemId,
      String kind,
      String transactionId,
      String orderId,
      OffsetDateTime at,
      long grossPaise,
      long feePaise,
      long taxPaise,
      long netPaise,
      String rule) {
    static SettlementItem read(Reader r) {
      return new SettlementItem(
          r.name("item_id"),
          r.name("kind"),
          r.words("ap_transactionid"),
          r.words("orderid"),
          r.moment("at"),
          r.balance("gross_amount"),
          r.money("fee_amount"),
          r.money("tax_amount"),
          r.balance("net_amount"),
          r.words("fee_rule"));
    }
  }

  /** A page of a settlement's items. next: the `after` of the next page, "" at the end. */
  public record SettlementItems(
      List<SettlementItem> items,
      String next) {
    static SettlementItems read(Reader r) {
      return new SettlementItems(
          r.objects("items", SettlementItem::read),
          r.words("next"));
    }
  }

  /** One try to pay out a share of a settlement. */
  public record Payout(
      String payoutId,
      String settlementId,
      String beneficiary,
      long amountPaise,
      String currency,
      String state,
      String rail,
      String account,
      String utr,
      String reason,
      OffsetDateTime createdAt,
      OffsetDateTime sentAt,
      OffsetDateTime endedAt) {
    static Payout read(Reader r) {
      return new Payout(
          r.name("payout_id"),
          r.name("settlement_id"),
          r.name("beneficiary"),
          r.money("amount"),
          r.nameOr("iso_currency", "INR"),
          r.name("state"),
          r.words("rail"),
          r.words("account"),
          r.words("utr"),
          r.words("reason"),
          r.moment("created_at"),
          r.moment("sent_at"),
          r.moment("ended_at"));
    }
  }

  /** A page of payouts, newest first. */
  public record Payouts(
      List<Payout> payouts) {
    static Payouts read(Reader r) {
      return new Payouts(
          r.objects("payouts", Payout::read));
    }
  }

  /** The next settlement, as far as it is known now, in paise. */
  public record NextSettlement(
      LocalDate day,
      OffsetDateTime dueAt,
      long items,
      long netPaise,
      long splitsPaise,
      long carriedPaise,
      String currency,
      boolean held) {
    static NextSettlement read(Reader r) {
      return new NextSettlement(
          r.day("settlement_day"),
          r.moment("due_at"),
          r.whole("items"),
          r.money("net_amount"),
          r.money("splits_amount"),
          r.balance("carried_amount"),
          r.nameOr("iso_currency", "INR"),
          r.flag("held"));
    }
  }

  /** One price. Empty tuples mean everything; None is no bound. */
  public record Price(
      String rule,
      List<String> channels,
      List<String> networks,
      List<String> notNetworks,
      List<String> cardTypes,
      List<String> notCardTypes,
      Long abovePaise,
      Long upToPaise,
      long basisPoints,
      long fixedPaise,
      Long minimumPaise,
      Long maximumPaise) {
    static Price read(Reader r) {
      return new Price(
          r.name("rule"),
          r.texts("channels"),
          r.texts("networks"),
          r.texts("not_networks"),
          r.texts("card_types"),
          r.texts("not_card_types"),
          r.limit("above_amount"),
          r.limit("up_to_amount"),
          r.money("percent"),
          r.money("fixed_amount"),
          r.limit("minimum_amount"),
          r.limit("maximum_amount"));
    }
  }

  /** The prices in force today. */
  public record PriceList(
      long planNo,
      LocalDate firstDay,
      List<Price> prices) {
    static PriceList read(Reader r) {
      return new PriceList(
          r.whole("plan_no"),
          r.day("first_day"),
          r.objects("prices", Price::read));
    }
  }

  /** An account that receives payouts. */
  public record BankAccount(
      String beneficiary,
      String holder,
      String account,
      String ifsc,
      String state,
      OffsetDateTime addedAt) {
    static BankAccount read(Reader r) {
      return new BankAccount(
          r.name("beneficiary"),
          r.words("holder"),
          r.name("account"),
          r.name("ifsc"),
          r.name("state"),
          r.moment("added_at"));
    }
  }

  /** The accounts that receive payouts. */
  public record BankAccounts(
      List<BankAccount> accounts) {
    static BankAccounts read(Reader r) {
      return new BankAccounts(
          r.objects("accounts", BankAccount::read));
    }
  }

  /** One linked account's share of the transaction. amount: decimal text with two places. */
  public record SplitShare(
      String identifier,
      long amountPaise) {
    static SplitShare read(Reader r) {
      return new SplitShare(
          r.words("identifier"),
          r.money("amount"));
    }
  }

  /** The current split. */
  public record SplitData(
      String requestId,
      String status,
      String transactionId,
      long primaryPaise,
      List<SplitShare> shares) {
    static SplitData read(Reader r) {
      return new SplitData(
          r.words("split_request_id"),
          r.words("status"),
          r.words("ap_transactionid"),
          r.money("primary_amount"),
          r.objects("splits", SplitShare::read));
    }
  }

  /** One phase of a dispute, in paise of the payment's currency; fee and tax in paise of rupees. */
  public record DisputePhase(
      String phase,
      String state,
      long amountPaise,
      long heldPaise,
      long takenPaise,
      long acceptedPaise,
      long feePaise,
      long taxPaise,
      String reason,
      OffsetDateTime openedAt,
      OffsetDateTime respondBy,
      OffsetDateTime answeredAt,
      OffsetDateTime sentAt,
      OffsetDateTime endedAt) {
    static DisputePhase read(Reader r) {
      return new DisputePhase(
          r.name("phase"),
          r.name("state"),
          r.money("amount"),
          r.money("held_amount"),
          r.money("taken_amount"),
          r.money("accepted_amount"),
          r.money("fee_amount"),
          r.money("tax_amount"),
          r.words("reason"),
          r.moment("opened_at"),
          r.moment("respond_by"),
          r.moment("answered_at"),
          r.moment("sent_at"),
          r.moment("ended_at"));
    }
  }

  /** A document for the answer to a dispute, without its content. */
  public record Evidence(
      String evidenceId,
      String name,
      String type,
      long bytes,
      String sha256,
      OffsetDateTime addedAt,
      OffsetDateTime sentAt) {
    static Evidence read(Reader r) {
      return new Evidence(
          r.name("evidence_id"),
          r.words("name"),
          r.name("type"),
          r.whole("bytes"),
          r.name("sha256"),
          r.moment("added_at"),
          r.moment("sent_at"));
    }
  }

  /** A dispute. order_id: "" for a payment in the archive. */
  public record Dispute(
      DisputePhase now,
      String disputeId,
      String transactionId,
      String orderId,
      String currency,
      List<DisputePhase> phases,
      List<Evidence> evidence) {
    static Dispute read(Reader r) {
      return new Dispute(
          DisputePhase.read(r),
          r.name("dispute_id"),
          r.name("ap_transactionid"),
          r.words("orderid"),
          r.name("iso_currency"),
          r.objectsOrNone("phases", DisputePhase::read),
          r.objectsOrNone("evidence", Evidence::read));
    }
  }

  /** A page of disputes, newest first, without their phases and documents. */
  public record Disputes(
      List<Dispute> disputes) {
    static Disputes read(Reader r) {
      return new Disputes(
          r.objects("disputes", Dispute::read));
    }
  }

  /** A notification as it is sent to your server, signed when it was read. */
  public record AnnouncedNotification(
      String webhookId,
      String event,
      String orderId,
      String transactionId,
      String state,
      OffsetDateTime createdAt,
      String contentType,
      String timestamp,
      String signature,
      String text) {
    static AnnouncedNotification read(Reader r) {
      return new AnnouncedNotification(
          r.name("webhook_id"),
          r.words("event"),
          r.words("orderid"),
          r.words("ap_transactionid"),
          r.words("state"),
          r.moment("created_at"),
          r.name("content_type"),
          r.name("webhook_timestamp"),
          r.name("webhook_signature"),
          r.name("body"));
    }
  }

  /** Notifications in the order of their events. next: the `after` of the next page. */
  public record AnnouncedPage(
      List<AnnouncedNotification> notifications,
      String next) {
    static AnnouncedPage read(Reader r) {
      return new AnnouncedPage(
          r.objects("notifications", AnnouncedNotification::read),
          r.name("next"));
    }
  }
}
