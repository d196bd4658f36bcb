import type { Place } from "../../../profile/place.ts";
import { textFormat } from "../../../profile/vocabulary/formats.ts";
import { formatAmount } from "../../state/money.ts";
import { placeholder } from "./placeholder.ts";

/** A value that the sandbox knows, before it has the type and the format of a place. `null`: there is none. */
export type Known =
  | null
  /** As the merchant sent it. */
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
export const OMIT = Symbol("omit");

/** A known value with the type and the format of a place: the shape decides, then the name. */
export function writeKnown(known: Known, place: Place, format: Format): unknown {
  const value = valueFor(known, place, format) ?? null;
  const { types, formats, presence } = place;
  const canLack = types.includes("null") || presence < 1;
  if (value === null || (value === "" && !formats.includes("empty") && canLack)) {
    if (types.includes("null")) return null;
    if (presence < 1 || known === null) return OMIT;
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

function valueFor(known: Known, place: Place, format: Format): unknown {
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
