import { WebhookVerificationError } from "../../errors/webhook.ts";

/** The header that carries the signature. @see docs/reference/events.md, "Events and deliveries" */
const HEADER = "x-service-signature";

/** Request headers as runtimes give them: `Headers`, Node's, Lambda's, or a plain object in any casing. */
export type WebhookHeaders =
  | Headers
  | { readonly [name: string]: string | readonly string[] | undefined };

// Optional white space around a header's value is not part of it (RFC 9110, section 5.5). Other client
// libraries add the prefix; upper and lower case of it and of the digits mean the same digest.
const SIGNATURE = /^[ \t]*(?:sha256=)?([\da-f]{64})[ \t]*$/i;

/** The value of a header by its lowercase name, or a list of values if the headers hold several. */
export function headerValue(headers: WebhookHeaders | undefined, header: string): unknown {
  // A plain object may hold a header of the name `get`.
  if (typeof headers?.get === "function") return headers.get(header);
  let value: unknown;
  for (const name in headers) {
    // The lengths are compared first, since that is quicker.
    if (name.length !== header.length || name.toLowerCase() !== header) continue;
    const another = (headers as Record<string, unknown>)[name];
    value = value === undefined ? another : [value, another];
  }
  return value;
}

/** A sentence about a body that is compressed, by its headers; an empty text for another one. */
export function compressionHint(headers: WebhookHeaders | undefined): string {
  const [encoding] = [headerValue(headers, "content-encoding")].flat();
  return typeof encoding === "string" && /^(?!identity$)[a-z]{2,10}$/i.test(encoding)
    ? ` The body is compressed (Content-Encoding: ${encoding}): pass it on as it was sent.`
    : "";
}

/**
 * The one signature of a request, as 64 hexadecimal digits. Two values are rejected even if they
 * are equal: a proxy may have added one.
 *
 * @throws {WebhookVerificationError} `signature_missing`, `signature_malformed`
 */
export function signatureDigits(signature: unknown, headers?: WebhookHeaders): string {
  let value = signature ?? headerValue(headers, HEADER);
  if (Array.isArray(value) && value.length < 2) value = value[0];
  const digits = typeof value === "string" ? SIGNATURE.exec(value)?.[1] : undefined;
  if (digits !== undefined) return digits;
  // `Headers` joins the values of a header that came twice.
  const isTwice = Array.isArray(value) || (typeof value === "string" && value.includes(","));
  throw value
    ? new WebhookVerificationError(
        "signature_malformed",
        isTwice
          ? "The X-Service-Signature header came more than once: find what adds it."
          : "The X-Service-Signature header must be 64 hex digits.",
      )
    : new WebhookVerificationError(
        "signature_missing",
        "The request has no X-Service-Signature header.",
      );
}
