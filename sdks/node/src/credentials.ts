/** A merchant's credentials, under names that cannot be mistaken for one another. */

import { inspect } from "node:util";
import { privatekey } from "./checksum.js";
import { encryptionKey } from "./cipher.js";
import { ConfigurationError } from "./errors.js";

/** Eight groups of four letters are 24 bytes: with an empty key, everybody could sign. */
const WEBHOOK_KEY =
  /^whsec_(?:[A-Za-z0-9+/]{4}){8,}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

export interface CredentialValues {
  merchantId: string;
  username: string;
  password: string;
  /** Proves who is calling, as a part of `privatekey`. */
  apiSecret: string;
  oauthClientId: string;
  oauthClientSecret: string;
  /** `whsec_…` keys, newest first; during a rotation both. */
  webhookKeys: readonly string[];
}

/** Credentials that were checked; no log shows more of them than the merchant id. */
export class Credentials {
  readonly merchantId: string;
  declare readonly username: string;
  declare readonly oauthClientId: string;
  declare readonly oauthClientSecret: string;
  declare readonly apiSecret: string;
  declare readonly webhookKeys: readonly string[];
  declare readonly encryptionKey: Uint8Array;
  declare readonly privatekey: string;

  constructor(values: CredentialValues) {
    for (const [name, value] of Object.entries(values)) {
      if (value.length === 0) throw new ConfigurationError(`the credential ${name} is empty`);
    }
    if (!values.webhookKeys.every((key) => WEBHOOK_KEY.test(key))) {
      throw new ConfigurationError(
        "one of webhookKeys is not whsec_ and the base64 of 24 bytes or more",
      );
    }
    if (!/^[0-9]+$/.test(values.merchantId)) {
      throw new ConfigurationError("merchantId consists of digits");
    }
    this.merchantId = values.merchantId;
    const hidden = {
      username: values.username,
      oauthClientId: values.oauthClientId,
      oauthClientSecret: values.oauthClientSecret,
      apiSecret: values.apiSecret,
      webhookKeys: values.webhookKeys,
      encryptionKey: encryptionKey(values.username, values.password),
      privatekey: privatekey(values.apiSecret, values.username, values.password),
    };
    for (const [name, value] of Object.entries(hidden)) {
      Object.defineProperty(this, name, { value, enumerable: false });
    }
  }

  [inspect.custom](): string {
    return `Credentials { merchantId: '${this.merchantId}' }`;
  }
}
