import { ConfigurationError } from "../../errors/configuration.ts";
import { describeValue } from "../../internal/check-options.ts";

/** A webhook signing secret: text, or its raw bytes. Used exactly as given, never trimmed. */
export type WebhookSecret = string | Uint8Array;

// By its name, since `instanceof` does not hold for the bytes of another realm (Jest, `node:vm`).
const isSecret = (value: unknown): boolean =>
  (typeof value === "string" || Object.prototype.toString.call(value) === "[object Uint8Array]") &&
  (value as WebhookSecret).length > 0;

/**
 * The secrets to try. A list serves a rotation: the old secret and the new one, in any order.
 *
 * @throws {ConfigurationError} for anything that is not a secret or a list of secrets.
 */
export function secretList(secret: unknown): WebhookSecret[] {
  const secrets: unknown[] = Array.isArray(secret) ? secret : [secret];
  const wrong = secrets.findIndex((value) => !isSecret(value));
  if (wrong === -1 && secrets.length > 0) return secrets as WebhookSecret[];
  const given = secrets[wrong] ?? secret;
  // Never the value itself: it may be the secret in the wrong form.
  const got = typeof given === "number" ? "a number" : describeValue(given);
  throw new ConfigurationError(
    `secret must be a non-empty string or Uint8Array, or a list of them; got ${got}.`,
  );
}
