import { sha256Hex } from "#hmac";
import { InvalidParamsError } from "../errors/configuration.ts";
import {
  checkOptions,
  checkText,
  describeValue,
  type OptionRows,
} from "../internal/check-options.ts";
import { MAX_ACCOUNT_REFERENCE } from "./limits.ts";

/** A prefix leaves room for seven characters of a digest and the letter before them. */
const MAX_PREFIX = 4;

/** Without letters that read like digits. 32 of them: each stands for five bits. */
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** What networks and services do not change. */
const SAFE = /^[0-9A-Z-]+$/;

/** The letter before a digest. */
const MARK = "Z";

/** How `accountReferenceFor` makes a reference. */
export interface AccountReferenceOptions {
  /**
   * What each reference begins with: at most 4 upper-case letters, digits and dashes. Set it if two shops use
   * one merchant account, so that no order of one has the reference of an order of the other: `"A-"`, `"B-"`.
   * It leaves fewer characters to a digest.
   *
   * @default ""
   */
  prefix?: string | undefined;
}

const OPTIONS = {
  prefix: (prefix = "") => {
    const expected = `at most ${MAX_PREFIX} upper-case letters, digits and dashes`;
    return checkText("prefix", prefix, new RegExp(`^[0-9A-Z-]{0,${MAX_PREFIX}}$`), expected);
  },
} satisfies OptionRows<AccountReferenceOptions>;

/**
 * The `account_reference` of an order: at most 12 upper-case letters, digits and dashes. An id that fits is
 * used unchanged. Any other id, such as a UUID, becomes `Z` and a digest of it: one id always has the same
 * reference, and two ids have different ones (55 bits without a prefix: among a million orders, the chance that
 * two share a reference is one in 70,000). Use it instead of cutting an id, which makes
 * two orders look like one. Store the reference with the order, to find the order again.
 *
 * @param id - The id of the order, of any length.
 * @throws {InvalidParamsError} for an id that is not a text, or is empty.
 * @throws {ConfigurationError} for a prefix that is too long, or has other characters.
 *
 * @example
 * ```ts
 * accountReferenceFor("ORDER-42"); // "ORDER-42"
 * accountReferenceFor("3f2b8c1e-58a4-4f8a-9f0e-2f6f5b1f7c11"); // 12 characters
 * accountReferenceFor("ORDER-42", { prefix: "A-" }); // "A-ORDER-42"
 * ```
 */
export function accountReferenceFor(id: string, options: AccountReferenceOptions = {}): string {
  const { prefix } = checkOptions(options, OPTIONS, "accountReferenceFor");
  // Every half of a surrogate pair has the same bytes: two such ids would have one digest.
  if (typeof id !== "string" || id === "" || /\p{Surrogate}/u.test(id)) {
    const message = `expected a non-empty string without half characters, got ${typeof id === "number" ? "a number" : describeValue(id)}`;
    throw new InvalidParamsError(`accountReferenceFor: \`id\` is invalid: ${message}.`, [
      { path: ["id"], message },
    ]);
  }
  const room = MAX_ACCOUNT_REFERENCE - prefix.length;
  // An id that looks like the digest of another one must not share its reference.
  const looksLikeDigest = id.length === room && id.startsWith(MARK);
  if (id.length <= room && SAFE.test(id) && !looksLikeDigest) return prefix + id;
  return prefix + MARK + digestOf(id, room - MARK.length);
}

/** The first bits of the SHA-256 of a text. */
function digestOf(text: string, length: number): string {
  let rest = BigInt(`0x${sha256Hex(text)}`) >> BigInt(256 - length * 5);
  let digest = "";
  for (let at = 0; at < length; at++) {
    digest = (ALPHABET[Number(rest % 32n)] as string) + digest;
    rest /= 32n;
  }
  return digest;
}
