import { ROOT } from "../../../profile/paths.ts";
import { inState, type Place } from "../../../profile/place.ts";
import { FORMATS, textFormat } from "../../../profile/vocabulary/formats.ts";
import { formatAmount } from "../../state/notation.ts";
import { nextName, nextRandom, seedRandom } from "../../state/random.ts";

/** A text of this format, always the same for the same seed. */
export function placeholderText(format: string, name: string, seed: string): string {
  const random = seedRandom(`${seed} ${name}`);
  const [, kind = "", digits = ""] = /^(digits|hex)(\d*)$/.exec(format) ?? [];
  const length = Number(digits || (kind === "hex" ? 32 : 24));
  // A code of one or two digits, whose zero means that nothing is wrong.
  if (kind === "digits" && length <= 2) return "0".repeat(length);
  if (kind === "digits") return `9${nextName(random, "digits", length - 1)}`;
  if (kind === "hex") return `f${hexDigits(seed, name, length - 1)}`;
  if (format === "uuid") {
    const hex = hexDigits(seed, name, 32);
    const [low, mid, high] = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(13, 16)];
    return `${low}-${mid}-4${high}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
  }
  if (format === "url") return `https://sandbox.malipo.test/${name.replaceAll("_", "-")}`;
  if (format === "token") {
    return `${name || "value"}_${nextName(random, "token", 8)}`.replace(/[^\w.:-]/g, "_");
  }
  return FORMATS[format]?.example ?? `Sandbox: ${name.replaceAll("_", " ") || "text"}`;
}

function hexDigits(seed: string, name: string, length: number): string {
  const random = seedRandom(`hex ${seed} ${name}`);
  let digits = "";
  while (digits.length < length) digits += Math.floor(nextRandom(random) * 16).toString(16);
  return digits;
}

/** The format of a placeholder text: the first that tells something. */
export const formatOf = ({ formats }: Place): string =>
  formats.find((one) => !["empty", "integer", "true", "false"].includes(one)) ??
  (formats.includes("empty") ? "empty" : "text");

/** A value for a place of which nothing is known but its shape. */
function placeholder(place: Place, seed: string): unknown {
  const { types, formats, values, name } = place;
  switch (types[0]) {
    case "number":
      return formats.includes("integer") ? 1 : 0.5;
    case "boolean":
      return !formats.includes("false") || formats.includes("true");
    case "null":
      return null;
    case "array":
      return [];
    case "object":
      return {};
    default:
      return values[0] ?? placeholderText(formatOf(place), name, seed);
  }
}

/** A value that the sandbox knows, before it has the type and the format of a place. `null`: there is none. */
export type KnownValue =
  | null
  /** The value that the merchant sent, unchanged. */
  | { readonly sent: unknown }
  /** Another text of the right format may stand in its place. */
  | { readonly text: string | undefined }
  /** `same`: how the service writes it, as at another endpoint. */
  | { readonly cents: number | undefined; readonly same?: readonly string[] }
  /** Milliseconds since 1970. */
  | { readonly ms: number | undefined }
  /** One of a closed set: the first that the service has, or else the first name. */
  | { readonly oneOf: readonly (string | RegExp)[] };

/** How values are written. */
export interface Format {
  /** Makes placeholders. */
  readonly seed: string;
  /** A time as a text, such as `2026-01-01T09:00:00+03:00`. */
  readonly timestamp: (ms: number) => string;
  /** The same with a space in the place of the `T`. */
  readonly datetime: (ms: number) => string;
  /** The name of the field that is invalid: the key of its messages. */
  readonly field?: string;
  /** Whether a field that was always null has a value as soon as there is one. */
  readonly fillsNull?: boolean;
  /** The secret that signs deliveries: services return it when a webhook is registered. */
  readonly webhookSecret?: string;
}

/** The field is left out. */
const OMIT = Symbol("omit");

/** A known value with the type and the format of a place: the shape decides, then the name. */
function writeKnown(known: KnownValue, place: Place, format: Format): unknown {
  const value = valueFor(known, place, format) ?? null;
  const { types, formats, presence } = place;
  const canLack = types.includes("null") || presence < 1;
  if (value === null || (value === "" && !formats.includes("empty") && canLack)) {
    if (types.includes("null")) return null;
    if (presence < 1 || known === null) return OMIT;
    // A field that repeats what was sent is empty if nothing was sent.
    if (place.same.includes("description")) return "";
    return formats.includes("empty") ? "" : placeholder(place, format.seed);
  }
  const isSent = known !== null && "sent" in known;
  const isTyped = types.includes(Array.isArray(value) ? "array" : typeof value);
  // What was sent, and an amount, are as they are.
  const isExact = typeof value !== "string" || isSent || (known !== null && "cents" in known);
  const isFormatted = isExact || formats.length === 0 || formats.includes(textFormat(value));
  if ((isTyped && isFormatted) || types.length === 0) return value;
  const rest = types.filter((type) => type !== "null");
  // It may have been null only in the statuses that were seen.
  if (rest.length === 0) return isSent || format.fillsNull ? value : null;
  return placeholder({ ...place, types: rest }, `${format.seed} ${value}`);
}

function valueFor(known: KnownValue, place: Place, format: Format): unknown {
  if (known === null) return undefined;
  if ("oneOf" in known) return choose(known.oneOf, place.values);
  const isNumber = place.types.includes("number") && !place.types.includes("string");
  if ("cents" in known) {
    const { cents, same = place.same } = known;
    return cents === undefined ? undefined : moneyFor(cents, { ...place, same }, isNumber);
  }
  if ("ms" in known) {
    return known.ms === undefined ? undefined : timeFor(known.ms, place, format, isNumber);
  }
  const value = "sent" in known ? known.sent : known.text;
  if (isNumber && typeof value === "string" && /^\d{1,15}$/.test(value)) return Number(value);
  if (typeof value === "number" && !place.types.includes("number")) return String(value);
  return typeof value === "boolean" && isNumber ? Number(value) : value;
}

