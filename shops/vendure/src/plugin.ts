/** The plugin: put `HundiPlugin.init({…})` into the plugins of `vendure-config.ts`. */

import { PluginCommonModule, VendurePlugin } from "@vendure/core";
import { raw } from "express";
import { HundiBooks } from "./books.js";
import { HundiController } from "./controller.js";
import { hundiHandler, hundiRefunds } from "./handler.js";
import { HUNDI_GATEWAY, HundiGateway, type HundiOptions } from "./options.js";
import { HundiShopResolver, shopSchema } from "./resolver.js";

const BODY_BYTES_MAX = 256 * 1024;

@VendurePlugin({
  imports: [PluginCommonModule],
  providers: [
    HundiBooks,
    { provide: HUNDI_GATEWAY, useFactory: () => new HundiGateway(HundiPlugin.options) },
  ],
  controllers: [HundiController],
  shopApiExtensions: { schema: shopSchema, resolvers: [HundiShopResolver] },
  configuration: (config) => {
    config.paymentOptions.paymentMethodHandlers.push(hundiHandler);
    (config.paymentOptions.refundProcess ??= []).push(hundiRefunds);
    // The signature covers the very bytes that came.
    const handler = raw({ type: () => true, limit: BODY_BYTES_MAX });
    config.apiOptions.middleware.push({ route: "/hundi", handler, beforeListen: true });
    return config;
  },
  compatibility: "^3.7.0",
})
export class HundiPlugin {
  static options: HundiOptions;

  /** Take a shop's options. */
  static init(options: HundiOptions): typeof HundiPlugin {
    this.options = options;
    return HundiPlugin;
  }
}
