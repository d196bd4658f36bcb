import { gzipSync } from "node:zlib";
import type { Delivery } from "./webhook-mount.ts";
import { BODY, HEX, hmac, utf8 } from "./webhook-sample.ts";

/** A request to a receiver that accepts `LIMIT` bytes, about more than bytes and signature. */
export interface HttpCase {
  /** What `onError` says. */
  readonly says?: RegExp;
  readonly name: string;
  readonly delivery: Delivery;
  readonly status: number;
  /** The status from a framework that reads the body itself, with an inflating parser. */
  readonly inflated?: number;
  /** Why it is so, if both ways could be argued for. */
  readonly pin?: string;
}

export const LIMIT = 16_384;

/** A signed event, padded to this many bytes. */
export function eventOf(length: number): Uint8Array {
  const empty = JSON.stringify({ event: "a", data: { text: "" } });
  return utf8(empty.replace('""', `"${"x".repeat(length - empty.length)}"`));
}

const JSON_TYPE = { "Content-Type": "application/json" };
const signed = (body: Uint8Array, headers: Delivery["headers"] = JSON_TYPE): Delivery => ({
  body,
  headers: { ...headers, "X-Service-Signature": hmac(body) },
});

const METHODS = ["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS"];

const TYPES = [
  "application/json; charset=utf-8",
  "application/vnd.gateway+json",
  "text/plain",
  "application/octet-stream",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
  "garbage",
  "",
];

const GZIP = { ...JSON_TYPE, "Content-Encoding": "gzip" };
const gzipped = new Uint8Array(gzipSync(BODY));
const bomb = new Uint8Array(gzipSync(eventOf(8_000_000)));

/** Methods, sizes, types and encodings. */
export const HTTP_CASES: readonly HttpCase[] = [
  ...METHODS.map((method) => ({ name: method, delivery: { method }, status: 405 })),
  ...METHODS.filter((method) => !["GET", "HEAD"].includes(method)).map((method) => ({
    name: `${method} with a signed body`,
    delivery: { ...signed(BODY), method },
    status: 405,
  })),
  {
    name: "PUT with a body that is too large",
    delivery: { ...signed(eventOf(LIMIT + 1)), method: "PUT" },
    status: 405,
  },
  ...[false, true].flatMap((chunked) =>
    [
      { length: LIMIT - 1, status: 200 },
      { length: LIMIT, status: 200 },
      { length: LIMIT + 1, status: 413 },
      { length: LIMIT * 4, status: 413 },
      { length: LIMIT * 64, status: 413 },
    ].map(({ length, status }) => ({
      name: `${length} bytes of ${LIMIT}, ${chunked ? "chunked" : "with Content-Length"}`,
      delivery: { ...signed(eventOf(length)), chunked },
      status,
    })),
  ),
  {
    name: "too large, with the signature of another body",
    delivery: { ...signed(BODY), body: eventOf(LIMIT + 1) },
    status: 413,
    pin: "a signature is taken over the whole body, and that was not read",
  },
  ...TYPES.map((type) => ({
    name: `the content type ${JSON.stringify(type)}`,
    delivery: signed(BODY, type === "" ? {} : { "Content-Type": type }),
    status: 200,
    pin: "the signature says what it is",
  })),
  {
    name: "two signatures, both right",
    delivery: { body: BODY, headers: { ...JSON_TYPE, "X-Service-Signature": [HEX, HEX] } },
    status: 401,
    says: /X-Service-Signature header came more than once: find what adds it/,
  },
  {
    name: "two signatures, the last one right",
    delivery: {
      body: BODY,
      headers: { ...JSON_TYPE, "X-Service-Signature": ["0".repeat(64), HEX] },
    },
    status: 401,
  },
  {
    name: "a signature in two spellings of the header",
    delivery: {
      body: BODY,
      headers: { ...JSON_TYPE, "X-Service-Signature": HEX, "x-service-signature": "0".repeat(64) },
    },
    status: 401,
  },
  {
    name: "signed, then compressed",
    delivery: { body: gzipped, headers: { ...GZIP, "X-Service-Signature": hmac(BODY) } },
    status: 401,
    says: /does not match\..+ The body is compressed \(Content-Encoding: gzip\)/,
    inflated: 200,
    pin: "the bytes that arrive are what is checked; nothing is inflated here",
  },
  {
    name: "compressed, then signed",
    delivery: { body: gzipped, headers: { ...GZIP, "X-Service-Signature": hmac(gzipped) } },
    status: 400,
    says: /is not JSON .+ The body is compressed \(Content-Encoding: gzip\)/,
    inflated: 401,
    pin: "as above: compressed bytes are not JSON",
  },
  {
    name: "a bomb, signed and small enough",
    delivery: { body: bomb, headers: { ...GZIP, "X-Service-Signature": hmac(bomb) } },
    status: 400,
    inflated: 413,
  },
  {
    name: "the header that says compressed on a body that is not",
    delivery: signed(BODY, GZIP),
    status: 200,
    inflated: 400,
  },
];
