import { ConfigurationError } from "../../errors/configuration.ts";

/** A webhook signing secret: text, or its raw bytes. Used exactly as given, never trimmed. */
export type WebhookSecret = string | Uint8Array;

/** The secrets to try. Several at once serve a rotation: the old one and the new one, in any order. */
export function secretList(secret: unknown): WebhookSecret[] {
  const secrets: WebhookSecret[] = Array.isArray(secret) ? secret : [secret];
  const isSecret = (one: WebhookSecret) =>
    (typeof one === "string" || {}.toString.call(one) === "[object Uint8Array]") && one.length;
  if (secrets[0] && secrets.every(isSecret)) return secrets;
  throw new ConfigurationError("secret is empty");
}
