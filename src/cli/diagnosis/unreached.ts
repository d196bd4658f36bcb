const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
  ENOTFOUND: "its name leads nowhere",
  EAI_AGAIN: "its name could not be looked up",
  ECONNRESET: "it hung up without an answer",
  UND_ERR_SOCKET: "it hung up without an answer",
  EPROTO: "it does not speak TLS",
  ERR_SSL_WRONG_VERSION_NUMBER: "it does not speak TLS",
  ERR_SSL_PACKET_LENGTH_TOO_LONG: "it does not speak TLS",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is signed by itself",
  CERT_HAS_EXPIRED: "its certificate has expired",
};

/** What a runtime's code for a failed connection means, with the code. */
export function meaningOf(code: string): string {
  const meaning = REASONS[code];
  return meaning === undefined ? code : `${meaning} (${code})`;
}
