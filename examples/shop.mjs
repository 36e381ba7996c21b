// A whole shop in one file: one thing to buy, paid through a Hundi gateway.
//
//     make -C sdks node
//     node examples/shop.mjs merchant.json http://127.0.0.1:8080 9000
//
// `merchant.json` is what `hundi merchant add --json` printed; the merchant's addresses are `/return`
// and `/notifications` of this shop. Orders are kept in memory: keep yours in a database. A shop of
// your own imports "hundi" (sdks/node/README.md says how to install it).
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import {
  Callbacks,
  Client,
  Credentials,
  HundiError,
  UntrustedError,
} from "../sdks/node/dist/esm/index.js";

const PRICE_PAISE = 149_950;
const BUYER = { firstname: "Asha", lastname: "Rao", email: "asha@example.in", phone: "9876543210" };
const [, , path, gateway = "http://127.0.0.1:8080", port = "9000"] = process.argv;
const keys = JSON.parse(readFileSync(path, "utf8"));
const credentials = new Credentials({
  merchantId: keys.merchant_id,
  username: keys.username,
  password: keys.password,
  apiSecret: keys.secret,
  oauthClientId: keys.client_id,
  oauthClientSecret: keys.client_secret,
  webhookKeys: keys.webhook_keys,
});
const client = new Client(credentials, { baseUrl: gateway });
const callbacks = new Callbacks(credentials);
const orders = new Map(); // our own books: order id and how it stands

const escaped = (text) => text.replace(/[&<>"]/g, (each) => `&#${each.charCodeAt(0)};`);

function answer(response, text, status = 200) {
  response.writeHead(status, { "content-type": "text/html; charset=utf-8" }).end(text);
}

// Ask the gateway how an order stands; it must name our order id and our amount.
async function ask(orderId) {
  const told = await client.verify({ orderId, amountPaise: PRICE_PAISE });
  const open = told.isPending ? "waiting" : `not paid: ${told.message}`;
  orders.set(orderId, told.isPaid ? "paid" : open);
}

const acts = {
  "GET /": (_request, response) => {
    const lines = [...orders].map(([id, state]) => `<li>${id}: <b>${escaped(state)}</b></li>`);
    const button = "<button>Buy a handloom sari for ₹1,499.50</button>";
    const form = `<form method=post action=/buy>${button}</form><ul>${lines.join("")}</ul>`;
    answer(response, `<!doctype html><title>My shop</title><h1>My shop</h1>${form}`);
  },
  "POST /buy": async (_request, response) => {
    const orderId = `order-${process.hrtime.bigint()}`;
    orders.set(orderId, "waiting");
    const order = { orderId, amountPaise: PRICE_PAISE, buyer: BUYER };
    answer(response, (await client.paymentForm(order)).html());
  },
  // What the browser brings is a claim: ask the gateway before goods are released.
  "POST /return": async (_request, response, body) => {
    const form = Object.fromEntries(new URLSearchParams(body.toString()));
    const orderId = callbacks.claimedOrderId(form);
    if (orders.has(orderId)) await ask(orderId);
    response.writeHead(303, { location: "/" }).end(); // a reload sends nothing twice
  },
  // The gateway's server tells us, also when the customer never comes back; it signs.
  "POST /notifications": async (request, response, body) => {
    const told = callbacks.readNotification(request.headers, body);
    if (orders.has(told.transaction.orderId)) await ask(told.transaction.orderId);
    answer(response, "Written down.");
  },
};

createServer(async (request, response) => {
  const parts = [];
  for await (const part of request) parts.push(part);
  try {
    const act = acts[`${request.method} ${request.url}`];
    if (act) await act(request, response, Buffer.concat(parts));
    else answer(response, "There is nothing here.", 404);
  } catch (error) {
    if (!(error instanceof HundiError)) throw error;
    const isForged = error instanceof UntrustedError;
    const words = isForged ? "Not believed" : "The gateway said";
    answer(response, `${words}: ${escaped(error.message)}`, isForged ? 400 : 502);
  }
}).listen(Number(port), "127.0.0.1", () => console.log(`Open http://127.0.0.1:${port}/`));
