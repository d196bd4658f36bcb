/**
 * What may stand in a profile as a name. It is an allow list: a key that is not sure to be the name
 * of a field is written as `*`.
 */

const MAX_NAME = 48;
const MAX_WORDS = 7;
const MAX_WORD = 18;

/** `payment_id`, `currentPage`, `ResultCode`, `line-1`: the words, in lower case. */
const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z]\d?)([A-Z])/g, "$1 $2")
    .replace(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[ _-]+/)
    .filter((word) => word !== "");

/** A word of letters, with at most two digits at its end; a few longer ones are terms. */
const WORD = /^(?:[a-z]+\d{0,2}|\d|sha\d{3}|iso\d{4}|e164|utf8|oauth2)$/;

/** Letters that no word has: five in a row without a vowel. */
const NO_WORD = /[bcdfghjklmnpqrstvwxz]{6}/;

/** `deadbeef`: a hash that has letters only. */
const HEXADECIMAL = /^[a-f]{7,}$/;

/** Capitals only: a long one is a code, not a name. */
const CODE = /^(?=.*[A-Z])[A-Z\d]{13,}$/;

const isWord = (word: string): boolean =>
  word.length <= MAX_WORD && WORD.test(word) && !NO_WORD.test(word) && !HEXADECIMAL.test(word);

/** Whether a key of an object is surely the name of a field: not an id, a phone number or a hash. */
export function isFieldName(key: string): boolean {
  if (key.length === 0 || key.length > MAX_NAME || !/^[A-Za-z_$@][\w-]*$/.test(key)) return false;
  const words = wordsOf(key.replace(/^[$@_]+/, ""));
  return (
    words.length > 0 &&
    words.length <= MAX_WORDS &&
    words.every(isWord) &&
    !isRandom(key) &&
    !CODE.test(key)
  );
}

/** `aB3xQ9zT`: letters of both cases and digits that change too often for words. */
function isRandom(key: string): boolean {
  const changes = key
    .replace(/[^A-Za-z\d]/g, "")
    .match(/[a-z](?=[A-Z])|[A-Za-z](?=\d)|\d(?=[A-Za-z])/g);
  return (changes?.length ?? 0) > Math.max(2, key.length / 4);
}

/** Names of headers come in small letters, where a code looks like a long word: theirs are shorter. */
const HEADER_WORD = /^(?:[a-z]{1,14}|[a-z]{0,10}\d{1,4})$/;

/** Whether the name of a header may stand in a profile: `x-request-id`, not `x-cust-254712345678`. */
export const isHeaderName = (name: string): boolean =>
  name.length <= MAX_NAME &&
  /^[a-z][a-z\d-]*$/.test(name) &&
  isFieldName(name) &&
  wordsOf(name).every((word) => HEADER_WORD.test(word));

const SEGMENT = /^(?:\*|\{field\}|[A-Za-z_$@][\w-]*)$/;

/** Whether a text is a path of a shape. */
export function isShapePath(path: string): boolean {
  if (path === "$") return true;
  const [first = "", ...rest] = path.split(".");
  const plain = (segment: string) => segment.replace(/(?:\[\])+$/, "");
  const isFirst = /^(?:\[\])+$/.test(first) || SEGMENT.test(plain(first));
  return isFirst && rest.every((segment) => SEGMENT.test(plain(segment)));
}
