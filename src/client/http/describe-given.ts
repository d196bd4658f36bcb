import { keyKind } from "../../contract/keys.ts";
import { maskPhones } from "../../internal/phone-digits.ts";
import type { Redactor } from "../../internal/redact.ts";

/** What a caller gave, as a message shows it. */
export function describeGiven(value: unknown, redactor: Redactor): string {
  if (value === undefined) return "nothing";
  if (typeof value === "string") {
    // Another key than this gateway's, in the wrong place.
    if (keyKind(value) !== undefined) return "an API key";
    return maskPhones(JSON.stringify(redactor.text(value).slice(0, 60)));
  }
  if (typeof value === "number") return `the number ${maskPhones(String(value))}`;
  return Array.isArray(value) ? "an array" : value === null ? "null" : `a ${typeof value}`;
}
