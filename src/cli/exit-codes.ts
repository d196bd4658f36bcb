/** What the process ends with. Scripts may rely on these. */
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

/** The same for people: the docs and `malipo --help` print it. */
export const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  ok: "done; for `verify`: genuine; for `payments wait`: completed",
  failed: "the answer was no: refused, not genuine, failed",
  usage: "wrong command, flag, value, key or file; nothing was sent",
  unreachable: "nobody answered: the service, the sandbox or the receiver",
  unknown: "a payment or an invoice **may** have been made: look before doing it again",
  pending: "`payments wait`: not settled yet, which is no failure",
  portInUse: "`sandbox`: the port is taken",
};
