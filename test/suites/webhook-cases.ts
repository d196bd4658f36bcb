import type { WebhookErrorCode, WebhookSecret } from "malipo/webhooks";
import { BODY_CASES } from "./webhook-body-cases.ts";
import { BODY, EVENT, HEX, hmac, SECRET, utf8 } from "./webhook-sample.ts";

/** The result of a delivery: the event, or an error with this code. */
export type Expected = "accepted" | WebhookErrorCode;

/** A delivery as bytes and headers, for `verifyWebhook`, a receiver, or an adapter over a socket. */
export interface WireCase {
  /** The situation. */
  readonly name: string;
  readonly wire: { readonly body: Uint8Array; readonly headers: Record<string, string> };
  readonly secret: WebhookSecret | readonly WebhookSecret[];
  readonly expected: Expected;
  /** Why it is so, if both ways could be argued for. */
  readonly pin?: string;
  /** What an accepted body holds. */
  readonly event?: unknown;
  /** No HTTP client or server lets this header through: for suites without a socket. */
  readonly unsendable?: true;
  /** Send the body in two pieces, the first of this many bytes. */
  readonly splitAt?: number;
}

const OLD_SECRET = "whsec_before_rotation";

/** The right signature with one digit changed. */
const flipped = (at: number) =>
  HEX.slice(0, at) + (HEX[at] === "f" ? "0" : "f") + HEX.slice(at + 1);

const signedWith = (signature: string, name = "X-Service-Signature") => ({
  body: BODY,
  headers: { [name]: signature },
});

type SignatureRow = [name: string, value: string, expected: Expected, pin?: string];

// biome-ignore format: a table is read across
const SIGNATURES: SignatureRow[] = [
  ["bare hex", HEX, "accepted"],
  ["the prefix sha256=", `sha256=${HEX}`, "accepted"],
  ["the prefix SHA256=", `SHA256=${HEX}`, "accepted", "upper and lower case mean the same digest"],
  ["uppercase hex", HEX.toUpperCase(), "accepted", "upper and lower case mean the same digest"],
  ["a space before and after", ` ${HEX} `, "accepted", "it is not part of a header's value"],
  ["a tab before and after", `\t${HEX}\t`, "accepted", "it is not part of a header's value"],
  ["the prefix twice", `sha256=sha256=${HEX}`, "signature_malformed"],
  ["the prefix sha1=", `sha1=${HEX}`, "signature_malformed"],
  ["the prefix v1=", `v1=${HEX}`, "signature_malformed"],
  ["only the prefix", "sha256=", "signature_malformed"],
  ["a space behind the prefix", `sha256= ${HEX}`, "signature_malformed"],
  ["63 digits", HEX.slice(1), "signature_malformed"],
  ["65 digits", `${HEX}0`, "signature_malformed"],
  ["128 digits, the right ones twice", HEX + HEX, "signature_malformed"],
  ["one character that is not a hex digit", `g${HEX.slice(1)}`, "signature_malformed"],
  ["a sign among the digits", `-${HEX.slice(1)}`, "signature_malformed"],
  ["colons between the pairs", HEX.replace(/..(?!$)/g, "$&:"), "signature_malformed"],
  ["junk behind the digits", `${HEX};v=1`, "signature_malformed"],
  ["64 characters, one of two bytes", `é${HEX.slice(1)}`, "signature_malformed"],
  ["base64", Buffer.from(HEX, "hex").toString("base64"), "signature_malformed"],
  ["two signatures joined, the first right", `${HEX}, ${flipped(0)}`, "signature_malformed"],
  ["two signatures joined, the second right", `${flipped(0)}, ${HEX}`, "signature_malformed"],
  ["the right signature twice, joined", `${HEX}, ${HEX}`, "signature_malformed"],
  ["nothing in the header", "", "signature_missing"],
  ["the last digit changed", flipped(63), "signature_mismatch"],
  ["the first digit changed", flipped(0), "signature_mismatch"],
  ["64 zeros", "0".repeat(64), "signature_mismatch"],
  ["the digits of another body", hmac(utf8("{}")), "signature_mismatch"],
];

const UNSENDABLE_SIGNATURES: SignatureRow[] = [
  ["a newline behind", `${HEX}\n`, "signature_malformed"],
  ["a newline inside", `${HEX.slice(0, 32)}\n${HEX.slice(32)}`, "signature_malformed"],
  ["a NUL inside", `${HEX.slice(0, 32)}\0${HEX.slice(33)}`, "signature_malformed"],
  ["a NUL behind", `${HEX}\0`, "signature_malformed"],
  ["a megabyte of digits", "a".repeat(2 ** 20), "signature_malformed"],
  ["a megabyte of spaces", " ".repeat(2 ** 20), "signature_malformed"],
];

