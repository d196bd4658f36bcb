import { ConfigurationError } from "../../errors/configuration.ts";
import { describeValue } from "../../internal/check-options.ts";

/** A webhook signing secret: text, or its raw bytes. Used exactly as given, never trimmed. */
export type WebhookSecret = string | Uint8Array;

// What a missing value turns into in a template or in `String()`: an unset variable, an unread response.
const NO_VALUE = /^(?:undefined|null|\[object \w+\])?$/;

// By its name, since `instanceof` does not hold for the bytes of another realm (Jest, `node:vm`).
const isSecret = (value: unknown): boolean =>
  (typeof value === "string" || Object.prototype.toString.call(value) === "[object Uint8Array]") &&
  (value as WebhookSecret).length > 0 &&
  !(typeof value === "string" && NO_VALUE.test(value.trim()));

/** What was given instead of a secret. Never the value itself: it may be the secret in the wrong form. */
function describeSecret(value: unknown): string {
  if (typeof value === "number") return "a number";
  if (typeof value !== "string" || value === "") return describeValue(value);
  return value.trim() === "" ? "only white space" : `the text ${JSON.stringify(value.trim())}`;
}

/**
 * The secrets to try. A list serves a rotation: the old secret and the new one, in any order.
 *
 * @throws {ConfigurationError} for anything that is not a secret or a list of secrets.
 */
export function secretList(secret: unknown): WebhookSecret[] {
  const secrets: unknown[] = Array.isArray(secret) ? secret : [secret];
  const wrong = secrets.findIndex((value) => !isSecret(value));
  if (wrong === -1 && secrets.length > 0) return secrets as WebhookSecret[];
  throw new ConfigurationError(
    `secret must be a non-empty string or Uint8Array, or a list of them; got ${describeSecret(secrets[wrong] ?? secret)}.`,
  );
}
