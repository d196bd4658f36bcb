import vm from "node:vm";
import type { WebhookErrorCode } from "malipo/webhooks";
import { BODY, EVENT, HEX, hmac, SECRET, utf8 } from "./webhook-sample.ts";

/** A call of `verifyWebhook` with values that cannot come over a wire: symbols, parsed objects, views. */
export interface CallCase {
  readonly name: string;
  /** Created for each call. Options that are missing here are right. */
  readonly options: () => Readonly<Record<string, unknown>>;
  readonly expected: "accepted" | WebhookErrorCode | "configuration";
  /** Why it is so, if both ways could be argued for. */
  readonly pin?: string;
}

const WRONG = "0".repeat(64);
const SIGNATURE = "X-Service-Signature";

const appended = (...values: string[]) => {
  const headers = new Headers();
  for (const value of values) headers.append(SIGNATURE, value);
  return headers;
};

type ValueRow = [name: string, value: () => unknown, expected: CallCase["expected"], pin?: string];

// biome-ignore format: a table is read across
const SIGNATURES: ValueRow[] = [
  ["a number", () => 42, "signature_malformed"],
  ["zero", () => 0, "signature_missing"],
  ["true", () => true, "signature_malformed"],
  ["an object", () => ({}), "signature_malformed"],
  ["an object that prints as the signature", () => ({ toString: () => HEX }), "signature_malformed"],
  ["a boxed string", () => Object(HEX), "signature_malformed"],
  ["a symbol", () => Symbol(HEX), "signature_malformed"],
  ["the digest's bytes", () => Buffer.from(HEX, "hex"), "signature_malformed"],
  ["null", () => null, "signature_missing"],
  ["an empty list", () => [], "signature_missing"],
  ["a list of one", () => [HEX], "accepted", "Lambda and headersDistinct give every header so"],
  ["a list in a list", () => [[HEX]], "signature_malformed"],
  ["the right one twice", () => [HEX, HEX], "signature_malformed"],
  ["the right one, then a wrong one", () => [HEX, WRONG], "signature_malformed"],
  ["a wrong one, then the right one", () => [WRONG, HEX], "signature_malformed"],
  ["the right one, then an empty one", () => [HEX, ""], "signature_malformed"],
  ["the right one, an empty one, a wrong one", () => [HEX, "", WRONG], "signature_malformed"],
  ["64 code units, two of them an emoji", () => `😀${HEX.slice(2)}`, "signature_malformed"],
  ["64 characters, one an emoji", () => `😀${HEX.slice(1)}`, "signature_malformed"],
  ["digits of another script", () => `٣${HEX.slice(1)}`, "signature_malformed"],
  ["a long s in the prefix", () => `ſha256=${HEX}`, "signature_malformed"],
  ["a no-break space before", () => `\u00a0${HEX}`, "signature_malformed"],
];

// biome-ignore format: a table is read across
const HEADERS: ValueRow[] = [
  ["Headers", () => new Headers({ [SIGNATURE]: HEX }), "accepted"],
  ["Headers without it", () => new Headers(), "signature_missing"],
  ["Headers that hold it twice", () => appended(HEX, HEX), "signature_malformed"],
  ["Headers that hold two", () => appended(HEX, WRONG), "signature_malformed"],
  ["multiValueHeaders", () => ({ [SIGNATURE]: [HEX] }), "accepted"],
  ["multiValueHeaders with two", () => ({ [SIGNATURE]: [HEX, WRONG] }), "signature_malformed"],
  ["multiValueHeaders with none", () => ({ [SIGNATURE]: [] }), "signature_missing"],
  ["two spellings, the first right", () => ({ [SIGNATURE]: HEX, "x-service-signature": WRONG }), "signature_malformed"],
  ["two spellings, the second right", () => ({ [SIGNATURE]: WRONG, "x-service-signature": HEX }), "signature_malformed"],
  ["two spellings, the second empty", () => ({ [SIGNATURE]: HEX, "x-service-signature": "" }), "signature_malformed"],
  ["a header of the name get", () => ({ get: "x", [SIGNATURE]: HEX }), "accepted"],
  ["no prototype", () => Object.assign(Object.create(null), { [SIGNATURE]: HEX }), "accepted"],
  ["an undefined value", () => ({ [SIGNATURE]: undefined }), "signature_missing"],
  ["a symbol for a value", () => ({ [SIGNATURE]: Symbol("x") }), "signature_malformed"],
  ["undefined", () => undefined, "signature_missing"],
  ["null", () => null, "signature_missing"],
  ["a text", () => `${SIGNATURE}: ${HEX}`, "signature_missing"],
];

const shared = () => {
  const buffer = new SharedArrayBuffer(BODY.length);
  new Uint8Array(buffer).set(BODY);
  return buffer;
};

/** The body in the middle of a larger buffer, as Node's pool and many readers give it. */
const amid = () => {
  const pool = new Uint8Array(BODY.length + 32).fill(0x20);
  pool.set(BODY, 16);
  return pool.buffer;
};

const resizable = () => {
  // Newer than the library that the types come from.
  const buffer: ArrayBuffer = Reflect.construct(ArrayBuffer, [
    BODY.length,
    { maxByteLength: BODY.length * 2 },
  ]);
  new Uint8Array(buffer).set(BODY);
  return buffer;
};

const detached = () => {
  const body = BODY.slice();
  structuredClone(body, { transfer: [body.buffer] });
  return body;
};

const revoked = () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};

const elsewhere = (expression: string) =>
  vm.runInNewContext(expression, { bytes: [...BODY] }) as unknown;

