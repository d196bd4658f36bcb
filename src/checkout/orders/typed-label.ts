// A customer who pays at a paybill types the label of his order by hand. What can be meant by it is a short list of
// labels, each of which is looked up by the index: nothing is searched, and nothing is guessed.
import { labelOf } from "./checkout-store.ts";

/** Words that say nothing about which order it is. */
const NOISE: ReadonlySet<string> = new Set(
  "REF REFERENCE NO NR NUMBER ACC ACCOUNT PAY PAYMENT FOR THE".split(" "),
);

/** Words that labels begin with, each with others for the same thing. */
const KINDS: readonly (readonly string[])[] = [
  ["ORDER", "ORDERS", "ORD", "ODA"],
  ["INVOICE", "INV"],
  ["TICKET"],
  ["BILL"],
];
const kindOf = (word: string) => KINDS.find((kind) => kind.includes(word));

/** What people write in the place of a dash, or leave out. */
const SEPARATORS = ["-", "", " ", "_", "/", "."];
const ANY_SEPARATOR = /[\s\p{P}\p{S}\p{Cf}]+/u;

/** Each join of the parts: `ORDER-42`, `ORDER42`, `ORDER 42`. */
const joins = (parts: readonly string[]): string[] => SEPARATORS.map((one) => parts.join(one));

/** `ORDER42` is `ORDER` and `42`; `A42` stays. */
function withoutGlue([first = "", ...rest]: readonly string[]): string[] {
  const [, word = "", digits = ""] = /^([A-Z]+)(\d+)$/.exec(first) ?? [];
  const isGlued = NOISE.has(word) || kindOf(word) !== undefined;
  return isGlued ? [word, digits, ...rest] : [first, ...rest];
}

function withoutNoise(parts: readonly string[]): readonly string[] {
  const at = parts.findIndex((one) => !NOISE.has(one));
  return at > 0 ? parts.slice(at) : parts;
}

/** The most labels that one text is compared with. */
export const MAX_LABELS = 64;

/**
 * The labels that a typed text can stand for, beside its own. With a prefix, only case and separators may differ: other
 * shops of the account have labels, too.
 */
export function labelsLike(typed: string, prefix: string): string[] {
  const parts = labelOf(typed)
    .split(ANY_SEPARATOR)
    .filter((one) => one !== "");
  const found = prefix === "" ? withWords(parts) : joins(parts);
  return [...new Set(found)]
    .filter((one) => one !== "" && one !== labelOf(typed) && one.startsWith(prefix))
    .slice(0, MAX_LABELS);
}

/** Other words for the same kind of thing, or none; a text without such a word can be any kind. */
function withWords(parts: readonly string[]): string[] {
  const said = withoutNoise(withoutGlue(parts));
  const [first = "", ...rest] = said;
  const kind = rest.length > 0 ? kindOf(first) : undefined;
  const name = kind === undefined ? said : rest;
  const words = kind ?? KINDS.flat();
  return [parts, said, name, ...words.map((word) => [word, ...name])].flatMap(joins);
}
