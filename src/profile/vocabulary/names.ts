/**
 * What may stand in a profile as a name. It is an allow list: a key that is not sure to be the name
 * of a field is written as `*`.
 */

import { isKnownWord } from "./words.ts";

const MAX_NAME = 48;
const MAX_WORDS = 7;
const MAX_WORD = 18;

/** `payment_id`, `currentPage`, `ResultCode`, `line-1`: the words, in lower case. */
export const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z]\d?)([A-Z])/g, "$1 $2")
    .replace(/([A-Z])(?=[A-Z][a-z])/g, "$1 ")
    .toLowerCase()
    .split(/[ _-]+/)
    .filter((word) => word !== "");

/** A word of letters, with at most two digits at its end; a few longer ones are terms. */
const WORD = /^(?:[a-z]+\d{0,2}|\d|sha\d{3}|iso\d{4}|e164|utf8|oauth2)$/;

/** Letters that no word has: six in a row without a vowel. */
const NO_WORD = /[bcdfghjklmnpqrstvwxz]{6}/;

/** `deadbeef`: a hash that has letters only. */
const HEXADECIMAL = /^[a-f]{7,}$/;

/** Capitals only: a long one is a code, not a name. */
const CODE = /^(?=.*[A-Z])[A-Z\d]{8,}$/;

/** `order-7`, `INV-1`: a number after a hyphen is a counter. */
const NUMBERED = /-\d+$/;

/** `sk_zz_top`: what begins like a key is one. */
const KEY = /^(?:sk|pk|sb|rk|ak|whsec)_/i;

/** `constructor`, `__proto__`: names that every object has. */
const isInherited = (key: string): boolean => key in Object.prototype;

const isWord = (word: string): boolean =>
  word.length <= MAX_WORD && WORD.test(word) && !NO_WORD.test(word) && !HEXADECIMAL.test(word);

/** Whether a key of an object is surely the name of a field: not an id, a phone number or a hash. */
export function isFieldName(key: string): boolean {
  if (key.length === 0 || key.length > MAX_NAME || !/^[A-Za-z_$@][\w-]*$/.test(key)) return false;
  if (isInherited(key) || NUMBERED.test(key) || isSecret(key)) return false;
  const words = wordsOf(key.replace(/^[$@_]+/, ""));
  return (
    words.length > 0 &&
    words.length <= MAX_WORDS &&
    words.every(isWord) &&
    !isRandom(key) &&
    (!CODE.test(key) || isKnownWord(key.toLowerCase()))
  );
}

/** `aB3xQ9zT`: letters of both cases and digits that change too often for words. */
function isRandom(key: string): boolean {
  const changes = key
    .replace(/[^A-Za-z\d]/g, "")
    .match(/[a-z](?=[A-Z])|[A-Za-z](?=\d)|\d(?=[A-Za-z])/g);
  return (changes?.length ?? 0) > Math.max(2, key.length / 4);
}

/** Names of headers come in small letters, in which a code looks like a long word: theirs are shorter. */
const HEADER_WORD = /^(?:[a-z]{1,14}|[a-z]{0,10}\d{1,4})$/;

/** A word of digits and letters after a prefix of a key; `secret_key` is the name of a field. */
const isSecret = (key: string): boolean =>
  KEY.test(key) && !wordsOf(key).slice(1).every(isKnownWord);

/** Whether every word of a name is one that APIs use. */
export const isKnownName = (name: string): boolean => {
  const words = wordsOf(name.replace(/^[$@_]+/, ""));
  return words.length > 0 && words.every(isKnownWord);
};

/** Whether a name has at least one word that APIs use. */
export const hasKnownWord = (name: string): boolean => wordsOf(name).some(isKnownWord);

/**
 * Whether the name of a header may stand in a profile: `x-request-id`, not `x-customer-wanjiku`. Only
 * its first word may be unknown, such as the name of the service in `x-acme-request-id`.
 */
export function isHeaderName(name: string): boolean {
  if (!/^[a-z][a-z\d-]*$/.test(name) || !isFieldName(name) || OF_TRANSPORT.test(name)) return false;
  const words = wordsOf(name)
    .filter((word, index) => !(index === 0 && word === "x"))
    .map((word) => (HEADER_TERMS.has(word) ? "type" : word));
  const [first = "", ...rest] = words;
  if (!HEADER_WORD.test(first) || !rest.every(isKnownWord)) return false;
  return isKnownWord(first) || rest.length > 0;
}

/** Headers of the connection and of proxies: they tell nothing about the service. */
const OF_TRANSPORT =
  /^(?:connection|keep-alive|transfer-encoding|content-length|date|host|te|trailer|upgrade|via|accept|accept-.+|user-agent|content-encoding|forwarded|x-forwarded-.+|x-real-ip|cf-.+|x-amz.*|cdn-loop|server|set-cookie|cookie|authorization|age|alt-svc|etag|last-modified|report-to|nel|sec-.+|traceparent|tracestate|expect)$/;

/** Words of headers only. */
const HEADER_TERMS = new Set(
  "accept etag expose nosniff opener embedder transport strict csp xss cross referrer vary www authenticate varies pragma deprecation sunset idempotency idempotent".split(
    " ",
  ),
);

/** Whether a field holds the status of its object: `status`, `payment_status`, `state`. */
export const isStatusName = (name: string): boolean => /(?:status|state)$/i.test(name);

/** Whether a value of `status` or of `event` may stand in a profile: words that APIs use. */
export const isClosedValue = (value: string): boolean =>
  /^(?:[a-z_.]{1,40}|[A-Z][a-z_]{1,39}|[A-Z_]{1,40})$/.test(value) &&
  isKnownName(value.replaceAll(".", "_"));

const SEGMENT = /^(?:\*|\{field\}|[A-Za-z_$@][\w-]*)$/;

/** No path that malipo writes is longer: eight names at most. */
const MAX_PATH = 500;

/** Removes the `[]` at the end of a segment. A loop, because a pattern takes the square of the length. */
export function withoutBrackets(segment: string): string {
  let end = segment.length;
  while (segment.endsWith("[]", end)) end -= 2;
  return segment.slice(0, end);
}

export function isShapePath(path: string): boolean {
  if (path === "$") return true;
  if (path.length > MAX_PATH) return false;
  const [first = "", ...rest] = path.split(".").map(withoutBrackets);
  const isSegment = (one: string) => SEGMENT.test(one) && !isInherited(one);
  return ((first === "" && path.startsWith("[]")) || isSegment(first)) && rest.every(isSegment);
}
