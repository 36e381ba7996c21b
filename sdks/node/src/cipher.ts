/**
 * The envelope: AES-256-CBC under a key made of username and password, the IV in front.
 *
 * It has no authentication tag: who holds a message can change its first 16 bytes. A message proves
 * nothing by itself.
 */

import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import { parse, VALUES_MAX, type JsonObject } from "./json.js";

const BLOCK = 16;
const IV = /^[ -~]{16}$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** The message cannot be opened. No reason is given: it would help an attacker. */
export class UnreadableCipher extends Error {}

/** Return the key: the 32 hex characters of md5(username~:~password), as bytes. */
export function encryptionKey(username: string, password: string): Buffer {
  return Buffer.from(createHash("md5").update(`${username}~:~${password}`).digest("hex"), "ascii");
}

/** Return IV and base64 of the ciphertext. iv: 16 printable ASCII characters, by default random. */
export function seal(
  key: Uint8Array,
  plaintext: Uint8Array | string,
  iv = randomBytes(BLOCK / 2).toString("hex"),
): string {
  if (!IV.test(iv)) throw new RangeError("an IV is 16 printable ASCII characters");
  const cipher = createCipheriv("aes-256-cbc", key, Buffer.from(iv, "ascii"));
  return iv + Buffer.concat([cipher.update(plaintext), cipher.final()]).toString("base64");
}

/** Return the plaintext of a sealed message; a `+` that arrived as a space is repaired. */
export function open(key: Uint8Array, encdata: string): Buffer {
  const message = split(encdata) ?? split(encdata.replaceAll(" ", "+").replace(/[\r\n]/g, ""));
  if (message === null) throw new UnreadableCipher("the message cannot be opened");
  try {
    const decipher = createDecipheriv("aes-256-cbc", key, message.iv);
    return Buffer.concat([decipher.update(message.ciphertext), decipher.final()]);
  } catch {
    throw new UnreadableCipher("the message cannot be opened");
  }
}

/** Return the JSON object in a sealed message. */
export function openJson(key: Uint8Array, encdata: string, valuesMax = VALUES_MAX): JsonObject {
  try {
    return parse(open(key, encdata), valuesMax);
  } catch {
    throw new UnreadableCipher("the message cannot be opened");
  }
}

function split(encdata: string): { iv: Buffer; ciphertext: Buffer } | null {
  const iv = encdata.slice(0, BLOCK);
  const encoded = encdata.slice(BLOCK);
  if (!IV.test(iv) || !BASE64.test(encoded)) return null;
  const ciphertext = Buffer.from(encoded, "base64");
  if (ciphertext.length === 0 || ciphertext.length % BLOCK !== 0) return null;
  return { iv: Buffer.from(iv, "ascii"), ciphertext };
}
