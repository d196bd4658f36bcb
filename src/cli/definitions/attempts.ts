import type { Command, Flag } from "../command.ts";
import { GATEWAY } from "./flags.ts";

const STORE: readonly Flag[] = [
  {
    name: "store",
    value: "url",
    summary: "the idempotency store: sqlite:payments.db, redis://... or postgres://...",
  },
  { name: "scope", value: "name", summary: "the `scope` option of the store", default: "" },
  { name: "prefix", value: "text", summary: "the `prefix` option of the Redis store" },
  { name: "table", value: "name", summary: "the `table` option of the PostgreSQL store" },
  {
    name: "pepper-file",
    value: "path",
    summary: "a file that contains only the `pepper` option of the store",
    fallback: "no pepper",
  },
];

/** Attempts in an idempotency store. */
export const ATTEMPTS: Command = {
  name: "attempts",
  summary: "list the attempts of an idempotency store, and resolve those of unknown outcome",
  load: () => import("../commands/attempts.ts"),
  subcommands: [
    {
      name: "list",
      summary: "Lists attempts, the oldest first.",
      flags: [
        ...STORE,
        {
          name: "state",
          value: "state",
          summary: "only attempts in this state",
          choices: ["in_flight", "unknown", "succeeded"],
        },
        { name: "limit", value: "number", summary: "how many are listed", default: "100" },
        { name: "after", value: "cursor", summary: "the `next` of the page before" },
        {
          name: "account-reference",
          value: "label",
          summary: "only attempts for this account reference, which the store has as a digest only",
        },
        { name: "amount", value: "amount", summary: "only attempts for this amount" },
        { name: "phone", value: "number", summary: "only attempts for this phone" },
      ],
      examples: [
        "attempts list --store sqlite:payments.db --state unknown",
        "attempts list --store sqlite:payments.db --account-reference ORDER-42",
      ],
    },
    {
      name: "resolve",
      summary:
        "Resolves an attempt of unknown outcome with the reference of its payment, or as not_sent. First it looks at the service, and rejects what the service contradicts.",
      args: [{ name: "key" }, { name: "outcome" }],
      flags: [
        ...STORE,
        ...GATEWAY,
        {
          name: "endpoint",
          value: "endpoint",
          summary: "the call that the key was used with, as `attempts list` shows it",
          default: "mobileMoney.initiate",
        },
        {
          name: "attempt",
          value: "id",
          summary: "resolves only this attempt, as `attempts list` shows it",
          fallback: "any attempt with this key",
        },
        { name: "force", summary: "does not look at the service first" },
      ],
      examples: [
        "attempts resolve ORDER-42/1 PAY-7Q2M9X4KD1TB --store sqlite:payments.db",
        "attempts resolve ORDER-42/1 not_sent --store redis://localhost",
      ],
    },
    {
      name: "resolve-unknown",
      summary:
        "Looks in the service's list of payments for every attempt of unknown outcome, and resolves each that exactly one payment matches.",
      flags: [
        ...STORE,
        ...GATEWAY,
        {
          name: "look-back",
          value: "duration",
          summary: "how old an attempt may be",
          default: "1d",
        },
        {
          name: "not-sent-after",
          value: "duration",
          summary:
            "after which time the service certainly lists a payment. An older attempt without one is resolved as not_sent",
          fallback: "an attempt without a payment stays unknown",
        },
      ],
      examples: [
        "attempts resolve-unknown --store sqlite:payments.db",
        "attempts resolve-unknown --store redis://localhost --look-back 3d --not-sent-after 1h",
      ],
    },
  ],
};
