// Failures of `fetch` after which nothing of the request can have left this machine, by the code that
// runtimes give them.

/** The name was not found, or the connection was not opened. */
const NO_CONNECTION = [
  "ENOTFOUND",
  "EAI_AGAIN",
  "ECONNREFUSED",
  "UND_ERR_CONNECT_TIMEOUT",
  "ConnectionRefused", // Bun
];

/**
 * The certificate of the server was rejected: the request is written only after it was accepted. The list of Node.js
 * ("X509 certificate error codes" of its page on TLS), and the codes of a certificate that has another name.
 */
const BAD_CERTIFICATE = [
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_CRL",
  "UNABLE_TO_DECRYPT_CERT_SIGNATURE",
  "UNABLE_TO_DECRYPT_CRL_SIGNATURE",
  "UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY",
  "CERT_SIGNATURE_FAILURE",
  "CRL_SIGNATURE_FAILURE",
  "CERT_NOT_YET_VALID",
  "CERT_HAS_EXPIRED",
  "CRL_NOT_YET_VALID",
  "CRL_HAS_EXPIRED",
  "ERROR_IN_CERT_NOT_BEFORE_FIELD",
  "ERROR_IN_CERT_NOT_AFTER_FIELD",
  "ERROR_IN_CRL_LAST_UPDATE_FIELD",
  "ERROR_IN_CRL_NEXT_UPDATE_FIELD",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "CERT_CHAIN_TOO_LONG",
  "CERT_REVOKED",
  "INVALID_CA",
  "PATH_LENGTH_EXCEEDED",
  "INVALID_PURPOSE",
  "CERT_UNTRUSTED",
  "CERT_REJECTED",
  "HOSTNAME_MISMATCH",
  "ERR_TLS_CERT_ALTNAME_INVALID",
  "ERR_TLS_CERT_ALTNAME_FORMAT",
  "UND_ERR_PRX_TLS", // The certificate of a proxy.
];

const NOT_SENT_CODES: ReadonlySet<unknown> = new Set([...NO_CONNECTION, ...BAD_CERTIFICATE]);

/**
 * Calls of the system that come before a connection is open. A code alone may be that of an open connection
 * too: `ETIMEDOUT`, `ECONNRESET`.
 */
const BEFORE_CONNECTION: ReadonlySet<unknown> = new Set(["connect", "getaddrinfo"]);

/** undici has no code of its own for a proxy that refuses CONNECT: the code of an abort, with this message. */
const REFUSED_BY_PROXY = /^Proxy response \(\d+\) !== 200 when HTTP Tunneling/;

const MAX_DEPTH = 8;

interface Fields {
  readonly code?: unknown;
  readonly syscall?: unknown;
  readonly message?: unknown;
  readonly errors?: unknown;
  readonly cause?: unknown;
}

/** The fields of an error; `undefined` for a value without any, and for causes that are too deep. */
const fieldsOf = (error: unknown, depth: number): Fields | undefined =>
  typeof error === "object" && error !== null && depth <= MAX_DEPTH ? error : undefined;

/**
 * Did this failure of `fetch` come before anything was sent? Looks through the causes; if a
 * host's several addresses were tried, all must have failed so.
 */
export function failedBeforeSending(error: unknown, depth = 0): boolean {
  const { code, syscall, message, errors, cause } = fieldsOf(error, depth) ?? {};
  if (Array.isArray(errors) && errors.length > 0) {
    return errors.every((one) => failedBeforeSending(one, depth + 1));
  }
  if (typeof code === "string") {
    if (NOT_SENT_CODES.has(code) || BEFORE_CONNECTION.has(syscall)) return true;
    if (code === "UND_ERR_ABORTED" && REFUSED_BY_PROXY.test(String(message))) return true;
  }
  return cause !== undefined && failedBeforeSending(cause, depth + 1);
}

/** The next deeper error. Of several addresses, the first one stands for all. */
const causeOf = ({ errors, cause }: Fields): unknown => (Array.isArray(errors) ? errors[0] : cause);

/** The code of a failure, such as `ECONNREFUSED`: the first of its causes that has one. */
export function failureCode(error: unknown, depth = 0): string | undefined {
  const fields = fieldsOf(error, depth);
  if (fields === undefined) return undefined;
  const { code } = fields;
  if (typeof code === "string" && /^\w+$/.test(code)) return code;
  return failureCode(causeOf(fields), depth + 1);
}

/** What the deepest cause of a failure says: `fetch` itself says only that it failed. */
export function failureMessage(error: unknown, depth = 0): string | undefined {
  const fields = fieldsOf(error, depth);
  if (fields === undefined) return undefined;
  const { message } = fields;
  const own = typeof message === "string" && message !== "" ? message : undefined;
  return failureMessage(causeOf(fields), depth + 1) ?? own;
}
