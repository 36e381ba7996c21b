/** The checksum's forms, `privatekey` and `ap_SecureHash`. None of them is a signature. */

import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import { textOf, type JsonObject } from "./json.js";

/** Return the checksum that requests carry. day: `YYYY-MM-DD`, in India. */
export function v4(fields: JsonObject, day: string): string {
  return sha256(valuesByName(fields).join("") + day);
}

/** Return the CRC32 forms of older clients: by name and by value, as decimal and as hex. */
export function crc32Forms(fields: JsonObject): Record<string, string> {
  const values = valuesByName(fields);
  const byName = crc32(values.join(""));
  const byValue = crc32(values.sort(byCodePoint).join(""));
  return {
    "crc32-by-key-decimal": String(byName),
    "crc32-by-key-hex": byName.toString(16).padStart(8, "0"),
    "crc32-by-value-decimal": String(byValue),
    "crc32-by-value-hex": byValue.toString(16).padStart(8, "0"),
  };
}

/** Return the proof of the API secret: hex sha256 of `secret@username:|:password`. */
export function privatekey(secret: string, username: string, password: string): string {
  return sha256(`${secret}@${username}:|:${password}`);
}

/** Return the unsigned decimal CRC32 of the values joined with colons. */
export function secureHash(values: readonly string[], payerVpa = ""): string {
  return String(crc32([...values, ...(payerVpa ? [payerVpa] : [])].join(":")));
}

function valuesByName(fields: JsonObject): string[] {
  return [...fields.keys()].sort(byCodePoint).map((name) => textOf(fields.get(name)));
}

/** Compare as the gateway does, by code points: JavaScript compares halves of characters. */
function byCodePoint(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
