/** Strict JSON: no repeated key, bounded depth and values, numbers kept as they were written. */

/** A number as written: `10.50` stays `10.50`, because checksums cover its text. */
export class JsonNumber {
  constructor(readonly text: string) {}
}

export type JsonObject = Map<string, JsonValue>;
export type JsonValue = string | JsonNumber | boolean | null | JsonValue[] | JsonObject;

export const DEPTH_MAX = 16;
/** The most values of a message. */
export const VALUES_MAX = 512;
/** The most values of a reply: lists have many. */
export const REPLY_VALUES_MAX = 100_000;

/** The text is not one JSON object that is accepted. */
export class UnreadableJson extends Error {}

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?/y;
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const LONE_SURROGATE = /\p{Surrogate}/u;
const ESCAPES: Record<string, string> = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};
const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Return the object in UTF-8 text. Throws UnreadableJson for anything else. */
export function parse(raw: Uint8Array | string, valuesMax = VALUES_MAX): JsonObject {
  let text: string;
  try {
    text = typeof raw === "string" ? raw : UTF8.decode(raw);
  } catch {
    throw new UnreadableJson("the text is not UTF-8");
  }
  const value = new Parser(text, valuesMax).whole();
  if (!(value instanceof Map)) throw new UnreadableJson("the JSON text is not an object");
  return value;
}

class Parser {
  private at = 0;
  private depth = 0;
  private values = 0;

  constructor(
    private readonly text: string,
    private readonly valuesMax: number,
  ) {}

  whole(): JsonValue {
    const value = this.value();
    this.space();
    if (this.at < this.text.length) throw this.broken();
    return value;
  }

  private value(): JsonValue {
    this.space();
    switch (this.text[this.at]) {
      case "{":
        return this.object();
      case "[":
        return this.array();
      case '"':
        return this.string();
      case "t":
        return this.word("true", true);
      case "f":
        return this.word("false", false);
      case "n":
        return this.word("null", null);
      default:
        return this.number();
    }
  }

  private object(): JsonObject {
    const found: JsonObject = new Map();
    this.open();
    if (this.takes("}")) return this.close(found);
    do {
      this.space();
      if (this.text[this.at] !== '"') throw this.broken();
      const key = this.string();
      if (!this.takes(":")) throw this.broken();
      if (found.has(key)) throw new UnreadableJson("a key stands twice in one object");
      found.set(key, this.value());
    } while (this.comma());
    if (!this.takes("}")) throw this.broken();
    return this.close(found);
  }

  private array(): JsonValue[] {
    const found: JsonValue[] = [];
    this.open();
    if (this.takes("]")) return this.close(found);
    do {
      found.push(this.value());
    } while (this.comma());
    if (!this.takes("]")) throw this.broken();
    return this.close(found);
  }

  private string(): string {
    let found = "";
    let escaped = false;
    this.at += 1;
    for (;;) {
      PLAIN.lastIndex = this.at;
      found += PLAIN.exec(this.text)![0];
      this.at = PLAIN.lastIndex;
      const next = this.text[this.at++];
      if (next === '"') break;
      if (next !== "\\") throw this.broken();
      const sign = this.text[this.at++] ?? "";
      if (sign === "u") {
        const digits = this.text.slice(this.at, this.at + 4);
        if (!/^[0-9a-fA-F]{4}$/.test(digits)) throw this.broken();
        found += String.fromCharCode(parseInt(digits, 16));
        this.at += 4;
        escaped = true;
      } else if (Object.hasOwn(ESCAPES, sign)) {
        found += ESCAPES[sign];
      } else throw this.broken();
    }
    if (escaped && LONE_SURROGATE.test(found)) throw new UnreadableJson("a lone surrogate");
    return found;
  }

  private number(): JsonNumber {
    NUMBER.lastIndex = this.at;
    const found = NUMBER.exec(this.text);
    if (found === null) throw this.broken();
    this.at = NUMBER.lastIndex;
    return new JsonNumber(found[0]);
  }

  private word<Value>(word: string, value: Value): Value {
    if (!this.text.startsWith(word, this.at)) throw this.broken();
    this.at += word.length;
    return value;
  }

  private open(): void {
    this.at += 1;
    this.depth += 1;
    if (this.depth > DEPTH_MAX) throw new UnreadableJson(`more than ${DEPTH_MAX} levels`);
    this.count();
  }

  private close<Value>(value: Value): Value {
    this.depth -= 1;
    return value;
  }

  private comma(): boolean {
    if (!this.takes(",")) return false;
    this.count();
    return true;
  }

  private count(): void {
    this.values += 1;
    if (this.values > this.valuesMax) {
      throw new UnreadableJson(`more than ${this.valuesMax} values`);
    }
  }

  private takes(sign: string): boolean {
    this.space();
    if (this.text[this.at] !== sign) return false;
    this.at += 1;
    return true;
  }

  private space(): void {
    while (" \t\n\r".includes(this.text[this.at] ?? "-")) this.at += 1;
  }

  private broken(): UnreadableJson {
    return new UnreadableJson(`unreadable at character ${this.at}`);
  }
}

/** Return compact JSON: no spaces, order kept, numbers as they were written. */
export function compact(value: JsonValue): string {
  if (value instanceof JsonNumber) return value.text;
  if (Array.isArray(value)) return `[${value.map(compact).join(",")}]`;
  if (value instanceof Map) {
    const pairs = Array.from(value, ([key, each]) => `${JSON.stringify(key)}:${compact(each)}`);
    return `{${pairs.join(",")}}`;
  }
  return JSON.stringify(value);
}

/** Return a value as the text that a field counts as: a number is its text, null is empty. */
export function textOf(value: JsonValue | undefined): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : compact(value);
}
