// A shop on openapi-fetch, with the types that openapi-typescript made: as shop.py, and the compiler checks every field.
import { readFileSync } from "node:fs";
import createClient from "openapi-fetch";
import type { components as PartnerComponents, paths as PartnerPaths } from "./partner.js";
import type { components, paths } from "./payment.js";
import type { components as PlainComponents, paths as PlainPaths } from "./plain.js";

type Envelope = components["schemas"]["IssueTokenCall"];
type Keys = { affiliate: string; api_key: string; processor_key: string; checksum: string };
type Asked = {
  base_url: string;
  token: Envelope;
  banks: components["schemas"]["BanksCall"];
  verify: components["schemas"]["VerifyCall"];
  "wrong key": components["schemas"]["RefundCall"];
  sealed: Envelope;
  gst: PartnerComponents["schemas"]["CalculationRequest"];
  keys: Keys;
  order: PlainComponents["schemas"]["PlainOrderRequest"];
  "bearer key": string;
};

const asked: Asked = JSON.parse(readFileSync(0, "utf8"));
const shop = createClient<paths>({ baseUrl: asked.base_url });
const partner = createClient<PartnerPaths>({ baseUrl: asked.base_url });

function known<Answer>(reply: { data?: Answer; response: Response }): Answer {
  if (reply.data === undefined) throw new Error(`HTTP ${reply.response.status}`);
  return reply.data;
}

const issued = known(await shop.POST("/gateway/pay/v4/api/oauth2/", { body: asked.token }));
if (!("status" in issued) || issued.status !== "success") throw new Error(JSON.stringify(issued));
// The compiler knows by the status that this is a token.
const params = { query: { token: issued.data.access_token } };
const banks = known(await shop.POST("/gateway/pay/v4/api/banks/", { params, body: asked.banks }));
const verified = known(await shop.POST("/gateway/pay/v4/api/verify/", { params, body: asked.verify }));
const refused = known(await shop.POST("/gateway/pay/v4/api/refund/", { params, body: asked["wrong key"] }));
const sealed = known(await shop.POST("/gateway/pay/v4/api/oauth2/", { body: asked.sealed }));

const { affiliate, api_key, processor_key, checksum } = asked.keys;
const header = { affiliate, "api-key": api_key, "processor-key": processor_key, checksum };
const calculator = "/gateway/ms/baas/api/gst-calculator";
const tax = known(await partner.POST(calculator, { params: { header }, body: asked.gst }));
const unproven = { ...header, checksum: "0".repeat(64) };
const untaxed = known(await partner.POST(calculator, { params: { header: unproven }, body: asked.gst }));
const total: string = "data" in tax && typeof tax.data === "object" ? tax.data.total_amount : "";

const headers = { authorization: `Bearer ${asked["bearer key"]}` };
const plain = createClient<PlainPaths>({ baseUrl: asked.base_url, headers });
const made = known(await plain.POST("/v1/orders", { body: asked.order }));
const path = { order_id: made.order_id };
const again = known(await plain.GET("/v1/orders/{order_id}", { params: { path } }));
const key = { "Idempotency-Key": "typescript" };
const wanted = { transaction_id: made.transaction_id };
const refund = await plain.POST("/v1/refunds", { params: { header: key }, body: wanted });
if (refund.error === undefined) throw new Error("an unpaid order was refunded");

console.log(
  JSON.stringify({
    order: made,
    "order again": again,
    "no refund": refund.error,
    token: issued,
    banks: banks,
    verify: verified,
    "wrong key": refused,
    sealed: sealed,
    gst: tax,
    "gst refused": untaxed,
    total: total,
  }),
);
