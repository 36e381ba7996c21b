/** Hundi in a shop made with Fastify: a plugin with the two addresses that the gateway knows. */

import type { IncomingHttpHeaders } from "node:http";
import type { PaymentRequest } from "./operations.js";
import { BODY_BYTES_MAX, type Shop, type ShopAnswer } from "./shop.js";

export * from "./shop.js";

/** The part of a reply of Fastify that is used. */
export interface Reply {
  code(status: number): Reply;
  headers(values: Record<string, string>): Reply;
  send(body: string): unknown;
}

/** The part of a request of Fastify that is used. */
export interface Request {
  headers: IncomingHttpHeaders;
  body: unknown;
}

/** The part of an instance of Fastify that is used. */
export interface Instance {
  removeAllContentTypeParsers(): void;
  addContentTypeParser(
    type: string,
    options: { parseAs: "buffer"; bodyLimit: number },
    parser: (request: never, body: Buffer, done: (error: null, body: Buffer) => void) => void,
  ): unknown;
  post(path: string, handler: (request: Request, reply: Reply) => Promise<unknown>): unknown;
}

/**
 * Return the plugin: `fastify.register(hundi(shop), { prefix: "/hundi" })` opens `/notification` and
 * `/return`. Bodies are kept as they came, in this plugin alone.
 */
export function hundi<Connection>(shop: Shop<Connection>) {
  return async (fastify: Instance): Promise<void> => {
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
  reply: Reply,
  order: PaymentRequest,
  nonce = "",
): Promise<unknown> {
  return send(reply, await shop.paymentPage(order, nonce));
}

function bodyOf(request: Request): Uint8Array {
  return request.body instanceof Uint8Array ? request.body : new Uint8Array();
}

function send(reply: Reply, answer: ShopAnswer): unknown {
  return reply.code(answer.status).headers(answer.headers).send(answer.body);
}
