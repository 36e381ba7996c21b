/** Writes what became of a payment into Vendure's own books, once. */

import { Inject, Injectable } from "@nestjs/common";
import {
  ChannelService,
  HistoryService,
  ID,
  isGraphQlErrorResult,
  Logger,
  Order,
  OrderService,
  Payment,
  Refund,
  RequestContext,
  RequestContextService,
  TransactionalConnection,
} from "@vendure/core";
import { HistoryEntryType } from "@vendure/common/lib/generated-types";
import { HundiError, type Notification, type PaymentRequest, type Transaction } from "hundi";
import { HUNDI, type Verified } from "./handler.js";
import { HUNDI_GATEWAY, LOGGER, type HundiGateway, type Outcome } from "./options.js";

/** News of money that the customer did not get, or gave back. */
const CAME_BACK = new Set(["refund_failed", "refund_reversed"]);
/** Another try of an order that was declined has the order's code and its number. */
const TRY = /^(.+)-(\d+)$/;

/** How often a cart is changed, each time with a payment begun, before the shop says stop. */
const CHANGES_MAX = 20;

interface Own {
  orderId: string;
  amountPaise: number;
  currency: string;
}

/** The order was paid, and changed after that payment had begun: a person has to look. */
export class PaidBefore extends Error {}

/** A bank can be faster than Vendure writes a refund: the notification has to come again. */
export class NotWrittenYet extends Error {}

@Injectable()
export class HundiBooks {
  constructor(
    @Inject(HUNDI_GATEWAY) private readonly gateway: HundiGateway,
    private readonly connection: TransactionalConnection,
    private readonly orders: OrderService,
    private readonly history: HistoryService,
    private readonly channels: ChannelService,
    private readonly contexts: RequestContextService,
  ) {}

  /**
   * Return the request of an order's next payment: under another order id after a decline, and when
   * the cart was changed after a payment had begun.
   */
  async request(ctx: RequestContext, order: Order): Promise<PaymentRequest> {
    const isDeclined = (each: Payment) => each.method === HUNDI && each.state === "Declined";
    const tries = (await this.payments(ctx, order.id)).filter(isDeclined).length;
    const { customer, shippingAddress: to } = order;
    const request = {
      ...(await this.next(order, tries)),
      buyer: {
        firstname: customer?.firstName ?? "",
        lastname: customer?.lastName ?? "",
        email: customer?.emailAddress ?? "",
        phone: customer?.phoneNumber || to.phoneNumber || "",
      },
    };
    return request as PaymentRequest;
  }

  private async next(order: Order, tries: number): Promise<Own> {
    for (let number = tries + 1; number <= tries + CHANGES_MAX; number++) {
      const reference = number > 1 ? `${order.code}-${number}` : order.code;
      const own = await this.expected(order, reference);
      const before = await this.begun(own);
      if (!before?.isChanged) return own;
      if (before.told.isPaid) {
        await this.noteChanged(order, before.told);
        throw new PaidBefore(`${reference} was paid before the order was changed; ask the shop`);
      }
    }
    throw new PaidBefore(`${order.code} was changed too often; begin a new order`);
  }

  /** Return the payment that began under an order id; undefined where none did. */
  private async begun(own: Own): Promise<{ told: Transaction; isChanged: boolean } | undefined> {
    try {
      return await this.look(own);
    } catch (error) {
      if (error instanceof HundiError) return undefined;
      throw error;
    }
  }

  /** Ask about a payment. isChanged: its amount is not that of the books, as the cart was. */
  private async look(own: Own): Promise<{ told: Transaction; isChanged: boolean }> {
    const { client } = this.gateway;
    try {
      return { told: await client.verify(own), isChanged: false };
    } catch (error) {
      if (!(error instanceof HundiError && error.kind === "mismatch")) throw error;
      if (error.field !== "amount") throw error;
      const amountPaise = Math.round(Number(error.received) * 100);
      return { told: await client.verify({ ...own, amountPaise }), isChanged: true };
    }
  }

  private async noteChanged(order: Order, told: Transaction): Promise<void> {
    const words =
      `paid ${told.amountPaise} as ${told.orderId}, and the order was changed since: ` +
      "refund it at the gateway, or settle the order by hand";
    const ctx = await this.context();
    const { items } = await this.history.getHistoryForOrder(ctx, order.id, false);
    if (!items.some((each) => each.data.note === `Hundi: ${words}`)) {
      await this.note(ctx, order.id, words);
    }
  }

  /** Return what the shop's own books expect of a payment: what is still to be paid. */
  async expected(order: Order, reference: string): Promise<Own> {
    const payments = await this.payments(await this.context(), order.id);
    const mine = payments.find((each) => each.metadata.reference === reference);
    const covered = payments
      .filter((each) => each.state === "Settled" || each.state === "Authorized")
      .reduce((sum, each) => sum + each.amount, 0);
    const amountPaise = mine?.amount ?? order.totalWithTax - covered;
    return { orderId: reference, amountPaise, currency: order.currencyCode };
  }

