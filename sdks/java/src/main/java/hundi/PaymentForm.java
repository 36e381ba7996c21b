package hundi;

import java.util.Map;
import java.util.stream.Collectors;

/**
 * The form that a customer's browser posts to reach the payment page. Never store or log it: the
 * address carries an access token.
 */
public final class PaymentForm {
  private final String actionUrl;
  private final Map<String, String> fields;

  PaymentForm(String actionUrl, Map<String, String> fields) {
    this.actionUrl = actionUrl;
    this.fields = Map.copyOf(fields);
  }

  public String actionUrl() {
    return actionUrl;
  }

  public Map<String, String> fields() {
    return fields;
  }

  /** Return a whole HTML page that submits itself, with a button where scripts are off. */
  public String html() {
    return html("", "Going to the payment page", "Continue to pay");
  }

  /**
   * nonce: of your Content-Security-Policy, for the one inline script. title, button: plain text.
   */
  public String html(String nonce, String title, String button) {
    String inputs =
        fields.entrySet().stream()
            .map(each -> input(each.getKey(), each.getValue()))
            .collect(Collectors.joining("\n"));
    String nonceAttribute = nonce.isEmpty() ? "" : " nonce=\"" + escaped(nonce) + "\"";
    // The policy "origin" shows the gateway which shop sent the customer, but no private page.
    return """
           <!doctype html>
           <html lang="en">
           <head>
           <meta charset="utf-8">
           <meta name="viewport" content="width=device-width, initial-scale=1">
           <meta name="referrer" content="origin">
           <title>%1$s</title>
           </head>
           <body>
           <form id="hundi-payment" method="post" action="%2$s" accept-charset="utf-8">
           %3$s
           <p>%1$s…</p>
           <button type="submit">%4$s</button>
           </form>
           <script%5$s>document.getElementById("hundi-payment").submit()</script>
           </body>
           </html>
           """
        .formatted(escaped(title), escaped(actionUrl), inputs, escaped(button), nonceAttribute);
  }

  private static String input(String name, String value) {
    return "<input type=\"hidden\" name=\""
        + escaped(name)
        + "\" value=\""
        + escaped(value)
        + "\">";
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;")
        .replace("'", "&#x27;");
  }
}
