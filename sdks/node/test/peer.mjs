// Answers requests, one a line: what vectors, random messages and a shop's life ask of an SDK.

import { createInterface } from "node:readline";
import * as checksum from "../dist/esm/checksum.js";
import { sealed, readReply } from "../dist/esm/calls.js";
import * as cipher from "../dist/esm/cipher.js";
import {
  Callbacks,
  Client,
  Credentials,
  HundiError,
  amountText,
  paise,
} from "../dist/esm/index.js";
import { JsonNumber, REPLY_VALUES_MAX, UnreadableJson, compact, parse } from "../dist/esm/json.js";
import { Reader } from "../dist/esm/reader.js";
import { checkAge, signedAt } from "../dist/esm/signature.js";

const SHOWN = [
  "transactionId",
  "orderId",
  "merchantId",
  "amountPaise",
  "statusCode",
  "channel",
  "customerName",
  "message",
  "customVar",
  "rrn",
  "refundedPaise",
  "createdAt",
  "atRisk",
  "isPaid",
  "isPending",
  "isFailed",
  "isAuthorised",
  "isVoided",
  "isRefund",
  "isFinal",
];
let client;

const keyOf = (given) => cipher.encryptionKey(given.username, given.password);
const bytes = (text) => Buffer.from(text, "base64");
const snake = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const ANSWERS = {
  key: (given) => keyOf(given).toString(),
  seal: (given) => cipher.seal(keyOf(given), given.text, given.iv),
  open: (given) => cipher.open(keyOf(given), given.encdata).toString("base64"),
  open_json: (given) => compact(cipher.openJson(keyOf(given), given.encdata)),
  json: (given) => compact(parse(bytes(given.base64))),
  checksum: (given) => ({
    v4: checksum.v4(given.fields, given.day),
    ...checksum.crc32Forms(given.fields),
  }),
  privatekey: (given) => checksum.privatekey(given.secret, given.username, given.password),
  secure_hash: (given) => checksum.secureHash(given.values, given.payer_vpa),
  envelope: (given) => sealed(credentialsOf(given.credentials), given.fields, given.day, given.iv),
  signature(given) {
    const { id, timestamp, signatures, content } = given;
    const at = signedAt(given.keys, { id, timestamp, signatures, content });
    checkAge(at, Number(given.now), Number(given.tolerance));
    return String(at);
  },
  paise: (given) => canonical(paise(given.text)),
  amount_text: (given) => amountText(Number(given.paise)),
  read: (given) => canonical(new Reader(new Map([["field", given.text]]))[given.kind]("field")),
  record_time: (given) =>
    canonical(new Reader(new Map([["field", given.text]])).record_time("field")),
  return(given) {
    const order = {
      orderId: given.order_id,
      amountPaise: Number(given.amount_paise),
      currency: given.currency,
    };
    const told = callbacksOf(given).readReturn(given.form, order);
    return { webhook_id: told.webhookId, ...summary(told.transaction) };
  },
  notification(given) {
    const told = callbacksOf(given).readNotification(given.headers, bytes(given.body));
    const about = {
      webhook_id: told.webhookId,
      event: told.event,
      sent_at: canonical(told.sentAt),
    };
    return { ...about, ...summary(told.transaction) };
  },
  reply: (given) => compact(readReply(credentialsOf(given.credentials), bytes(given.body), {})),

  speed(given) {
    const key = cipher.encryptionKey("demo-user", "demo-pass");
    const text = "x".repeat(1024);
    const started = performance.now();
    for (let round = 0; round < Number(given.rounds); round += 1)
      cipher.open(key, cipher.seal(key, text));
    return (((performance.now() - started) * 1000) / Number(given.rounds)).toFixed(1);
  },

  // A shop's life at a running gateway.
  connect(given) {
    client = new Client(credentialsOf(given.credentials), {
      baseUrl: given.base_url,
      paymentPageUrl: given.payment_page_url,
      pausesS: [0.01, 0.01],
      timeoutS: 20,
    });
    return "";
  },
  async payment_form(given) {
    const form = await client.paymentForm({
      orderId: given.order_id,
      amountPaise: Number(given.amount_paise),
      buyer: {
        email: "asha@example.in",
        phone: "+91 98765-43210",
        firstname: "आशा",
        lastname: "O'Brien",
      },
      txnsubtype: given.txnsubtype,
    });
    return { action: form.actionUrl, fields: form.fields, html: form.html() };
  },
  async verify(given) {
    return summary(
      await client.verify({ orderId: given.order_id, amountPaise: Number(given.amount_paise) }),
    );
  },
  async refund(given) {
    const items = [
      { transactionId: given.transaction_id, amountPaise: Number(given.amount_paise) },
    ];
    const [result] = await client.refund(items, given.request_id);
    return {
      accepted: canonical(result.accepted),
      code: result.code,
      amount_paise: canonical(result.amountPaise),
    };
  },
  async generate_qr(given) {
    const qr = await client.generateQr({
      orderId: given.order_id,
      amountPaise: Number(given.amount_paise),
    });
    return { text: qr.text, order_id: qr.orderId, png: Buffer.from(qr.png.slice(1, 4)).toString() };
  },
  async validate_vpa(given) {
    const found = await client.validateVpa(given.address);
    return { address: found.address, is_registered: canonical(found.isRegistered) };
  },
  async split(given) {
    const parts = [{ identifier: given.identifier, value: Number(given.share) }];
    const { transaction_id, rrn, request_id } = given;
    const split = await client.split({
      transactionId: transaction_id,
      rrn,
      requestId: request_id,
      type: "percentage",
      primaryValue: 10000 - Number(given.share),
      parts,
    });
    return { status: split.status, primary_paise: canonical(split.primaryPaise) };
  },
  async capture(given) {
    return summary(await client.capture({ transactionId: given.transaction_id }));
  },
  async banks() {
    return [...new Set((await client.banks()).map((bank) => bank.channel))].sort().join(" ");
  },
  async create_link(given) {
    const link = await client.createLink({
      reference: given.reference,
      amountPaise: 5000,
      description: "Tea",
    });
    const again = await client.link({ reference: given.reference });
    return { state: link.state, same: canonical(link.linkId === again.linkId) };
  },
};