const signatureCase = ([name, value, expected, pin]: SignatureRow): WireCase => ({
  name: `signature: ${name}`,
  wire: signedWith(value),
  secret: SECRET,
  expected,
  ...(pin !== undefined && { pin }),
});

const HEADERS: WireCase[] = [
  ...["x-service-signature", "X-SERVICE-SIGNATURE", "x-SERVICE-signature"].map(
    (name): WireCase => ({
      name: `header: ${name}`,
      wire: signedWith(HEX, name),
      secret: SECRET,
      expected: "accepted",
    }),
  ),
  {
    name: "header: none",
    wire: { body: BODY, headers: {} },
    secret: SECRET,
    expected: "signature_missing",
  },
  {
    name: "header: another name",
    wire: signedWith(HEX, "X-Signature"),
    secret: SECRET,
    expected: "signature_missing",
  },
  {
    name: "header: timestamps beside the signature",
    wire: {
      body: BODY,
      headers: { "X-Service-Signature": HEX, "X-Service-Timestamp": "0", "X-Timestamp": "never" },
    },
    secret: SECRET,
    expected: "accepted",
    event: EVENT,
  },
];

type SecretRow = [
  name: string,
  signedBy: WebhookSecret,
  secret: WireCase["secret"],
  expected: Expected,
];

// biome-ignore format: a table is read across
const SECRETS: SecretRow[] = [
  ["another", OLD_SECRET, SECRET, "signature_mismatch"],
  ["a newline behind it that did not sign", SECRET, `${SECRET}\n`, "signature_mismatch"],
  ["a newline behind it that signed", `${SECRET}\n`, `${SECRET}\n`, "accepted"],
  ["a newline missing that signed", `${SECRET}\n`, SECRET, "signature_mismatch"],
  ["a space before it that did not sign", SECRET, ` ${SECRET}`, "signature_mismatch"],
  ["unicode", "sirí-🔑", "sirí-🔑", "accepted"],
  ["unicode composed otherwise", "siri\u0301", "sir\u00ed", "signature_mismatch"],
  ["64 bytes", "k".repeat(64), "k".repeat(64), "accepted"],
  ["65 bytes", "k".repeat(65), "k".repeat(65), "accepted"],
  ["65 bytes cut to 64", "k".repeat(65), "k".repeat(64), "signature_mismatch"],
  ["raw bytes", Uint8Array.of(0, 255, 128, 10), Uint8Array.of(0, 255, 128, 10), "accepted"],
  ["the bytes of a text", SECRET, utf8(SECRET), "accepted"],
  ["old and new, the old one signed", OLD_SECRET, [OLD_SECRET, SECRET], "accepted"],
  ["old and new, the new one signed", SECRET, [OLD_SECRET, SECRET], "accepted"],
  ["new and old, the old one signed", OLD_SECRET, [SECRET, OLD_SECRET], "accepted"],
  ["old and new, neither signed", "a third", [OLD_SECRET, SECRET], "signature_mismatch"],
  ["a text and bytes, the bytes signed", Uint8Array.of(7), [SECRET, Uint8Array.of(7)], "accepted"],
  ["a list of one", SECRET, [SECRET], "accepted"],
];

const secretCase = ([name, signedBy, secret, expected]: SecretRow): WireCase => ({
  name: `secret: ${name}`,
  wire: signedWith(hmac(BODY, signedBy)),
  secret,
  expected,
});

/** Values that are not secrets: a `ConfigurationError` in `verifyWebhook` and `createWebhookReceiver`. */
export const NO_SECRETS: readonly (readonly [name: string, secret: unknown])[] = [
  ["undefined", undefined],
  ["null", null],
  ["an empty text", ""],
  ["no bytes", new Uint8Array(0)],
  ["an empty list", []],
  ["an empty entry first", ["", SECRET]],
  ["an empty entry last", [SECRET, ""]],
  ["an undefined entry", [SECRET, undefined]],
  ["an entry of no bytes", [SECRET, new Uint8Array(0)]],
  ["a number", 42],
  ["a space", " "],
  ["a line break", "\n"],
  ["an unset variable made a text", "undefined"],
  ["null made a text", "null"],
  ["an object made a text", "[object Object]"],
  ["a promise made a text", "[object Promise]"],
  ["an unset variable with a line break, as echo writes it", "undefined\n"],
  ["an unset variable in a list", [SECRET, "undefined"]],
];

/** Every case that is bytes, headers and a secret. */
export const WIRE_CASES: readonly WireCase[] = [
  ...SIGNATURES.map(signatureCase),
  ...UNSENDABLE_SIGNATURES.map((row) => ({ ...signatureCase(row), unsendable: true as const })),
  ...HEADERS,
  ...SECRETS.map(secretCase),
  ...BODY_CASES,
];
