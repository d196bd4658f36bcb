import { textFormat } from "../../../profile/vocabulary/formats.ts";
import { formatAmount } from "../../state/money.ts";
import { madeUpText, reshaped } from "./placeholder.ts";
import type { Place } from "./shape-tree.ts";

/** Something that the sandbox knows, before it has the type and the format of a field. */
export type Fact =
  /** Said as the merchant sent it. `null`: it has no value. */
  | { readonly kind: "value"; readonly value: unknown }
  /** There is certainly no such thing, such as the transaction of a failed payment. */
  | { readonly kind: "absent" }
  /** A text of the sandbox's own, which may be replaced by another of the right format. */
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "money"; readonly cents: number }
  /** Milliseconds since 1970. */
  | { readonly kind: "moment"; readonly ms: number }
  /** One of a closed set: the first that the service has, or else the last. */
  | { readonly kind: "choice"; readonly choices: readonly (string | RegExp)[] };

export const value = (one: unknown): Fact => ({ kind: "value", value: one ?? null });
const ABSENT: Fact = { kind: "absent" };
/** A fact, or the certainty that there is none. */
export const certain = <T>(one: T | undefined, fact: (one: T) => Fact): Fact =>
  one === undefined ? ABSENT : fact(one);
export const text = (one: string | undefined): Fact =>
  one === undefined ? value(null) : { kind: "text", text: one };
export const money = (cents: number | undefined): Fact =>
  cents === undefined ? value(null) : { kind: "money", cents };
export const moment = (ms: number | undefined): Fact =>
  ms === undefined ? value(null) : { kind: "moment", ms };
export const choice = (...choices: (string | RegExp)[]): Fact => ({ kind: "choice", choices });

/** How facts are said. */
export interface Manner {
  /** Makes up what is unknown. */
  readonly seed: string;
  /** A moment as a text, such as `2026-01-01T09:00:00+03:00`. */
  readonly timestamp: (ms: number) => string;
  /** The name of the field that is invalid: the key of what is said of it. */
  readonly field?: string;
  /** The secret that signs deliveries: services return it when a webhook is registered. */
  readonly webhookSecret?: string;
}

/** Nothing to say. */
export const NOTHING = Symbol("nothing");

/** A fact with the type and the format of a place; `NOTHING` where it has no value. */
export function sayFact(fact: Fact, seen: Place, manner: Manner): unknown {
  // A field that was always null has a value as soon as there is one: the type that its fact has.
  const isOnlyNull = seen.types.length === 1 && seen.types[0] === "null";
  const place = isOnlyNull ? { ...seen, types: [] } : seen;
  if (isOnlyNull && fact.kind === "value") return fact.value === null ? NOTHING : fact.value;
  switch (fact.kind) {
    case "absent":
      return NOTHING;
    case "value":
      return sayValue(fact.value, place, manner);
    case "text":
      return place.types.includes("string") || isOnlyNull
        ? reshaped(fact.text, place, manner.seed)
        : otherType(fact.text, place);
    case "money":
      return sayMoney(fact.cents, place);
    case "moment":
      return sayMoment(fact.ms, place, manner);
    case "choice":
      return choose(fact.choices, place.values);
  }
}

function sayValue(one: unknown, place: Place, { seed }: Manner): unknown {
  if (one === null) return NOTHING;
  const { types, formats } = place;
  // A service that has no empty texts leaves the field out.
  const isLeftOut = types.includes("null") || place.presence < 1;
  if (one === "" && !formats.includes("empty") && isLeftOut) return NOTHING;
  if (typeof one === "number" && !types.includes("number") && types.includes("string")) {
    const digits = String(one);
    return formats.includes(textFormat(digits)) ? digits : reshaped(digits, place, seed);
  }
  if (typeof one === "string" && !types.includes("string")) return otherType(one, place);
  return one;
}

/** A text where the service has no text: a number if it is one. */
function otherType(one: string, { types }: Place): unknown {
  if (types.includes("number") && /^\d{1,15}$/.test(one)) return Number(one);
  return types.includes("null") ? null : one;
}

function sayMoney(cents: number, { name, types, formats }: Place): unknown {
  const isMinor = /minor|cents/.test(name);
  if (types[0] === "number") return isMinor ? cents : cents / 100;
  if (formats.some((one) => one.startsWith("digits")) && !formats.includes("decimal2")) {
    return String(isMinor ? cents : Math.round(cents / 100));
  }
  return formatAmount(cents);
}

function sayMoment(ms: number, { name, types, formats }: Place, manner: Manner): unknown {
  const inMs = /(_ms|millis)$/.test(name) || formats.includes("digits13");
  const number = inMs ? ms : Math.floor(ms / 1000);
  if (types.includes("number")) return number;
  if (formats.includes("date") && !formats.includes("iso8601")) {
    return manner.timestamp(ms).slice(0, 10);
  }
  if (formats.length === 0 || formats.includes("iso8601")) return manner.timestamp(ms);
  if (formats.some((one) => one.startsWith("digits"))) return String(number);
  return madeUpText(formats[0] as string, name, manner.seed);
}

/** The first choice that is one of the values; the first name among the choices if none is. */
function choose(choices: readonly (string | RegExp)[], values: readonly string[]): string {
  for (const one of choices) {
    const found = values.find((known) =>
      typeof one === "string" ? known === one : one.test(known),
    );
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
