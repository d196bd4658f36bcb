import { ConfigurationError } from "../../errors/configuration.ts";
import { describeValue } from "../../internal/check-options.ts";
import { environmentVariable } from "../../internal/environment.ts";

/** A webhook signing secret: text, or its raw bytes. Used exactly as given, never trimmed. */
export type WebhookSecret = string | Uint8Array;

// What a missing value turns into in a template or in `String()`: an unset variable, an unread response.
const NO_VALUE = /^(?:undefined|null|\[object \w+\])?$/;

const isSecret = (value: unknown): boolean =>
  typeof value === "string"
    ? !NO_VALUE.test(value.trim())
    : // By its name, since `instanceof` does not hold for the bytes of another realm (Jest, `node:vm`).
      Object.prototype.toString.call(value) === "[object Uint8Array]" &&
      (value as Uint8Array).length > 0;

/** What was given instead of a secret. A number is not shown: it may be the secret in the wrong form. */
function describeSecret(value: unknown): string {
  if (typeof value === "string") return `${JSON.stringify(value)}, as of an unset variable`;
  return typeof value === "number" ? "a number" : describeValue(value);
}

/**
 * The option `secret`, or else the environment variable `MALIPO_WEBHOOK_SECRET`. An `undefined` that was
 * passed comes from a variable that is not set: no other secret takes its place.
 *
 * @throws {ConfigurationError} if there is neither.
 */
export function secretOption<Secret>(options: { readonly secret?: Secret }): Secret | string {
  if ("secret" in options) return options.secret as Secret;
  const secret = environmentVariable("MALIPO_WEBHOOK_SECRET");
  if (secret !== undefined) return secret;
  throw new ConfigurationError(
    "The webhook signing secret is missing. Pass the option `secret`, or set MALIPO_WEBHOOK_SECRET.",
  );
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

/** How a secret looks that was not copied as it is, with what to do. */
const COPIED_WRONG: readonly (readonly [looks: RegExp, fault: string])[] = [
  [/^(?:sk|pk|sb)_/, "is an API key. Pass the signing secret of the webhook endpoint."],
  [/^(["'`]).*\1$/s, "is in quotes. Remove them."],
  [
    /^\s|\s$/,
    "has outer white space. Remove the line break or the spaces that were copied with it.",
  ],
  [/[\p{Cf}\p{Cc}]/u, "has a character that cannot be seen. Copy it from the service again."],
];

/**
 * The secrets of a receiver. A wrong copy is refused when the process starts, as that of an API key is: every delivery
 * would be rejected. Bytes are taken as they are.
 *
 * @throws {ConfigurationError}
 */
export function receiverSecrets(secret: unknown): WebhookSecret[] {
  const secrets = secretList(secret);
  for (const one of secrets) {
    const text = typeof one === "string" ? one : "";
    const fault = COPIED_WRONG.find(([looks]) => looks.test(text))?.[1];
    if (fault !== undefined) throw new ConfigurationError(`The webhook signing secret ${fault}`);
  }
  return secrets;
}
