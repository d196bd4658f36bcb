/**
 * Why a service rejects a request. Rejections are learned by cause, from whichever endpoint they were
 * seen at, and hold for all endpoints.
 */
export const REJECTION_CAUSES = [
  /** The request has no API key. */
  "no_key",
  /** No merchant has this key. */
  "unknown_key",
  /** A public key, if a secret key is required. */
  "wrong_kind",
  /** The key lacks the scope. */
  "missing_scope",
  /** A path parameter that names nothing. */
  "unknown_id",
  /** A field of the body, or a parameter of the query, that is missing or wrong. */
  "invalid_field",
  /** What is not a phone number at all, such as `12`, for `validate-phone`. It may well be a success. */
  "invalid_phone",
  /** A phone number that cannot be charged, such as `0812345678`, for `validate-phone`. As above. */
  "unusable_phone",
  /** A body that is not JSON. */
  "invalid_json",
  /** A path that is not an endpoint. */
  "unknown_path",
  /** A path of an endpoint, with another method. */
  "wrong_method",
  /** Too many requests. */
  "rate_limit",
] as const;

/** Why the service rejected a call: a missing key, an unknown id, an invalid field, and so on. */
export type RejectionCause = (typeof REJECTION_CAUSES)[number];