  /** Ask the gateway about a payment, write it down, and return how the customer comes back. */
  async ask(order: Order, reference: string): Promise<Outcome> {
    const { told, isChanged } = await this.look(await this.expected(order, reference));
    if (isChanged) {
      if (told.isPaid) await this.noteChanged(order, told);
      return "changed";
    }
    if (told.isPaid || told.isFailed) await this.write(order, reference, told);
    return told.isPaid ? "paid" : told.isFailed ? "failed" : "pending";
  }

  /** Hand a notification over; return whether it is about an order of this shop. */
  async take(told: Notification): Promise<boolean> {
    const { transaction } = told;
    const order = await this.find(transaction.orderId);
    if (!order) return false;
    if (transaction.isRefund) await this.writeRefund(order, told);
    else if (transaction.isExcess || transaction.isDispute) {
      const words = `${told.event} of ${transaction.amountPaise}`;
      await this.note(await this.context(), order.id, words);
    } else {
      const { merchantId } = this.gateway;
      const { amountPaise } = transaction;
      const own = await this.expected(order, transaction.orderId);
      transaction.demand({ merchantId, ...own, amountPaise });
      if (amountPaise !== own.amountPaise) {
        if (transaction.isPaid) await this.noteChanged(order, transaction);
      } else if (transaction.isPaid || transaction.isFailed) {
        await this.write(order, transaction.orderId, transaction);
      }
    }
    return true;
  }

  /** Return the order of a payment by the order id that the gateway knows. */
  async find(reference: string): Promise<Order | undefined> {
    const ctx = await this.context();
    const whole = await this.orders.findOneByCode(ctx, reference);
    const [, code] = TRY.exec(reference) ?? [];
    return whole ?? (code ? await this.orders.findOneByCode(ctx, code) : undefined);
  }

  private async write(
    order: Order,
    reference: string,
    told: { transactionId: string; amountPaise: number; isPaid: boolean; message: string },
  ): Promise<void> {
    await this.connection.withTransaction(await this.context(), async (ctx) => {
      // The order's row makes a return and a notification take turns.
      await this.connection.getRepository(ctx, Order).findOneOrFail({
        where: { id: order.id },
        lock: { mode: "pessimistic_write" },
        loadEagerRelations: false,
      });
      const mine = (await this.payments(ctx, order.id)).filter(
        (each) => each.metadata.reference === reference,
      );
      const isWritten = mine.some((each) => each.state === "Settled" || !told.isPaid);
      if (isWritten) return;
      const { transactionId, amountPaise, isPaid, message } = told;
      const metadata: Verified = { reference, transactionId, amountPaise, isPaid, message };
      await this.orders.transitionToState(ctx, order.id, "ArrangingPayment");
      const added = await this.orders.addPaymentToOrder(ctx, order.id, { method: HUNDI, metadata });
      if (isPaid && isGraphQlErrorResult(added)) {
        await this.note(ctx, order.id, `paid as ${reference}, and cannot keep it: refund it`);
      }
    });
  }

  private async writeRefund(order: Order, told: Notification): Promise<void> {
    const ctx = await this.context();
    const { refundRequestId, amountPaise } = told.transaction;
    const refund = await this.connection.getRepository(ctx, Refund).findOne({
      where: { transactionId: refundRequestId, payment: { order: { id: order.id } } },
    });
    if (refund?.state === "Pending" && told.event === "refund_done") {
      await this.orders.settleRefund(ctx, { id: refund.id, transactionId: refundRequestId });
    } else if (refund && refund.state !== "Failed" && CAME_BACK.has(told.event)) {
      await this.orders.transitionRefundToState(ctx, refund.id, "Failed");
    } else if (!refund && (await this.isOwn(ctx, order.id, refundRequestId))) {
      throw new NotWrittenYet(refundRequestId);
    } else if (!refund) {
      await this.note(ctx, order.id, `${told.event} of ${amountPaise}`);
    }
  }

  /** Return whether a refund was asked for here, though Vendure has not written it. */
  private async isOwn(ctx: RequestContext, orderId: ID, requestId: string): Promise<boolean> {
    const payments = await this.payments(ctx, orderId);
    return payments.some((each) => requestId.startsWith(`${each.transactionId}-`));
  }

  private payments(ctx: RequestContext, orderId: ID): Promise<Payment[]> {
    return this.connection.getRepository(ctx, Payment).find({ where: { order: { id: orderId } } });
  }

  private async context(): Promise<RequestContext> {
    return this.contexts.create({
      apiType: "admin",
      channelOrToken: await this.channels.getDefaultChannel(),
    });
  }

  private async note(ctx: RequestContext, orderId: ID, words: string): Promise<void> {
    Logger.warn(`order ${orderId}: ${words}`, LOGGER);
    const data = { note: `Hundi: ${words}` };
    const type = HistoryEntryType.ORDER_NOTE;
    await this.history.createHistoryEntryForOrder({ ctx, orderId, type, data }, false);
  }
}
