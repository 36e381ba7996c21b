/** Writes the fields of requests, within the bounds that the gateway has. */

import { InvalidRequestError } from "./errors.js";
import { CURRENCIES } from "./operations.js";
import { compact, type JsonObject, type JsonValue } from "./json.js";

/** Whether a field has to be there, and whether a refusal may repeat it. */
export enum Rule {
  OPTIONAL,
  REQUIRED,
  SECRET,
  OPTIONAL_SECRET,
}

const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]|\p{Surrogate}/u;
const CONTROLS = new RegExp(CONTROL.source, "gu");
const MANY_DIGITS = /[0-9](?:[\s.+_*/,|~-]{0,3}[0-9]){11,}/g;
const RECEIVED_MAX = 64;
const PAISE_MAX = 999_999_999_999;
const EMAIL = /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/;
const VPA = /^[A-Za-z0-9][A-Za-z0-9._-]{1,252}@[A-Za-z][A-Za-z0-9]{1,63}$/;
const CHANNELS = new Set(
  "pg pgcc pgdc nb ppc pp upi btqr emi payltr va enach cash rtgs remit".split(" "),
);

/** Return a refused value as errors may show it: short, without control characters or numbers of cards. */
export function shown(text: string): string {
  const short = Array.from(text.replace(MANY_DIGITS, "[digits]")).slice(0, RECEIVED_MAX).join("");
  const escaped = short.replace(
    CONTROLS,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return Array.from(escaped).slice(0, RECEIVED_MAX).join("");
}

/** Return whole paise as decimal text with two places: 149950 is `1499.50`. */
export function amountText(paise: number): string {
  return `${Math.floor(paise / 100)}.${String(paise % 100).padStart(2, "0")}`;
}

/** Return decimal text in whole paise; only plain decimals above zero, with at most two places. */
export function paise(text: string, field = "amount"): number {
  const [, whole, part] = /^([0-9]{1,10})(?:\.([0-9]{1,2}))?$/.exec(text) ?? [];
  const found = whole === undefined ? 0 : Number(whole) * 100 + Number((part ?? "").padEnd(2, "0"));
  if (found === 0) {
    const allowed =
      "a decimal above zero: at most 10 digits, then at most two places, as in 1499.50";
    throw new InvalidRequestError(field, shown(text), allowed);
  }
  return found;
}

export class Writer {
  readonly fields: JsonObject = new Map();

  constructor(private readonly shopOrigin = "") {}

  constant(name: string, value: string): void {
    this.fields.set(name, value);
  }

  /** The shop's origin, for merchants that have registered their domains. */
  shop(name: string): void {
    if (this.shopOrigin) this.fields.set(name, Buffer.from(this.shopOrigin).toString("base64"));
  }

  text(name: string, value: string | undefined, rule: Rule, lengthMax: number): void {
    const allowed = `at most ${lengthMax} characters, no control characters`;
    this.checked(name, value, rule, allowed, (text) => isFree(text, lengthMax));
  }

  matching(
    name: string,
    value: string | undefined,
    rule: Rule,
    pattern: RegExp,
    refusedBeginnings: readonly string[],
    allowed: string,
  ): void {
    this.checked(
      name,
      value,
      rule,
      allowed,
      (text) => pattern.test(text) && !refusedBeginnings.some((each) => text.startsWith(each)),
    );
  }

  one_of(name: string, value: string | undefined, rule: Rule, words: readonly string[]): void {
    this.checked(name, value, rule, `one of ${words.join(" ")}`, (text) => words.includes(text));
  }

  email(name: string, value: string | undefined, rule: Rule): void {
    const allowed = "an e-mail address of at most 254 characters";
    this.checked(name, value, rule, allowed, (text) => EMAIL.test(text) && isFree(text, 254));
  }

  phone(name: string, value: string | undefined, rule: Rule): void {
    const allowed = "8 to 15 digits; + - ( ) and spaces may stand between them";
    const isPhone = (text: string) => /^[0-9]{8,15}$/.test(text.replace(/[+\-() ]/g, ""));
    this.checked(name, value, rule, allowed, isPhone);
  }

  customer(name: string, value: string | undefined, rule: Rule): void {
    this.text(name, value, rule, 255);
  }

  vpa(name: string, value: string | undefined, rule: Rule): void {
    const isVpa = (text: string) => text.length < 256 && VPA.test(text);
    this.checked(name, value?.trim(), rule, "a UPI address like name@bank", isVpa);
  }

  currency(name: string, value: string | undefined): void {
    const letters = value || "INR";
    const number = CURRENCIES[letters];
    if (number === undefined) {
      throw refused(name, letters, "an ISO 4217 code: INR, or one enabled for the merchant");
    }
    this.fields.set("currency_code", number);
    this.fields.set(name, letters);
  }

  channels(name: string, codes: readonly string[] | undefined): void {
    if (!codes?.length) return;
    const text = codes.join("_");
    if (!codes.every((code) => CHANNELS.has(code))) {
      const known = [...CHANNELS].sort().join(" ");
      throw refused(name, text, `channel codes joined by _ , each one of ${known}`);
    }
    this.fields.set(name, text);
  }

  amount(name: string, value: number | undefined, rule: Rule): void {
    if (value === undefined && rule === Rule.OPTIONAL) return;
    if (!isWhole(value) || value <= 0 || value > PAISE_MAX) {
      throw refused(name, String(value ?? ""), "whole paise above zero, of at most 12 digits");
    }
    this.fields.set(name, amountText(value));
  }

  amount_or_zero(name: string, value: number, rule: Rule): void {
    if (value === 0) this.fields.set(name, "0.00");
    else this.amount(name, value, rule);
  }

  amount_unless_zero(name: string, value: number | undefined, rule: Rule): void {
    if (value) this.amount(name, value, rule);
  }

  count(name: string, value: number | undefined, rule: Rule, low: number, high: number): void {
    if (value === undefined && rule === Rule.OPTIONAL) return;
    if (!isWhole(value) || value < low || value > high) {
      throw refused(name, String(value ?? ""), `a whole number from ${low} to ${high}`);
    }
    this.fields.set(name, String(value));
  }

  count_unless_zero(
    name: string,
    value: number | undefined,
    rule: Rule,
    low: number,
    high: number,
  ): void {
    if (value) this.count(name, value, rule, low, high);
  }

  /** The number of debits; without one a subscription has no end, where it has a calendar. */
  debits(
    name: string,
    value: number | undefined,
    rule: Rule,
    endless: number,
    asPresented: string,
  ): void {
    if (value !== undefined) this.count(name, value, rule, 1, endless - 1);
    else if (this.fields.get("sb_period") !== asPresented) this.fields.set(name, String(endless));
  }

  /** A day, `YYYY-MM-DD`. */
  day(name: string, value: string | undefined, rule: Rule): void {
    if (!value && rule === Rule.OPTIONAL) return;
    const [, year, month, day] = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/.exec(value ?? "") ?? [];
    if (!day || new Date(`${value}T00:00:00Z`).getUTCDate() !== Number(day)) {
      throw refused(name, value ?? "", "a date that exists, written YYYY-MM-DD");
    }
    this.fields.set(name, `${month}/${day}/${year}`);
  }

  document(name: string, content: Uint8Array, _rule: Rule, lengthMax: number): void {
    const text = Buffer.from(content).toString("base64");
    if (!text || text.length > lengthMax) {
      throw refused(name, "", `a file of at most ${Math.floor(lengthMax / 4) * 3} bytes`);
    }
    this.fields.set(name, text);
  }

  objects<Item>(
    name: string,
    items: readonly Item[],
    write: (writer: Writer, item: Item) => void,
  ): void {
    if (items.length === 0) throw refused(name, "", "at least one");
    this.fields.set(name, this.list(items, write));
  }

  /** An array of messages, nothing for an empty one. */
  objects_unless_empty<Item>(
    name: string,
    items: readonly Item[] | undefined,
    write: (writer: Writer, item: Item) => void,
  ): void {
    if (items !== undefined && items.length > 0) this.objects(name, items, write);
  }

  /** A batch: an array in base64. */
  batch<Item>(
    name: string,
    items: readonly Item[],
    itemsMax: number,
    write: (writer: Writer, item: Item) => void,
  ): void {
    if (items.length === 0 || items.length > itemsMax) {
      throw refused(name, `${items.length} items`, `1 to ${itemsMax} items`);
    }
    const text = compact(this.list(items, write));
    this.fields.set(name, Buffer.from(text).toString("base64"));
  }

  atLeastOne(...names: string[]): void {
    if (!names.some((name) => this.fields.has(name))) {
      throw refused(names[0]!, "", `at least one of ${names.join(", ")}`);
    }
  }

  private list<Item>(
    items: readonly Item[],
    write: (writer: Writer, item: Item) => void,
  ): JsonValue[] {
    return items.map((item) => {
      const inner = new Writer(this.shopOrigin);
      write(inner, item);
      return inner.fields;
    });
  }

  private checked(
    name: string,
    value: string | undefined,
    rule: Rule,
    allowed: string,
    isRight: (text: string) => boolean,
  ): void {
    const isSecret = rule === Rule.SECRET || rule === Rule.OPTIONAL_SECRET;
    if (!value) {
      if (rule === Rule.OPTIONAL || rule === Rule.OPTIONAL_SECRET) return;
      throw refused(name, "", "a value: this field is required");
    }
    if (!isRight(value)) throw refused(name, isSecret ? "(not shown)" : value, allowed);
    this.fields.set(name, value);
  }
}

function isFree(text: string, lengthMax: number): boolean {
  return (text.length <= lengthMax || Array.from(text).length <= lengthMax) && !CONTROL.test(text);
}

function isWhole(value: number | undefined): value is number {
  return Number.isSafeInteger(value);
}

function refused(field: string, received: string, allowed: string): InvalidRequestError {
  return new InvalidRequestError(field, shown(received), allowed);
}