function canonical(value) {
  if (value === undefined) return "";
  return value instanceof Date ? String(Math.floor(value.getTime() / 1000)) : String(value);
}

function summary(told) {
  return Object.fromEntries(SHOWN.map((name) => [snake(name), canonical(told[name])]));
}

function credentialsOf(given) {
  return new Credentials({
    merchantId: given.merchant_id,
    username: given.username,
    password: given.password,
    apiSecret: given.api_secret,
    oauthClientId: given.oauth_client_id,
    oauthClientSecret: given.oauth_client_secret,
    webhookKeys: given.webhook_keys,
  });
}

function callbacksOf(given) {
  return new Callbacks(credentialsOf(given.credentials), { clock: () => Number(given.now) });
}

/** Return a request's values as plain ones, but for the fields whose order and numbers count. */
function plain(value, name = "") {
  if (name === "fields" || value instanceof JsonNumber) return value;
  if (Array.isArray(value)) return value.map((each) => plain(each));
  if (value instanceof Map)
    return Object.fromEntries(Array.from(value, ([key, each]) => [key, plain(each, key)]));
  return value;
}

function refused(error) {
  if (error instanceof cipher.UnreadableCipher || error instanceof UnreadableJson)
    return { kind: "unreadable" };
  if (!(error instanceof HundiError)) throw error;
  const { kind, code, retry, field, received, allowed } = error;
  if (kind === "invalid_request") return { kind, field, received, allowed };
  return { kind, code, retry, ...(field ? { field, received, allowed } : {}) };
}

for await (const line of createInterface({ input: process.stdin })) {
  const asked = parse(line, REPLY_VALUES_MAX);
  let answer;
  try {
    answer = { gives: await ANSWERS[asked.get("do")](plain(asked.get("with"))) };
  } catch (error) {
    answer = { refused: refused(error) };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
