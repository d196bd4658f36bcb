import { isSignedBy, sign } from "#hmac";
import { ConfigurationError } from "../../errors/configuration.ts";

// A link is `payload.signature`, both in base64url. The payload is `expiry:id`: seconds since 1970 in base
// 36, and the id of the order. Whoever has a link can read the id, and can make no other link of it.

/** Sets these signatures apart from everything else that may be signed with the secret. */
const PURPOSE = "malipo pay link 1\n";

const MIN_SECRET = 16;
/** The longest id, encoded, beside a signature of 43 characters. */
const MAX_TOKEN = 1_200;

function encode(bytes: Uint8Array): string {
  const text = btoa(String.fromCharCode(...bytes));
  return text
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/={1,2}$/, "");
}

/** `undefined` for text that {@link encode} does not make: one link must not have two forms. */
function decode(text: string): Uint8Array | undefined {
  if (!/^[\w-]+$/.test(text)) return undefined;
  try {
    const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    return encode(bytes) === text ? bytes : undefined;
  } catch {
    return undefined;
  }
}

const hexOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

const bytesOf = (hex: string): Uint8Array =>
  Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));

/** The secrets of links: the first one signs, each of them verifies. @throws {ConfigurationError} */
export function linkSecrets(secret: string | readonly string[] | undefined): readonly string[] {
  const secrets = secret === undefined ? [] : [secret].flat();
  const isLong = (one: unknown) => typeof one === "string" && one.length >= MIN_SECRET;
  if (secrets.length > 0 && secrets.every(isLong)) return secrets;
  throw new ConfigurationError(
    `\`secret\` of the pay page must be a text of at least ${MIN_SECRET} characters, or a list of them. Make one: openssl rand -hex 32. Pass it as \`secret\`, or set MALIPO_PAGE_SECRET.`,
  );
}

/** The last part of a link: the order, and until when it is valid, signed. */
export function signLink(id: string, expiresAt: number, [secret = ""]: readonly string[]): string {
  const seconds = Math.floor(expiresAt / 1_000);
  const payload = encode(new TextEncoder().encode(`${seconds.toString(36)}:${id}`));
  return `${payload}.${encode(bytesOf(sign(secret, PURPOSE + payload)))}`;
}

/** The order of a link; `undefined` if it is altered, expired or of another secret. */
export function orderOfLink(
  token: string,
  secrets: readonly string[],
  now: number,
): string | undefined {
  if (token.length > MAX_TOKEN) return undefined;
  const [payload = "", given = "", ...rest] = token.split(".");
  const signature = decode(given);
  if (signature?.length !== 32 || rest.length > 0) return undefined;
  const digits = hexOf(signature);
  if (!secrets.some((secret) => isSignedBy(secret, PURPOSE + payload, digits))) return undefined;
  const text = new TextDecoder().decode(decode(payload));
  const end = text.indexOf(":");
  const expiresAt = Number.parseInt(text.slice(0, end), 36) * 1_000;
  return now < expiresAt ? text.slice(end + 1) : undefined;
}
