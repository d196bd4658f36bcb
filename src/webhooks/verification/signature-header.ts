import { WebhookVerificationError } from "../../errors/webhook.ts";

/** The header that carries the signature. @see Service interface, section 6. */
const NAME = "x-service-signature";

/** Request headers as runtimes give them: `Headers`, Node's, Lambda's, or a plain object in any casing. */
export type WebhookHeaders =
  | Headers
  | { readonly [name: string]: string | readonly string[] | undefined };

// Optional white space around a header's value is no part of it (RFC 9110, 5.5). The prefix is
// other client libraries' habit; either casing of it and of the digits names the same digest.
const SIGNATURE = /^[ \t]*(?:sha256=)?([\da-f]{64})[ \t]*$/i;

/**
 * The one signature of a request, as 64 hex digits. Two values are refused, equal or not: what a
 * proxy added must not be chosen from.
 *
 * @throws {WebhookVerificationError} `signature_missing`, `signature_malformed`
 */
export function signatureDigits(signature: unknown, headers: unknown): string {
  // `call`, since a plain object may hold a header of the name `get`.
  let value: unknown = signature ?? (headers as Headers)?.get?.call?.(headers, NAME);
  for (const name in value ? {} : (headers as object)) {
    if (name.toLowerCase() !== NAME) continue;
    const another = (headers as Record<string, unknown>)[name];
    value = value === undefined ? another : [value, another];
  }
  if (Array.isArray(value) && value.length < 2) value = value[0];
  const digits = typeof value === "string" && SIGNATURE.exec(value)?.[1];
  if (digits) return digits;
  throw new WebhookVerificationError(
    value ? "signature_malformed" : "signature_missing",
    `${NAME} is not 64 hex digits.`,
  );
}
