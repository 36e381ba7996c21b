/** Signatures of what the gateway tells a merchant (Standard Webhooks). */

import { createHmac, timingSafeEqual } from "node:crypto";
import { UntrustedError } from "./errors.js";

/** Seconds by which a notification's signature may differ from our clock. */
export const TOLERANCE_S = 300;
const UNIX_SECONDS = /^[0-9]{1,11}$/;

export interface SignedMessage {
  id: string;
  timestamp: string;
  signatures: string;
  content: string;
}

/** Return when a message was signed with one of the keys, in seconds since 1970. */
export function signedAt(keys: readonly string[], message: SignedMessage): number {
  const { id, timestamp, signatures, content } = message;
  if (!id || !signatures || !UNIX_SECONDS.test(timestamp)) {
    throw new UntrustedError("signature", "the webhook signature is missing");
  }
  const seconds = Number(timestamp);
  const received = signatures.split(" ").map((each) => Buffer.from(each));
  const signed = `${id}.${seconds}.${content}`;
  const isOurs = keys.some((key) => {
    const secret = Buffer.from(key.replace(/^whsec_/, ""), "base64");
    const mac = createHmac("sha256", secret).update(signed).digest("base64");
    const expected = Buffer.from(`v1,${mac}`);
    return received.some(
      (each) => each.length === expected.length && timingSafeEqual(each, expected),
    );
  });
  if (!isOurs) {
    throw new UntrustedError("signature", "the webhook signature was made with none of the keys");
  }
  return seconds;
}

/** Throw for a message that was signed too long ago, or too far ahead of our clock. */
export function checkAge(signedAtS: number, nowS: number, toleranceS: number): void {
  const ageS = nowS - signedAtS;
  if (Math.abs(ageS) > toleranceS) {
    const message = `signed ${Math.round(ageS)} seconds ago; ${toleranceS} either way are accepted`;
    throw new UntrustedError("stale", message);
  }
}
