// What the pages of partners' interfaces show in JavaScript, from Node's own library.

// [ask]
import { createHash } from "node:crypto";

const { env } = process;
const OWN = {
  affiliate: env.AFFILIATE,
  "api-key": env.API_KEY,
  "processor-key": env.PROCESSOR_KEY,
};
const sha256 = (text) => createHash("sha256").update(text).digest("hex");

/** Returns the reply of one call, which is JSON. */
async function post(path, body, headers) {
  const signal = AbortSignal.timeout(30_000);
  const call = { method: "POST", body, headers, signal };
  return (await fetch(`${env.BASE_URL}/gateway/ms${path}`, call)).text();
}

/** Calls an interface with the checksum of its values. */
async function ask(path, parameters, keys = OWN) {
  const checksum = sha256(Object.values(parameters).join("") + env.PARTNER_SECRET);
  return post(path, new URLSearchParams(parameters), { ...keys, checksum });
}
// [end]

// [calculator]
const asked = { cost: "10000", profit: "500", gst: "100.50", same_state: "Y" };
console.log(await ask("/baas/api/gst-calculator", asked));
// [end]

// [registration]
console.log(await ask("/baas/api/gst-verification", { gstin: env.GSTIN }));
// [end]

// [holder]
const consentText = "I agree that my number is checked for opening an account.";
const holder = { name: env.NAME, consentText, aadhaarNo: env.AADHAAR };
console.log(await ask("/baas/api/aadhaar-verification", holder));
// [end]

// [document]
console.log(await ask("/baas/api/aadhaar-xml", { type: "otp", aadhaarNo: env.AADHAAR }));
// [end]

// [cards]
const token = { token: env.CARD_TOKEN };
console.log(await ask("/cards/api/card-details", { entity_id: env.ENTITY_ID }, token));
// [end]

// [lead]
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

const named = createHash("md5").update(`${env.AFFILIATE}~:~${env.PARTNER_SECRET}`);
const key = named.digest("hex");
const iv = randomBytes(8).toString("hex");
const sealing = createCipheriv("aes-256-cbc", key, iv);
const query = iv + sealing.update(env.LEAD, "utf8", "base64") + sealing.final("base64");
const reply = await post("/leads/api/createlead", JSON.stringify({ query }), {
  affiliate: env.AFFILIATE,
  "processor-key": env.PROCESSOR_KEY,
  checksum: sha256(query + env.AFFILIATE + env.PARTNER_SECRET),
  "content-type": "application/json",
});
const sealed = JSON.parse(reply).query;
const opening = createDecipheriv("aes-256-cbc", key, sealed.slice(0, 16));
console.log(opening.update(sealed.slice(16), "base64", "utf8") + opening.final("utf8"));
// [end]

// [sales]
const terminal = { mercid: env.MERCID, terminalid: env.TERMINALID, uniqueid: env.UNIQUEID };
console.log(await post("/pos/api/transaction-detail-bulk", new URLSearchParams(terminal), {}));
// [end]

// [entries]
import { createHmac } from "node:crypto";

const entry = { terminalid: env.TERMINALID, reference: env.REFERENCE, amount: "149.50", table: "7" };
const body = JSON.stringify({ mercid: env.MERCID, entries: [entry] });
const timestamp = String(Math.floor(Date.now() / 1000));
const mac = createHmac("sha256", env.PARTNER_SECRET).update(`${timestamp}.${body}`);
const headers = { affiliate: env.AFFILIATE, timestamp, signature: mac.digest("hex") };
headers["content-type"] = "application/json";
console.log(await post("/pos/api/transaction-entries", body, headers));
// [end]
