/** The form that a customer's browser posts to reach the payment page. */

/** Render it at once, and never store or log it: the address carries an access token. */
export class PaymentForm {
  constructor(
    readonly actionUrl: string,
    readonly fields: Readonly<Record<string, string>>,
  ) {}

  /** Return a whole HTML page that submits itself, with a button where scripts are off. */
  html({
    nonce = "",
    title = "Going to the payment page",
    button = "Continue to pay",
  } = {}): string {
    const inputs = Object.entries(this.fields)
      .map(
        ([name, value]) => `<input type="hidden" name="${escape(name)}" value="${escape(value)}">`,
      )
      .join("\n");
    const nonceAttribute = nonce ? ` nonce="${escape(nonce)}"` : "";
    // The policy "origin" shows the gateway which shop sent the customer, but no private page.
    return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="origin">
<title>${escape(title)}</title>
</head>
<body>
<form id="hundi-payment" method="post" action="${escape(this.actionUrl)}" accept-charset="utf-8">
${inputs}
<p>${escape(title)}…</p>
<button type="submit">${escape(button)}</button>
</form>
<script${nonceAttribute}>document.getElementById("hundi-payment").submit()</script>
</body>
</html>
`;
  }
}

const SIGNS: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#x27;",
};

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => SIGNS[sign]!);
}
