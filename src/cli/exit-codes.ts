/** The exit codes of the process. Scripts may rely on them. */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  unreachable: 3,
  unknown: 4,
  pending: 5,
  portInUse: 6,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** What each code means, as the docs and `malipo --help` print it. */
export const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  ok: "success; for `verify`: the signature is genuine; for `payments wait`: completed",
  failed:
    "failure: the call was rejected, the signature is not genuine, the payment failed, `learn diff`, `learn check` or `checkout report` found a difference, or `drill` found a broken promise",
  usage:
    "invalid command, flag, value, key or file, and nothing was sent; for `drill`: it could not test the shop",
  unreachable: "no response from the service, the sandbox or the receiver",
  unknown: "a payment or an invoice **may** have been created: check before you try again",
  pending: "`payments wait`: the payment has not reached a final status yet; this is not an error",
  portInUse: "`sandbox`, `learn`: the port is in use",
};
