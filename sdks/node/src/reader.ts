/** Reads the fields of replies; a later gateway may send more of them. */

import { TransportError } from "./errors.js";
import { JsonNumber, textOf, type JsonObject, type JsonValue } from "./json.js";

const AMOUNT = /^([0-9]{1,10})(?:\.([0-9]{1,2}))?$/;
const CLOCK = "(?:[01][0-9]|2[0-3]):[0-5][0-9]";
const MOMENT = new RegExp(
  `^([0-9]{4}-[0-9]{2}-[0-9]{2})T${CLOCK}(?::[0-5][0-9](?:\\.[0-9]+)?)?(?:Z|[+-]${CLOCK})$`,
);
const RECORD_TIME = new RegExp(`^([0-9]{2})-([0-9]{2})-([0-9]{4}) (${CLOCK}:[0-5][0-9])$`);

export class Reader {
  constructor(private readonly values: JsonObject) {}

  /** Read an object of a reply. */
  static of(value: JsonValue | undefined): Reader {
    if (value instanceof Map) return new Reader(value);
    throw unreadable("data", "an object");
  }

  /** Read a list that travels without a name of its own. */
  static ofList(name: string, value: JsonValue | undefined): Reader {
    return new Reader(new Map([[name, value ?? null]]));
  }

  words(name: string): string {
    const value = this.values.get(name);
    if (value === undefined || value === null || typeof value === "string") return value ?? "";
    if (value instanceof JsonNumber) return value.text;
    throw unreadable(name, "text or a number");
  }

  words_or(name: string, usual: string): string {
    return this.words(name) || usual;
  }

  name(name: string): string {
    const text = this.words(name);
    if (!text) throw unreadable(name, "a value");
    return text;
  }

  name_or(name: string, usual: string): string {
    return this.words(name) || usual;
  }

  number(name: string): string {
    const text = this.words(name);
    return text === "0" ? "" : text;
  }

  money(name: string): number {
    return this.amountIn(name, this.words(name), true);
  }

  money_or(name: string, usual: number): number {
    return this.words(name) ? this.money(name) : usual;
  }

  money_or_none(name: string): number {
    return this.words(name) ? this.money(name) : 0;
  }

  balance(name: string): number {
    const text = this.words(name);
    if (text.startsWith("-")) return -this.amountIn(name, text.slice(1), true);
    return this.amountIn(name, text, true);
  }

  limit(name: string): number | undefined {
    return this.words(name) ? this.money(name) : undefined;
  }

  /** An amount above zero. */
  amount(name: string): number {
    return this.amountIn(name, this.words(name), false);
  }

  /** An amount of a transaction record, where a missing one is zero. */
  sum(name: string): number {
    return this.amountIn(name, this.words(name) || "0", true);
  }

  whole(name: string): number {
    const text = this.words(name);
    if (!/^[0-9]+$/.test(text)) throw unreadable(name, "a whole number that is not below zero");
    return Number(text);
  }

  whole_or_none(name: string, none: number): number | undefined {
    const found = this.whole(name);
    return found === none ? undefined : found;
  }

  /** A whole number of a transaction record, where a missing one is zero. */
  integer(name: string): number {
    return this.words(name) ? this.whole(name) : 0;
  }

  is_one(name: string): boolean {
    return this.words(name) === "1";
  }

  yes_or_no(name: string): boolean {
    return this.name(name).toLowerCase() === "true";
  }

  flag(name: string): boolean {
    return this.values.get(name) === true;
  }

  moment(name: string): Date | undefined {
    const text = this.words(name);
    if (!text) return undefined;
    const [, day] = MOMENT.exec(text) ?? [];
    if (!day || !exists(day)) throw unreadable(name, "a time with its offset, ISO 8601");
    return new Date(text);
  }

  /** A time of a transaction record, on the Indian clock. */
  record_time(name: string): Date | undefined {
    const text = this.words(name);
    if (!text) return undefined;
    const [, day, month, year, time] = RECORD_TIME.exec(text) ?? [];
    const found = new Date(`${year}-${month}-${day}T${time}+05:30`);
    if (Number.isNaN(found.getTime()) || !exists(`${year}-${month}-${day}`)) {
      throw unreadable(name, "a time written DD-MM-YYYY HH:MM:SS");
    }
    return found;
  }

  /** A day, `YYYY-MM-DD`. */
  day(name: string): string | undefined {
    const text = this.words(name);
    if (text && !(/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text) && exists(text))) {
      throw unreadable(name, "a day, ISO 8601");
    }
    return text || undefined;
  }

  texts(name: string): string[] {
    const value = this.values.get(name);
    if (value === undefined) return [];
    if (!Array.isArray(value)) throw unreadable(name, "an array of texts");
    return value.map(textOf);
  }

  pairs(name: string): Map<string, string> {
    const value = this.values.get(name);
    if (value === undefined || value === "") return new Map();
    if (!(value instanceof Map)) throw unreadable(name, "an object of texts");
    return new Map(Array.from(value, ([key, each]) => [key, textOf(each)]));
  }

  bytes(name: string): Uint8Array {
    const text = this.name(name);
    if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text)) {
      throw unreadable(name, "base64");
    }
    return Buffer.from(text, "base64");
  }

  objects<Item>(name: string, read: (reader: Reader) => Item): Item[] {
    const value = this.values.get(name);
    if (!Array.isArray(value)) throw unreadable(name, "an array of objects");
    return value.map((each) => read(Reader.of(each)));
  }

  objects_or_none<Item>(name: string, read: (reader: Reader) => Item): Item[] {
    return this.values.has(name) ? this.objects(name, read) : [];
  }

  private amountIn(name: string, text: string, mayBeZero: boolean): number {
    const [, whole, part] = AMOUNT.exec(text) ?? [];
    const found =
      whole === undefined ? -1 : Number(whole) * 100 + Number((part ?? "").padEnd(2, "0"));
    if (found < (mayBeZero ? 0 : 1)) throw unreadable(name, "an amount with two places at most");
    return found;
  }
}

function exists(day: string): boolean {
  const found = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(found.getTime()) && found.toISOString().startsWith(day);
}

function unreadable(name: string, allowed: string): TransportError {
  return new TransportError(
    "unreadable_reply",
    `the reply's ${name} cannot be read: it is not ${allowed}`,
  );
}
