import { isEngineAway } from "../engine-away.ts";
import { explainedBy, type KnownError } from "../known-errors.ts";

/** What malipo says about an error. Redis has no codes: https://redis.io/docs/latest/commands/auth/ */
const REDIS_ERRORS: readonly KnownError[] = [
  {
    codes: [],
    // The last one is that of a Redis before 6.
    text: /\b(?:WRONGPASS|NOAUTH|ERR invalid password)\b/,
    advice:
      "Redis rejects this user or its password, or got none. Correct both in the address: redis://user:password@host:6379.",
  },
  {
    codes: [],
    text: /\bNOPERM\b/,
    advice:
      'This user lacks a right. Grant it those that the page "Use Redis" lists: ACL SETUSER the_user ...',
  },
  {
    codes: [
      ...["DEPTH_ZERO_SELF_SIGNED_CERT", "SELF_SIGNED_CERT_IN_CHAIN", "CERT_HAS_EXPIRED"],
      ...["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "UNABLE_TO_GET_ISSUER_CERT_LOCALLY"],
      ...["UNABLE_TO_GET_ISSUER_CERT", "ERR_TLS_CERT_ALTNAME_INVALID"],
    ],
    advice:
      "Node does not trust the certificate of this Redis. Pass a client with `tls: { ca }`: the certificate of the authority that signed it. Use the host name that is in the certificate.",
  },
];

/** The error for the user, with what to do. */
export const explained = (error: unknown): unknown =>
  isEngineAway(error)
    ? error
    : explainedBy(REDIS_ERRORS, "redis cannot use this server", withoutCommand(error));

/** An error of Redis without its command, which may be the one with the password. */
function withoutCommand(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { command, ...rest } = error as Error & { command?: unknown };
  if (command === undefined) return error;
  const { name, message, stack } = error;
  return Object.assign(new Error(message), { name, stack }, rest);
}
