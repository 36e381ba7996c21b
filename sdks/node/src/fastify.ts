/** Hundi in a shop made with Fastify: a plugin with the two addresses that the gateway knows. */

import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from "fastify";
import type { PaymentRequest } from "./operations.js";
import { BODY_BYTES_MAX, type Shop, type ShopAnswer } from "./shop.js";

export * from "./shop.js";

/**
 * Return the plugin: `fastify.register(hundi(shop), { prefix: "/hundi" })` opens `/notification`
 * and `/return`. Bodies are kept as they came, in this plugin alone.
 */
export function hundi<Connection>(shop: Shop<Connection>): FastifyPluginAsync {
  return async (fastify) => {
    fastify.removeAllContentTypeParsers();
    const options = { parseAs: "buffer" as const, bodyLimit: BODY_BYTES_MAX };
    fastify.addContentTypeParser("*", options, (_, body, done) => done(null, body));
    fastify.post("/notification", async (request, reply) =>
      send(reply, await shop.notification(request.headers, bodyOf(request))),
    );
    fastify.post("/return", async (request, reply) =>
      send(reply, await shop.returned(bodyOf(request))),
    );
  };
}

/** Answer a request with the document that takes its customer to the payment page. */
export async function sendPaymentPage<Connection>(
  shop: Shop<Connection>,
  reply: FastifyReply,
  order: PaymentRequest,
  nonce = "",
): Promise<unknown> {
  return send(reply, await shop.paymentPage(order, nonce));
}

function bodyOf(request: FastifyRequest): Uint8Array {
  return request.body instanceof Uint8Array ? request.body : new Uint8Array();
}

function send(reply: FastifyReply, answer: ShopAnswer): unknown {
  return reply.code(answer.status).headers(answer.headers).send(answer.body);
}