function moneyFor(cents: number, { same, name, formats }: Place, isNumber: boolean): unknown {
  const isPlain = same.includes("amount");
  const isMinor = same.includes("minor") || (!isPlain && /minor|cents/.test(name));
  const isRounded =
    same.includes("rounded") || (isNumber && !isPlain && !formats.includes("decimal"));
  const amount = isMinor ? cents : isRounded ? Math.round(cents / 100) : cents / 100;
  if (isNumber) return amount;
  const isDecimal = formats.length === 0 || formats.includes("decimal2");
  return isDecimal && !isMinor && !same.includes("rounded") ? formatAmount(cents) : String(amount);
}

function timeFor(ms: number, { name, formats }: Place, format: Format, isNumber: boolean): unknown {
  const inMs = /(_ms|millis)$/.test(name) || formats.includes("digits13");
  const number = inMs ? ms : Math.floor(ms / 1000);
  if (isNumber) return number;
  if (formats.includes("datetime")) return format.datetime(ms);
  const local = format.timestamp(ms);
  if (formats.length === 0 || formats.includes("iso8601")) return local;
  if (formats.includes("date")) return local.slice(0, 10);
  return formats.includes("digits14") ? local.replace(/\D/g, "").slice(0, 14) : String(number);
}

/** The first choice that is one of the values, however it is written; the first name if none is. */
export function choose(choices: readonly (string | RegExp)[], values: readonly string[]): string {
  for (const one of choices) {
    const found = values.find((value) => {
      const plain = value.toLowerCase();
      return typeof one === "string" ? plain === one : one.test(plain);
    });
    if (found !== undefined) return found;
  }
  return choices.find((one) => typeof one === "string") ?? values[0] ?? "";
}

/** The form of timestamps, such as `YYYY-MM-DDTHH:mm:ss.SSS+03:00`, as a function. */
export function timestampIn(form: string): (ms: number) => string {
  const [, sign = "", hours = "0", minutes = "0"] = /([+-])(\d\d):?(\d\d)?$/.exec(form) ?? [];
  const offsetMs = (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes || 0)) * 60_000;
  return (ms) => {
    const digits = new Date(ms + (sign === "" ? 0 : offsetMs)).toISOString().match(/\d+/g) ?? [];
    const [fraction = ""] = digits.slice(6);
    const parts = digits[Symbol.iterator]();
    return form.replace(/YYYY|MM|DD|HH|mm|ss|S+/g, (part) =>
      part.startsWith("S")
        ? fraction.padEnd(part.length, "0").slice(0, part.length)
        : String(parts.next().value),
    );
  };
}

/** What the sandbox knows of a place; `undefined`: nothing but its shape. */
export type Lookup = (place: Place) => KnownValue | undefined;

/** How a body is written. */
interface Writer {
  readonly lookup: Lookup;
  readonly format: Format;
  /** What stands at a path of the body: the resource or the list. */
  readonly content?: { readonly at: string; readonly value: unknown };
  /** The status of the resource: its places are as they were in this status. */
  readonly state?: string | undefined;
}

const isBelow = (path: string, above: string): boolean =>
  above === ROOT ? path !== ROOT : path.startsWith(`${above}.`);

/** Writes a body, or a part of one, in the shape of a place. `OMIT`: the field is left out. */
export function write(given: Place, writer: Writer): unknown {
  const { lookup, format, content, state } = writer;
  if (content?.at === given.path) return content.value;
  const place = inState(given, state);
  const { types, presence, item, path } = place;
  const holdsContent = content !== undefined && isBelow(content.at, path);
  if (!holdsContent) {
    const found = lookup(place);
    // A field of the service's own, such as transactionId, may be there in every status.
    const isOwn = place.key !== place.name && place !== given;
    const isThere = isOwn && presence === 1 && !types.includes("null");
    const known = found === null && isThere ? undefined : found;
    const isSent = known != null && "sent" in known && known.sent !== null;
    if (presence === 0 && !isSent) return OMIT;
    if (known !== undefined && fits(known, place)) {
      return writeKnown(known, isSent ? given : place, format);
    }
    if (presence < 0.5 && known === undefined) return OMIT;
  }
  if (types[0] === "object" || (holdsContent && types.includes("object"))) {
    return writeFields(place, writer);
  }
  if (types[0] !== "array" || item === undefined) return placeholder(place, format.seed);
  const one = write(item, writer);
  return one === OMIT ? [] : [one];
}

/** A field that has the name of a known value may hold an object all the same: `phone: { number }`. */
function fits(known: KnownValue, { types: [type] }: Place): boolean {
  if (type !== "object" && type !== "array") return true;
  return known === null || ("sent" in known && typeof known.sent === "object");
}

/** Writes the fields of an object. */
export function writeFields({ fields }: Place, writer: Writer): Record<string, unknown> {
  // A key that is not the name of a field stands in the shape as `{field}` or `*`.
  const keys: Readonly<Record<string, string>> = {
    "{field}": writer.format.field || "field",
    "*": "sandbox",
  };
  const written = fields.map((one) => [keys[one.key] ?? one.key, write(one, writer)]);
  return Object.fromEntries(written.filter(([, value]) => value !== OMIT));
}
