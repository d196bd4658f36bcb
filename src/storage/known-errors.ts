// What malipo says about the errors of a database.
import { ConfigurationError } from "../errors/configuration.ts";
import { describeError } from "../internal/describe-error.ts";
import { causesOf, EngineAwayError } from "./engine-away.ts";
import { hasCode } from "./error-codes.ts";

/** What to do after an error. */
export interface KnownError {
  /** The codes that it may have. */
  readonly codes: readonly (string | number)[];
  /** What a library says that gives it no code. */
  readonly text?: RegExp;
  readonly advice: string;
  /** Whether it may be over by itself: a start waits for that. */
  readonly heals?: true;
}

/** What fails before a server is asked, whatever the server is. */
export const ADDRESS_ERRORS: readonly KnownError[] = [
  {
    codes: ["ERR_INVALID_URL"],
    advice:
      "The address is not a URL. Write each special character of the password in percent-encoding, such as %40 for @: encodeURIComponent(password).",
  },
  {
    codes: [
      ...["DEPTH_ZERO_SELF_SIGNED_CERT", "SELF_SIGNED_CERT_IN_CHAIN", "CERT_HAS_EXPIRED"],
      ...["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "UNABLE_TO_GET_ISSUER_CERT_LOCALLY"],
      ...["UNABLE_TO_GET_ISSUER_CERT", "ERR_TLS_CERT_ALTNAME_INVALID", "HANDSHAKE_SSL_ERROR"],
    ],
    advice:
      "Node does not trust the certificate of this server. Pass a pool with `ssl: { ca }`: the certificate of the authority that signed it. Use the host name that is in the certificate.",
  },
];

/** The row of an error, and the error in its chain of causes that the row is about. */
function knownErrorOf(
  rows: readonly KnownError[],
  error: unknown,
): { readonly row: KnownError; readonly cause: unknown } | undefined {
  const causes = causesOf(error);
  for (const row of rows) {
    const { codes, text } = row;
    const cause = causes.findLast(
      (one) => text?.test(one.message) || codes.includes((one as { code?: string }).code ?? ""),
    );
    // A library may have it in any of its fields.
    if (cause !== undefined || hasCode(error, codes)) return { row, cause: cause ?? error };
  }
  return undefined;
}

/** Whether the error says already what to do. */
const isExplained = (error: unknown): boolean =>
  error instanceof EngineAwayError || error instanceof ConfigurationError;

/**
 * The error for the user, if a row knows it; the same error otherwise.
 *
 * @param what - Who wanted to do what: `postgres cannot use this database`.
 */
export function explainedBy(rows: readonly KnownError[], what: string, error: unknown): unknown {
  const known = isExplained(error) ? undefined : knownErrorOf(rows, error);
  if (known === undefined) return error;
  const { advice, heals } = known.row;
  const message = `${what} (${describeError(known.cause)}). ${advice}`;
  const options = { cause: error };
  return heals ? new EngineAwayError(message, options) : new ConfigurationError(message, options);
}
