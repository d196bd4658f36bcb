import type { Command, Flag } from "../command.ts";

const STORE: readonly Flag[] = [
  {
    name: "store",
    value: "url",
    summary: "the idempotency store: sqlite:payments.db, redis://... or postgres://...",
  },
  { name: "scope", value: "name", summary: "the `scope` option of the store", default: "" },
  { name: "prefix", value: "text", summary: "the `prefix` option of the Redis store" },
  { name: "table", value: "name", summary: "the `table` option of the PostgreSQL store" },
];

/** Attempts in an idempotency store. The store needs no API key and no service. */
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
      ],
      examples: ["attempts list --store sqlite:payments.db --state unknown"],
    },
    {
      name: "resolve",
      summary:
        "Resolves an attempt of unknown outcome with the reference of its payment, or as not_sent.",
      args: [{ name: "key" }, { name: "outcome" }],
      flags: [
        ...STORE,
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
      ],
      examples: [
        "attempts resolve ORDER-42/1 PAY-7Q2M9X4KD1TB --store sqlite:payments.db",
        "attempts resolve ORDER-42/1 not_sent --store redis://localhost",
      ],
    },
  ],
};
