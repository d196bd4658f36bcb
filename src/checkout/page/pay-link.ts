import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import { types } from "node:util";
import { ConfigurationError } from "../../errors/configuration.ts";
import { wrongOption } from "../../internal/check-options.ts";
import { DAY_MS } from "../../internal/units.ts";

// The last part of a link is a token in base64url: a nonce, then `expiry:id` encrypted with AES-256-GCM (NIST
// SP 800-38D), then its tag. The expiry is in seconds since 1970, in base 36. Who has a link can read nothing in
// it, and can make no other link of it.

/** Sets these keys apart from everything else that may be made of the secret. */
const PURPOSE = "malipo pay link\n";
const CIPHER = "aes-256-gcm";
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

const MIN_SECRET = 16;
/** The longest id, encoded. */
const MAX_TOKEN = 1_200;

/** `undefined` for text that base64url does not make: one link must not have two forms. */
function decode(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, "base64url");
  return bytes.toString("base64url") === text ? bytes : undefined;
}

/** The secrets of links: the first one makes them, each of them reads them. @throws {ConfigurationError} */
export function linkSecrets(secret: string | readonly string[] | undefined): readonly string[] {
  const secrets = secret === undefined ? [] : [secret].flat();
  const isLong = (one: unknown) => typeof one === "string" && one.length >= MIN_SECRET;
  if (secrets.length > 0 && secrets.every(isLong)) return secrets;
  throw new ConfigurationError(
    `\`secret\` of the pay page must be a text of at least ${MIN_SECRET} characters, or a list of them. Make one: openssl rand -hex 32. Pass it as \`secret\`, or set MALIPO_PAGE_SECRET.`,
  );
}

/** The keys of links, one for each secret. Two shops with one secret have different ones, by their prefix. */
export const linkKeys = (secrets: readonly string[], prefix: string): readonly Uint8Array[] =>
  secrets.map(
    (secret) => new Uint8Array(hkdfSync("sha256", secret, "", PURPOSE + prefix, KEY_BYTES)),
  );

/** The last part of a link: the order, and until when it is valid. */
function linkToken(
  id: string,
  expiresAt: number,
  [key = new Uint8Array()]: readonly Uint8Array[],
): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce);
  const seconds = Math.floor(expiresAt / 1_000);
  const encrypted = [cipher.update(`${seconds.toString(36)}:${id}`), cipher.final()];
  return Buffer.concat([nonce, ...encrypted, cipher.getAuthTag()]).toString("base64url");
}

/** Of a Date of any realm; NaN for everything else. */
const timeOf = (given: unknown): number => (types.isDate(given) ? Number(given) : Number.NaN);

const LINK_MS = 30 * DAY_MS;

/** The link of an order. @throws {ConfigurationError} */
export function linkTo(
  id: string,
  { url, keys }: { readonly url: string; readonly keys: readonly Uint8Array[] },
  expiresAt: Date | undefined,
): string {
  const until = expiresAt === undefined ? Date.now() + LINK_MS : timeOf(expiresAt);
  if (Number.isNaN(until)) throw wrongOption("expiresAt", "a valid Date", expiresAt);
  return `${url}/${linkToken(id, until, keys)}`;
}

/** What a token holds; `undefined` if it is altered, or of another key. */
function decrypted(token: Buffer, key: Uint8Array): string | undefined {
  const decipher = createDecipheriv(CIPHER, key, token.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAuthTag(token.subarray(-TAG_BYTES));
  const text = decipher.update(token.subarray(NONCE_BYTES, -TAG_BYTES));
  try {
    decipher.final();
    return text.toString();
  } catch {
    return undefined;
  }
}

/** The order of a link; `undefined` if it is altered, expired, or of another secret or shop. */
export function orderOfLink(
  token: string,
  keys: readonly Uint8Array[],
  now: number,
): string | undefined {
  const bytes = token.length > MAX_TOKEN ? undefined : decode(token);
  if (bytes === undefined || bytes.length <= NONCE_BYTES + TAG_BYTES) return undefined;
  for (const key of keys) {
    const text = decrypted(bytes, key);
    if (text === undefined) continue;
    const end = text.indexOf(":");
    const expiresAt = Number.parseInt(text.slice(0, end), 36) * 1_000;
    return now < expiresAt ? text.slice(end + 1) : undefined;
  }
  return undefined;
}
