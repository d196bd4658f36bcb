import { DURATION_UNITS } from "../../internal/duration.ts";
import type { Command, Flag } from "../command.ts";

const INBOX: readonly Flag[] = [
  { name: "db", value: "path", summary: "the file of a SQLite inbox" },
  { name: "redis", value: "url", summary: "the Redis of a BullMQ inbox" },
  { name: "postgres", value: "url", summary: "the PostgreSQL of a pg-boss inbox" },
  {
    name: "queue",
    value: "name",
    summary: "the `queue` option of the inbox, with --redis and --postgres",
    fallback: "malipo-webhooks",
  },
  {
    name: "schema",
    value: "name",
    summary: "the `schema` option of the inbox, with --postgres",
    fallback: "pgboss",
  },
  { name: "conflicts", summary: "work on the conflicts instead of the dead letters" },
];

const FILTER: readonly Flag[] = [
  { name: "kind", value: "event", summary: "only events of this kind, such as payment.completed" },
  {
    name: "since",
    value: "time",
    summary: `only events received at this time or later: 2026-01-31, 2026-01-31T09:00:00+03:00, or how long ago (${DURATION_UNITS.join(", ")})`,
  },
  { name: "until", value: "time", summary: "only events received before this time" },
];

const ALL: Flag = { name: "all", summary: "all that match --kind, --since and --until" };

const IDS = { name: "id", optional: true, repeatable: true } as const;

/** What waits for a person in the inbox of a receiver. */
export const INBOX_COMMAND: Command = {
  name: "inbox",
  summary: "list, show, requeue, drop and replay dead letters and conflicts of a receiver",
  load: () => import("../commands/inbox.ts"),
  subcommands: [
    {
      name: "list",
      summary: "Lists dead letters, the oldest first. Nothing is processed or changed.",
      flags: [
        ...INBOX,
        ...FILTER,
        { name: "limit", value: "number", summary: "how many are listed", default: "100" },
        { name: "after", value: "cursor", summary: "the `next` of the page before" },
      ],
      examples: [
        "inbox list --db inbox.db",
        "inbox list --redis redis://localhost --kind payment.completed --since 2d",
        "inbox list --postgres postgres://localhost/shop --conflicts --json",
      ],
    },
    {
      name: "show",
      summary: "Shows one dead letter with its body.",
      args: [{ name: "id" }],
      flags: INBOX,
      examples: ["inbox show 5f0c2d --db inbox.db"],
    },
    {
      name: "requeue",
      summary: "Has a running receiver process dead letters again, as new events.",
      args: [IDS],
      flags: [...INBOX, ...FILTER, ALL],
      examples: [
        "inbox requeue 5f0c2d 91ab77 --db inbox.db",
        "inbox requeue --all --kind payment.completed --since 2d --db inbox.db",
      ],
    },
    {
      name: "drop",
      summary: "Drops the bodies of dead letters: nothing is to be done about them.",
      args: [IDS],
      flags: [...INBOX, ...FILTER, ALL],
      examples: ["inbox drop 5f0c2d --db inbox.db"],
    },
    {
      name: "replay",
      summary:
        "Sends stored bytes with their signature to a receiver, and shows its responses. Nothing changes in the inbox.",
      args: [{ name: "id", repeatable: true }],
      flags: [
        ...INBOX,
        { name: "to", value: "url", summary: "the URL of the receiver, on this machine" },
        { name: "remote", summary: "allow a receiver on another machine" },
      ],
      examples: ["inbox replay 5f0c2d --to http://127.0.0.1:3000/webhooks --db inbox.db"],
    },
  ],
};
