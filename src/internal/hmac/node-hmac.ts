import * as crypto from "node:crypto";

// SHA-256 works on blocks of 64 bytes, and a digest has 32. An HMAC key fills one block.

// What is hashed is put together in memory of this module, which nothing else can reach: a new buffer
// for each call costs more than the hashing. There is room for a key and for 16 kB of text, of which a
// character takes at most three bytes. Of a longer body, copying costs more than one-shot hashing saves.
const message = Buffer.alloc(64 + 3 * 16_384);

/** Copies text or bytes into the message. Returns the position behind them. */
function write(value: string | Uint8Array, at: number): number {
  if (typeof value === "string") return at + message.write(value, at);
  message.set(value, at);
  return at + value.length;
}

function maskKey(mask: number): void {
  for (let at = 0; at < 64; at++) message[at] = (message[at] as number) ^ mask;
}

/** HMAC as RFC 2104, section 2, defines it. */
function signOneShot(key: string | Uint8Array, body: string | Uint8Array): string {
  const isLongKey = Buffer.byteLength(key) > 64;
  message.fill(0, 0, 64);
  write(isLongKey ? crypto.hash("sha256", key, "buffer") : key, 0);
  maskKey(0x36);
  const end = write(body, 64);
  const innerDigest = crypto.hash("sha256", message.subarray(0, end), "binary");
  maskKey(0x36 ^ 0x5c);
  message.write(innerDigest, 64, "binary");
  return crypto.hash("sha256", message.subarray(0, 64 + 32), "hex");
}

/** The HMAC-SHA256 of the body, as 64 lowercase hexadecimal digits. */
export function sign(key: string | Uint8Array, body: string | Uint8Array): string {
  // `createHmac` makes an object for each call, which costs as much as the hashing of a small body. Older
  // versions of Bun and Deno have no `crypto.hash`.
  return "hash" in crypto && 64 + 3 * body.length <= message.length
    ? signOneShot(key, body)
    : crypto.createHmac("sha256", key).update(body).digest("hex");
}

const expected = Buffer.alloc(64);
const given = Buffer.alloc(64);

/** Whether 64 hexadecimal digits are the HMAC-SHA256 of the body. Compares in constant time. */
export function isSignedBy(
  key: string | Uint8Array,
  body: string | Uint8Array,
  digits: string,
): boolean {
  expected.write(sign(key, body));
  given.write(digits.toLowerCase());
  return digits.length === 64 && crypto.timingSafeEqual(expected, given);
}

/** The SHA-256 of a text or of bytes, as 64 lowercase hexadecimal digits. */
export function sha256Hex(data: string | Uint8Array): string {
  const hasOneShotHash: boolean = "hash" in crypto;
  return hasOneShotHash
    ? crypto.hash("sha256", data, "hex")
    : crypto.createHash("sha256").update(data).digest("hex");
}
