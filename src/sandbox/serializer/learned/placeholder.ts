import { textFormat } from "../../../profile/vocabulary/formats.ts";
import { nextName, nextRandom, seedRandom } from "../../state/random.ts";
import type { Place } from "./shape-tree.ts";

/** A value of this format, always the same for the same seed. */
export function madeUpText(format: string, name: string, seed: string): string {
  const random = seedRandom(`${seed} ${name}`);
  const [, kind = "", length = ""] = /^(digits|hex)(\d*)$/.exec(format) ?? [];
  if (kind === "digits") return `9${nextName(random, "digits", Number(length || 24) - 1)}`;
  if (kind === "hex") return `f${hexDigits(seed, name, Number(length || 32) - 1)}`;
  switch (format) {
    case "empty":
      return "";
    case "iso8601":
      return "2026-01-01T09:00:00+03:00";
    case "date":
      return "2026-01-01";
    case "uuid":
      return madeUpUuid(seed, name);
    case "url":
      return `https://sandbox.malipo.test/${name.replaceAll("_", "-")}`;
    case "email":
      return "someone@sandbox.malipo.test";
    case "decimal2":
      return "10.00";
    case "decimal":
      return "10.5";
    case "token":
      return `${name || "value"}_${nextName(random, "token", 8)}`.replace(/[^\w.:-]/g, "_");
    default:
      return `Sandbox: ${name.replaceAll("_", " ") || "text"}`;
  }
}

function hexDigits(seed: string, name: string, length: number): string {
  const random = seedRandom(`hex ${seed} ${name}`);
  let digits = "";
  while (digits.length < length) digits += Math.floor(nextRandom(random) * 16).toString(16);
  return digits;
}

/** A UUID of version 4. */
export function madeUpUuid(seed: string, name: string): string {
  const hex = hexDigits(seed, name, 32);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
}

/** The format that a made-up text of a place has: the first that says something. */
export const formatOf = ({ formats }: Place): string =>
  formats.find((one) => one !== "empty" && one !== "integer") ?? formats[0] ?? "text";

/** A text of the sandbox's own in a format of the place: the text itself, if it has one of them. */
export function reshaped(text: string, place: Place, seed: string): string {
  const { formats, name } = place;
  const isAny = formats.length === 0 || formats.includes(textFormat(text));
  return isAny ? text : madeUpText(formatOf(place), name, `${seed} ${text}`);
}

/** A value for a field that the sandbox knows nothing of. */
export function madeUp(place: Place, seed: string): unknown {
  const [type] = place.types;
  switch (type) {
    case "number":
      return place.formats.includes("integer") ? 1 : 0.5;
    case "boolean":
      return true;
    case "null":
      return null;
    case "array":
      return [];
    case "object":
      return {};
    default:
      return place.values[0] ?? madeUpText(formatOf(place), place.name, seed);
  }
}
