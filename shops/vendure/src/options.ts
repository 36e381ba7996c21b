/** What a shop tells the plugin, and its connection to the gateway. */

import { Callbacks, Client, Credentials, type CredentialValues } from "hundi";

export const HUNDI_GATEWAY = Symbol("HUNDI_GATEWAY");
export const LOGGER = "HundiPlugin";

/**
 * How a customer comes back. `pending`: the bank has not answered; a notification follows.
 * `changed`: the order was changed after this payment had begun, so it is not this order's.
 */
export type Outcome = "paid" | "pending" | "failed" | "changed";

export interface HundiOptions {
  credentials: CredentialValues;
  baseUrl: string;
  /** Where the payment page is, if not at `baseUrl`. */
  paymentPageUrl?: string;
  /** The storefront's address for a customer who comes back. */
  returnUrl: (orderCode: string, outcome: Outcome) => string;
}

/** One merchant's connection, which all requests of this server share. */
export class HundiGateway {
  readonly client: Client;
  readonly callbacks: Callbacks;
  readonly merchantId: string;

  constructor(readonly options: HundiOptions) {
    const credentials = new Credentials(options.credentials);
    const { baseUrl, paymentPageUrl } = options;
    const addresses = paymentPageUrl ? { baseUrl, paymentPageUrl } : { baseUrl };
    this.client = new Client(credentials, addresses);
    this.callbacks = new Callbacks(credentials);
    this.merchantId = options.credentials.merchantId;
  }
}
