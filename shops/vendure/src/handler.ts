/** The payment method "hundi": what Vendure asks of it. */

import {
  Injector,
  LanguageCode,
  PaymentMethodHandler,
  Refund,
  TransactionalConnection,
  type PaymentOptions,
} from "@vendure/core";
import { refundError } from "hundi";
import { HUNDI_GATEWAY, type HundiGateway } from "./options.js";

export const HUNDI = "hundi";

let gateway: HundiGateway;
let connection: TransactionalConnection;

/** What this plugin has verified at the gateway before it adds a payment to an order. */
export interface Verified {
  reference: string;
  transactionId: string;
  amountPaise: number;
  isPaid: boolean;
  message: string;
}

/** A refund waits for the bank, which Vendure's own process lets no handler say, or comes back. */
export const hundiRefunds: NonNullable<PaymentOptions["refundProcess"]>[number] = {
  transitions: {
    Pending: { to: ["Pending"], mergeStrategy: "merge" },
    Settled: { to: ["Failed"], mergeStrategy: "merge" },
  },
};

export const hundiHandler = new PaymentMethodHandler({
  code: HUNDI,
  description: [{ languageCode: LanguageCode.en, value: "UPI, cards and net banking by Hundi" }],
  args: {},

  init(injector: Injector) {
    gateway = injector.get<HundiGateway>(HUNDI_GATEWAY);
    connection = injector.get(TransactionalConnection);
  },

  /** Only this plugin adds a payment, with what it has verified: a storefront proves nothing. */
  createPayment(ctx, _order, amount, _args, metadata) {
    if (ctx.apiType !== "admin") throw new Error("use the mutation hundiPaymentForm");
    const verified = metadata as Verified;
    const { reference, transactionId, message } = verified;
    if (!verified.isPaid) {
      const errorMessage = message;
      return { amount, state: "Declined", transactionId, errorMessage, metadata: { reference } };
    }
    if (verified.amountPaise !== amount) {
      throw new Error(`${reference}: paid ${verified.amountPaise}, the order wants ${amount}`);
    }
    return { amount, state: "Settled", transactionId, metadata: { reference } };
  },

  settlePayment() {
    return { success: true };
  },

  /**
   * The request's id counts the payment's refunds. So when no answer came, and Vendure wrote no
   * refund, the same again is that very request, which gives nothing back twice.
   */
  async createRefund(ctx, _input, amount, _order, payment) {
    const refunds = connection.getRepository(ctx, Refund);
    const before = await refunds.count({ where: { payment: { id: payment.id } } });
    const requestId = `${payment.transactionId}-${before + 1}`;
    const item = { transactionId: payment.transactionId, amountPaise: amount };
    const [result] = await gateway.client.refund([item], requestId);
    const error = result && refundError(result);
    if (error) {
      return { state: "Failed", transactionId: requestId, metadata: { error: error.message } };
    }
    return { state: "Pending", transactionId: requestId };
  },
});
