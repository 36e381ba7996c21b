/** Hundi in a shop made with Express: handlers of `(request, response, next)`. */

import type { IncomingMessage, ServerResponse } from "node:http";
import type { PaymentRequest } from "./operations.js";
import { rawBody, type Shop, type ShopAnswer } from "./shop.js";

export * from "./shop.js";

type Request = IncomingMessage & { body?: unknown };
type Next = (error?: unknown) => void;
/** A handler of Express. */
export type Handler = (request: Request, response: ServerResponse, next: Next) => void;

/** Return the handler for the notification's address. Put it before `express.json()`. */
export function notificationHandler<Connection>(shop: Shop<Connection>): Handler {
  return answering((request, body) => shop.notification(request.headers, body));
}

/** Return the handler for the address of the return. Put it before `express.urlencoded()`. */
export function returnHandler<Connection>(shop: Shop<Connection>): Handler {
  return answering((_, body) => shop.returned(body));
}

/** Answer a request with the document that takes its customer to the payment page. */
export async function sendPaymentPage<Connection>(
  shop: Shop<Connection>,
  response: ServerResponse,
  order: PaymentRequest,
  nonce = "",
): Promise<void> {
  send(response, await shop.paymentPage(order, nonce));
}

function answering(
  act: (request: Request, body: Uint8Array) => Promise<ShopAnswer>,
): Handler {
  return (request, response, next) => {
    unreadBody(request)
      .then((body) => act(request, body))
      .then((answer) => send(response, answer))
      .catch(next);
  };
}

async function unreadBody(request: Request): Promise<Uint8Array> {
  if (request.body instanceof Uint8Array) return request.body; // express.raw()
  if (request.readableEnded) {
    throw new Error("the body was parsed before: put Hundi's handlers before express.json()");
  }
  return rawBody(request);
}

function send(response: ServerResponse, answer: ShopAnswer): void {
  response.writeHead(answer.status, answer.headers).end(answer.body);
}
