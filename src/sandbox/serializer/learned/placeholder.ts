import type { Place } from "../../../profile/place.ts";
import { FORMATS } from "../../../profile/vocabulary/formats.ts";
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
    return hexDigits(seed, name, 32).replace(
      /(.{8})(.{4}).(.{3}).(.{3})(.{12})/,
      "$1-$2-4$3-a$4-$5",
    );
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
export function placeholder(place: Place, seed: string): unknown {
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
