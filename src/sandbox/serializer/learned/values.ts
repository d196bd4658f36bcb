import { textFormat } from "../../../profile/vocabulary/formats.ts";
import { formatAmount } from "../../state/money.ts";
import { placeholder } from "./placeholder.ts";
import type { Place } from "./shape-tree.ts";

/** A value that the sandbox knows, before it has the type and the format of a place. */
export type Known =
  /** As the merchant sent it. */
  | { readonly kind: "sent"; readonly value: unknown }
  /** There is certainly none, such as the transaction of a failed payment. */
  | { readonly kind: "absent" }
  /** Another text of the right format may stand in its place. */
  | { readonly kind: "text"; readonly text: string }
  /** `same`: how the service writes it, as at another endpoint. */
  | { readonly kind: "money"; readonly cents: number; readonly same?: readonly string[] }
  /** Milliseconds since 1970. */
  | { readonly kind: "time"; readonly ms: number }
  /** One of a closed set: the first that the service has, or else the first name. */
  | { readonly kind: "choice"; readonly choices: readonly (string | RegExp)[] };

const NO_VALUE: Known = { kind: "sent", value: null };
export const sent = (value: unknown): Known => ({ kind: "sent", value: value ?? null });
export const text = (one: string | undefined): Known =>
  one === undefined ? NO_VALUE : { kind: "text", text: one };
export const money = (cents: number | undefined): Known =>
  cents === undefined ? NO_VALUE : { kind: "money", cents };
export const time = (ms: number | undefined): Known =>
  ms === undefined ? NO_VALUE : { kind: "time", ms };
export const choice = (...choices: (string | RegExp)[]): Known => ({ kind: "choice", choices });
/** A known value, or the certainty that there is none. */
export const orAbsent = <T>(one: T | undefined, known: (one: T) => Known): Known =>
  one === undefined ? { kind: "absent" } : known(one);

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

/** A known value with the type and the format of a place. */
export function writeKnown(known: Known, place: Place, format: Format): unknown {
  const value = valueFor(known, place, format);
  const { types, formats } = place;
  const isEmpty = value === "" && !formats.includes("empty") && hasNoValue(place);
  if (value === undefined || value === null || isEmpty) {
    if (types.includes("null")) return null;
    if (place.presence < 1 || known.kind === "absent") return OMIT;
    return formats.includes("empty") ? "" : placeholder(place, format.seed);
  }
  const isTyped = types.includes(Array.isArray(value) ? "array" : typeof value);
  const isFormatted =
    typeof value !== "string" ||
    known.kind === "sent" ||
    known.kind === "money" ||
    formats.length === 0 ||
    formats.includes(textFormat(value));
  if ((isTyped && isFormatted) || types.length === 0) return value;
  const rest = types[0] === "null" ? types.slice(1) : types;
  // It may have been null only in the statuses that were seen.
  if (rest.length === 0) return known.kind === "sent" || format.fillsNull ? value : null;
  return placeholder({ ...place, types: rest }, `${format.seed} ${value}`);
}

/** A service that has no empty texts leaves the field out. */
const hasNoValue = ({ types, presence }: Place) => types.includes("null") || presence < 1;

function valueFor(known: Known, place: Place, format: Format): unknown {
  const isNumber = place.types.includes("number") && !place.types.includes("string");
  switch (known.kind) {
    case "absent":
      return undefined;
    case "text":
      return isNumber && /^\d{1,15}$/.test(known.text) ? Number(known.text) : known.text;
    case "sent": {
      const { value } = known;
      if (isNumber && typeof value === "string" && /^\d{1,15}$/.test(value)) return Number(value);
      if (typeof value === "number" && !place.types.includes("number")) return String(value);
      return typeof value === "boolean" && isNumber ? Number(value) : value;
    }
    case "money":
      return moneyFor(known.cents, { ...place, same: known.same ?? place.same }, isNumber);
    case "time":
      return timeFor(known.ms, place, format, isNumber);
    case "choice":
      return choose(known.choices, place.values);
  }
}

function moneyFor(cents: number, { same, name, formats }: Place, isNumber: boolean): unknown {
  const isMinor = same.includes("minor") || (!same.includes("amount") && /minor|cents/.test(name));
  const isRounded =
    same.includes("rounded") ||
    (isNumber && !same.includes("amount") && !formats.includes("decimal"));
  const isDecimal = formats.length === 0 || formats.includes("decimal2");
  const amount = isMinor ? cents : isRounded ? Math.round(cents / 100) : cents / 100;
  if (isNumber) return amount;
  return isDecimal && !isMinor && !same.includes("rounded") ? formatAmount(cents) : String(amount);
}

function timeFor(ms: number, place: Place, format: Format, isNumber: boolean): unknown {
  const { name, formats } = place;
  const inMs = /(_ms|millis)$/.test(name) || formats.includes("digits13");
  const number = inMs ? ms : Math.floor(ms / 1000);
  if (isNumber) return number;
  if (formats.includes("datetime")) return format.datetime(ms);
  if (formats.length === 0 || formats.includes("iso8601")) return format.timestamp(ms);
  const local = format.timestamp(ms);
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
    const at = new Date(ms + (sign === "" ? 0 : offsetMs)).toISOString();
    const parts: Record<string, string> = {
      YYYY: at.slice(0, 4),
      MM: at.slice(5, 7),
      DD: at.slice(8, 10),
      HH: at.slice(11, 13),
      mm: at.slice(14, 16),
      ss: at.slice(17, 19),
    };
    return form.replace(/YYYY|MM|DD|HH|mm|ss|S+/g, (part) =>
      part.startsWith("S")
        ? at.slice(20, 23).padEnd(part.length, "0").slice(0, part.length)
        : (parts[part] as string),
    );
  };
}
