/**
 * What a foreign error says: its message, else the value as text. Never throws, and calls no
 * `toString` of an object: it may be made of anything, such as the headers of a request.
 */
export function describeError(error: unknown): string {
  try {
    const message = (error as { message?: unknown } | null | undefined)?.message;
    if (typeof message === "string" && message !== "") return message;
    if (typeof error === "function") return "a function";
    if (error instanceof Error) return typeof error.name === "string" ? error.name : "Error";
    return typeof error === "object" ? Object.prototype.toString.call(error) : String(error);
  } catch {
    return "an error that cannot be read";
  }
}

const MEANINGS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing is listening there",
  ENOTFOUND: "the host name does not exist",
  EAI_AGAIN: "the host name could not be resolved",
  ECONNRESET: "the connection was closed without a response",
  UND_ERR_SOCKET: "the connection was closed without a response",
  EPROTO: "the server does not speak TLS",
  ERR_SSL_WRONG_VERSION_NUMBER: "the server does not speak TLS",
  ERR_SSL_PACKET_LENGTH_TOO_LONG: "the server does not speak TLS",
  DEPTH_ZERO_SELF_SIGNED_CERT: "the certificate is self-signed",
  CERT_HAS_EXPIRED: "the certificate has expired",
};

/** What the code of a failed connection means, with the code. */
export function describeConnectionError(code: string): string {
  const meaning = MEANINGS[code];
  return meaning === undefined ? code : `${meaning} (${code})`;
}
