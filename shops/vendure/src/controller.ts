/** The addresses that the merchant's settings at the gateway name. */

import { Controller, Inject, Post, Req, Res } from "@nestjs/common";
import { Logger } from "@vendure/core";
import type { Request, Response } from "express";
import { HundiError } from "hundi";
import { HundiBooks, NotWrittenYet } from "./books.js";
import { HUNDI_GATEWAY, LOGGER, type HundiGateway, type Outcome } from "./options.js";

@Controller("hundi")
export class HundiController {
  constructor(
    @Inject(HUNDI_GATEWAY) private readonly gateway: HundiGateway,
    private readonly books: HundiBooks,
  ) {}

  /** The customer is back: what the browser brings is a claim, so the gateway is asked. */
  @Post("return")
  async takeReturn(@Req() request: Request, @Res() response: Response): Promise<void> {
    const form = Object.fromEntries(new URLSearchParams(String(request.body)));
    const { callbacks, options } = this.gateway;
    const reference = claimed(() => callbacks.claimedOrderId(form));
    const order = reference && (await this.books.find(reference));
    if (!order) {
      response.status(400).send("This return names no order of this shop.");
      return;
    }
    const own = await this.books.expected(order, reference);
    claimed(() => callbacks.readReturn(form, own));
    let outcome: Outcome = "pending";
    try {
      outcome = await this.books.ask(order, reference);
    } catch (error) {
      if (!(error instanceof HundiError)) throw error;
      Logger.warn(`${reference}: ${error.message}`, LOGGER);
    }
    response.redirect(303, options.returnUrl(order.code, outcome));
  }

  /** Hand a notification over once. Another answer than 2xx has it delivered again. */
  @Post("notification")
  async takeNotification(@Req() request: Request, @Res() response: Response): Promise<void> {
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    );
    try {
      const told = this.gateway.callbacks.readNotification(headers, request.body);
      const isKnown = await this.books.take(told);
      response.status(200).send(isKnown ? "ok" : "not an order of this shop");
    } catch (error) {
      if (error instanceof NotWrittenYet) {
        response.status(503).send("the refund is not written yet");
        return;
      }
      if (!(error instanceof HundiError)) throw error;
      Logger.warn(`notification is not believed: ${error.message}`, LOGGER);
      response.status(400).send("not believed");
    }
  }
}

/** Return what a return says, or undefined, with a line in the log, when it is not believed. */
function claimed<Read>(read: () => Read): Read | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof HundiError)) throw error;
    Logger.warn(`return is not believed: ${error.message}`, LOGGER);
    return undefined;
  }
}
