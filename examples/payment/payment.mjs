// What docs/payment.md, callbacks.md and seamless.md show in JavaScript.
import {
  Callbacks,
  Client,
  Credentials,
  UntrustedError,
} from "../../sdks/node/dist/esm/index.js";

const { env } = process;
const credentials = new Credentials({
  merchantId: env.MERCHANT_ID,
  username: env.USERNAME,
  password: env.PASSWORD,
  apiSecret: env.API_SECRET,
  oauthClientId: env.OAUTH_CLIENT_ID,
  oauthClientSecret: env.OAUTH_CLIENT_SECRET,
  webhookKeys: [env.WEBHOOK_KEY],
});
const client = new Client(credentials, {
  baseUrl: env.BASE_URL,
  paymentPageUrl: env.PAYMENT_PAGE_URL,
});
const posted = Object.fromEntries(new URLSearchParams(env.POSTED));
const headers = Object.fromEntries(
  ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) => [
    name,
    env[`HTTP_${name.toUpperCase().replaceAll("-", "_")}`],
  ]),
);
const body = Buffer.concat(await process.stdin.toArray());

// [form]
const buyer = { firstname: "Asha", lastname: "Rao", email: "asha@example.in", phone: "9876543210" };
const form = await client.paymentForm({ orderId: env.NEW_ORDER_ID, amountPaise: 149950, buyer });
console.log(form.html()); // answer the customer's request with this document
// [end]

// [return]
const callbacks = new Callbacks(credentials);
try {
  // the fields that the browser brought; the order's id and amount are those of your own books
  const back = callbacks.readReturn(posted, { orderId: env.ORDER_ID, amountPaise: 149950 });
  console.log(back.transaction.isPaid ? "paid" : "not paid yet");
} catch (error) {
  if (!(error instanceof UntrustedError)) throw error;
  console.log("not believed"); // money may still have moved: verify tells
}
// [end]

// [notification]
try {
  const news = callbacks.readNotification(headers, body); // the raw bytes, as they came
  console.log(news.event, news.transaction.orderId, news.transaction.amountPaise);
} catch (error) {
  if (!(error instanceof UntrustedError)) throw error;
  console.log("not believed"); // answer 4xx
}
// [end]

// [seamless]
const direct = { orderId: `${env.NEW_ORDER_ID}-S`, amountPaise: 149950, buyer };
const step = await client.beginPayment({ ...direct, payBy: "nb", bankCode: "HDFC" });
console.log(step.action); // redirect: send the customer's browser to step.redirectUrl
// [end]