// biome-ignore format: a table is read across
const BODIES: ValueRow[] = [
  ["a text", () => JSON.stringify(EVENT), "accepted"],
  ["an ArrayBuffer", () => BODY.slice().buffer, "accepted"],
  ["a resizable ArrayBuffer", resizable, "accepted"],
  ["a Buffer", () => Buffer.from(BODY), "accepted"],
  ["a view with an offset", () => new Uint8Array(amid(), 16, BODY.length), "accepted"],
  ["a DataView with an offset", () => new DataView(amid(), 16, BODY.length), "accepted"],
  ["a SharedArrayBuffer", shared, "accepted"],
  ["a view of a SharedArrayBuffer", () => new Uint8Array(shared()), "accepted"],
  ["another realm's Uint8Array", () => elsewhere("Uint8Array.from(bytes)"), "accepted"],
  ["another realm's ArrayBuffer", () => elsewhere("Uint8Array.from(bytes).buffer"), "accepted"],
  ["the buffer around a view", () => amid(), "signature_mismatch"],
  ["a parsed object", () => JSON.parse(JSON.stringify(EVENT)), "body_not_raw"],
  ["a parsed object with a field buffer", () => ({ ...EVENT, buffer: "[]" }), "body_not_raw"],
  ["another realm's object", () => elsewhere("({ event: 'a' })"), "body_not_raw"],
  ["a parsed object made a text", () => String(EVENT), "body_not_raw"],
  ["a parsed list", () => [EVENT], "body_not_raw"],
  ["an empty object, as express.json() leaves it", () => ({}), "body_not_raw"],
  ["a list of bytes", () => [...BODY], "body_not_raw"],
  ["a Buffer that went through JSON", () => Buffer.from(BODY).toJSON(), "body_not_raw"],
  ["a boxed string", () => Object(JSON.stringify(EVENT)), "body_not_raw"],
  ["a Request", () => new Request("http://x.test", { method: "POST", body: BODY }), "body_not_raw"],
  ["a stream", () => new Blob([BODY]).stream(), "body_not_raw"],
  ["a promise of bytes", () => Promise.resolve(BODY), "body_not_raw"],
  ["undefined", () => undefined, "body_not_raw"],
  ["null", () => null, "body_not_raw"],
  ["a number", () => 71, "body_not_raw"],
  ["a symbol", () => Symbol("body"), "body_not_raw"],
  ["bytes that were transferred away", detached, "body_not_raw"],
  ["a Proxy of bytes", () => new Proxy(BODY, {}), "body_not_raw"],
  ["a Proxy of a buffer", () => new Proxy(BODY.slice().buffer, {}), "body_not_raw"],
  ["a Proxy of a parsed object", () => new Proxy(EVENT, {}), "body_not_raw"],
  ["a revoked Proxy", revoked, "body_not_raw"],
];

const LONE_SURROGATE = '{"event":"a","data":{"n":"\ud800"}}';

const OTHERS: CallCase[] = [
  {
    name: "body: a text with a lone surrogate",
    options: () => ({ body: LONE_SURROGATE, signature: hmac(utf8(LONE_SURROGATE)) }),
    expected: "body_not_raw",
    pin: "no bytes decode to a lone surrogate, so this text is not what was sent",
  },
  {
    name: "signature: null beside right headers",
    options: () => ({ signature: null, headers: { [SIGNATURE]: HEX } }),
    expected: "accepted",
    pin: "`headers.get()` returns null for none, and so may a caller",
  },
  {
    name: "signature: a wrong one beside right headers",
    options: () => ({ signature: WRONG, headers: { [SIGNATURE]: HEX } }),
    expected: "signature_mismatch",
    pin: "what the caller picked counts",
  },
  {
    name: "body: parsed, and no signature",
    options: () => ({ body: EVENT, signature: undefined }),
    expected: "body_not_raw",
    pin: "a mistake of the receiver is reported first, or it would look like an attack",
  },
  { name: "option: unknown", options: () => ({ maxAge: 300 }), expected: "configuration" },
  {
    name: "secret: another realm's bytes",
    options: () => ({
      secret: vm.runInNewContext("Uint8Array.of(1, 2, 3)"),
      signature: hmac(BODY, Uint8Array.of(1, 2, 3)),
    }),
    expected: "accepted",
  },
  {
    name: "secret: a view with an offset",
    options: () => ({
      secret: new Uint8Array(Uint8Array.of(9, 1, 2, 3, 9).buffer, 1, 3),
      signature: hmac(BODY, Uint8Array.of(1, 2, 3)),
    }),
    expected: "accepted",
  },
];

const rowsOf =
  (option: "signature" | "headers" | "body", rest: Readonly<Record<string, unknown>>) =>
  ([name, value, expected, pin]: ValueRow): CallCase => ({
    name: `${option}: ${name}`,
    options: () => ({ ...rest, [option]: value() }),
    expected,
    ...(pin !== undefined && { pin }),
  });

const RIGHT = { body: BODY, secret: SECRET };

/** Every case that exists only for the function. */
export const CALL_CASES: readonly CallCase[] = [
  ...SIGNATURES.map(rowsOf("signature", RIGHT)),
  ...HEADERS.map(rowsOf("headers", RIGHT)),
  ...BODIES.map(rowsOf("body", { secret: SECRET, signature: HEX })),
  ...OTHERS.map((one) => ({
    ...one,
    options: () => ({ ...RIGHT, signature: HEX, ...one.options() }),
  })),
];
