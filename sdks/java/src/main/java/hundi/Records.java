package hundi;

import hundi.HundiException.Kind;
import hundi.Messages.Transaction;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Reads transaction records whose {@code ap_SecureHash} covers them. */
final class Records {
  private static final List<String> COVERED =
      List.of(
          "orderid", "ap_transactionid", "amount", "transaction_status", "message", "merchant_id");

  private Records() {}

  static Transaction transaction(Map<String, Object> record, String username) {
    List<String> values = new ArrayList<>();
    for (String name : COVERED) values.add(Json.textOf(record.get(name)));
    values.add(username);
    boolean isUpi = Json.textOf(record.get("chmod")).equals("upi");
    String payer = isUpi ? Json.textOf(record.get("customer_vpa")) : "";
    String named = Json.textOf(record.get("ap_SecureHash"));
    String received = named.isEmpty() ? Json.textOf(record.get("ap_securehash")) : named;
    if (!received.strip().equals(Envelope.secureHash(values, payer))) {
      String message = "ap_SecureHash does not cover the values beside it";
      throw HundiException.untrusted(Kind.SECURE_HASH, message);
    }
    return Transaction.read(Reader.of(record));
  }
}
