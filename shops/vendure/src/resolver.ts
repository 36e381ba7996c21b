/** The storefront's way to the payment page. */

import { Inject } from "@nestjs/common";
import { Mutation, Resolver } from "@nestjs/graphql";
import {
  ActiveOrderService,
  Allow,
  Ctx,
  OrderService,
  Permission,
  RequestContext,
  UserInputError,
} from "@vendure/core";
import gql from "graphql-tag";
import { HundiError } from "hundi";
import { HundiBooks, PaidBefore } from "./books.js";
import { HUNDI_GATEWAY, type HundiGateway } from "./options.js";

export const shopSchema = gql`
  type HundiPaymentForm {
    "Where the browser posts the fields to, at once: it carries an access token."
    actionUrl: String!
    fields: JSON!
  }
  extend type Mutation {
    "The form that takes the customer of the active order to the payment page."
    hundiPaymentForm: HundiPaymentForm!
  }
`;

@Resolver()
export class HundiShopResolver {
  constructor(
    @Inject(HUNDI_GATEWAY) private readonly gateway: HundiGateway,
    private readonly active: ActiveOrderService,
    private readonly orders: OrderService,
    private readonly books: HundiBooks,
  ) {}

  @Mutation()
  @Allow(Permission.Owner)
  async hundiPaymentForm(
    @Ctx() ctx: RequestContext,
  ): Promise<{ actionUrl: string; fields: Readonly<Record<string, string>> }> {
    const found = await this.active.getActiveOrder(ctx, undefined);
    const order = found && (await this.orders.findOne(ctx, found.id));
    if (order?.state !== "ArrangingPayment") {
      throw new UserInputError("the active order is not in the state ArrangingPayment");
    }
    try {
      const request = await this.books.request(ctx, order);
      const { actionUrl, fields } = await this.gateway.client.paymentForm(request);
      return { actionUrl, fields };
    } catch (error) {
      if (error instanceof HundiError || error instanceof PaidBefore)
        throw new UserInputError(error.message);
      throw error;
    }
  }
}
