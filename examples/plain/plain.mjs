// The plain interface from Node's own library: what docs/v1.md shows, one call after another.

// [ask]
const { env } = process;

/** Returns the status and the answer of one call. */
async function ask(method, path, body, headers = {}) {
  const answer = await fetch(`${env.BASE_URL}/v1/${path}`, {
    method,
    headers: {
      authorization: `Bearer ${env.BEARER_KEY}`,
      "content-type": "application/json",
      ...headers,
    },
    body: body && JSON.stringify(body),
    signal: AbortSignal.timeout(30_000),
  });
  return [answer.status, await answer.json()];
}
// [end]

{
  // [create]
  const buyer = { email: "asha@example.in", phone: "9876543210", firstname: "Asha", lastname: "Rao" };
  const order = { order_id: env.NEW_ORDER_ID, amount_paise: 149950, buyer };
  const [, created] = await ask("POST", "orders", order);
  console.log(created.page_url); // send the customer's browser there
  // [end]
}
{
  // [show]
  const [, order] = await ask("GET", `orders/${env.ORDER_ID}`);
  const deliver = order.state === "paid" && order.amount_paise === 149950; // of your own books
  console.log(order.state, order.amount_paise);
  // [end]
}
{
  // [refusal]
  const wrong = { transaction_id: env.TRANSACTION_ID, amount_paise: "1499.50" };
  const [status, problem] = await ask("POST", "refunds", wrong, { "idempotency-key": "wrong" });
  console.log(status, problem.field);
  // [end]
}
{
  // [refund]
  const part = { transaction_id: env.TRANSACTION_ID, amount_paise: 100 };
  const name = `${env.NEW_ORDER_ID}-R`; // of your own books: sent again, it refunds once
  const [status, refund] = await ask("POST", "refunds", part, { "idempotency-key": name });
  console.log(status, refund.amount_paise);
  // [end]
}
{
  // [events]
  const [, events] = await ask("GET", "events");
  console.log(events.items.length);
  const later = `events?cursor=${events.next_cursor}`; // keep it, and ask for this path next time
  // [end]
}

// [webhook]
import { createHmac, timingSafeEqual } from "node:crypto";

/** Returns whether the gateway signed a webhook within the past five minutes. body: a Buffer. */
function isOurs(headers, body) {
  const key = Buffer.from(env.WEBHOOK_KEY.slice("whsec_".length), "base64");
  const stamp = headers["webhook-timestamp"];
  const mac = createHmac("sha256", key).update(`${headers["webhook-id"]}.${stamp}.`).update(body);
  const expected = Buffer.from(`v1,${mac.digest("base64")}`);
  const isSigned = headers["webhook-signature"]
    .split(" ")
    .map((each) => Buffer.from(each))
    .some((each) => each.length === expected.length && timingSafeEqual(each, expected));
  return key.length >= 24 && isSigned && Math.abs(Date.now() / 1000 - Number(stamp)) <= 300;
}
// [end]
const names = ["webhook-id", "webhook-timestamp", "webhook-signature"];
const received = Object.fromEntries(
  names.map((name) => [name, env[`HTTP_${name.toUpperCase().replaceAll("-", "_")}`]]),
);
const parts = await process.stdin.toArray();
console.log(isOurs(received, Buffer.concat(parts)) ? "believed" : "not believed");
