import { DURATION_UNITS } from "../../internal/duration.ts";
import { command, lazily } from "../command.ts";
import { ENV_FILE, GATEWAY } from "./common-flags.ts";

const PAGE = {
  "--limit <number>": "the maximum number of rows [default: 100]",
  "--after <cursor>": "the `next` of the page before",
};

const DRY_RUN = { "--dry-run": "show what would happen, and change nothing" };
const ASKS_NOT = { "--yes": "do not ask before something is changed, for scripts" };

const ATTEMPT_STORE = {
  "--store <url>": "the idempotency store: sqlite:payments.db, redis://... or postgres://...",
  "--scope <name>": "the `scope` option of the store [default: ]",
  "--prefix <text>": "the `prefix` option of the Redis store",
  "--table <name>": "the `table` option of the PostgreSQL store",
  "--pepper-file <path>": "a file that contains only the `pepper` option of the store",
};

/** Attempts in an idempotency store. */
export const ATTEMPTS = command(
  "attempts",
  "list the attempts of an idempotency store, and resolve those of unknown outcome",
  {
    list: {
      summary: "Lists attempts, the oldest first.",
      run: lazily(() => import("../commands/attempts.ts"), "list"),
      flags: {
        ...ATTEMPT_STORE,
        "--state <state>": "only attempts in this state [in_flight | unknown | succeeded]",
        ...PAGE,
        "--account-reference <label>":
          "only attempts for this account reference, which the store has as a digest only",
        "--amount <amount>": "only attempts for this amount",
        "--phone <number>": "only attempts for this phone",
      },
      examples: [
        "attempts list --store sqlite:payments.db --state unknown",
        "attempts list --store sqlite:payments.db --account-reference ORDER-42 --json",
      ],
    },
    "resolve <key> <outcome>": {
      summary:
        "Resolves an attempt of unknown outcome with the reference of its payment, or as not_sent. First it looks at the service, and rejects what the service contradicts.",
      run: lazily(() => import("../commands/attempts.ts"), "resolve"),
      flags: {
        ...ATTEMPT_STORE,
        ...GATEWAY,
        "--endpoint <endpoint>":
          "the call that the key was used with, as `attempts list` shows it [default: mobileMoney.initiate]",
        "--attempt <id>":
          "resolves only this attempt, as `attempts list` shows it [otherwise: any attempt with this key]",
        "--force": "does not look at the service first",
      },
      examples: [
        "attempts resolve ORDER-42/1 PAY-7Q2M9X4KD1TB --store sqlite:payments.db",
        "attempts resolve ORDER-42/1 not_sent --store redis://localhost",
      ],
    },
    "resolve-unknown": {
      summary:
        "Looks in the service's list of payments for every attempt of unknown outcome, shows which have exactly one payment, and resolves those.",
      run: lazily(() => import("../commands/attempts.ts"), "resolveUnknown"),
      flags: {
        ...ATTEMPT_STORE,
        ...GATEWAY,
        "--look-back <duration>": "how old an attempt may be [default: 1d]",
        "--not-sent-after <duration>":
          "after which time the service certainly lists a payment. An older attempt without one is resolved as not_sent [otherwise: an attempt without a payment stays unknown]",
        "--profile <path>":
          "the profile of your service, by `malipo probe --prompt`, in the place of --not-sent-after: it knows how long the list takes",
        ...DRY_RUN,
        ...ASKS_NOT,
      },
      examples: [
        "attempts resolve-unknown --store sqlite:payments.db",
        "attempts resolve-unknown --store sqlite:payments.db --dry-run",
        "attempts resolve-unknown --store redis://localhost --look-back 3d --not-sent-after 1h",
      ],
    },
  },
);

const INBOX_STORE = {
  "--store <url>": "the inbox: sqlite:inbox.db, redis://... or postgres://...",
  "--queue <name>":
    "the `queue` option of an inbox in Redis or PostgreSQL [otherwise: malipo-webhooks]",
  "--schema <name>": "the `schema` option of an inbox in PostgreSQL [otherwise: pgboss]",
};

const CONFLICTS = { "--conflicts": "the conflicts, in the place of the dead letters" };
const DOUBLE_PAYMENTS = { "--double-payments": "the double payments" };
const UNPROCESSED = {
  "--retrying": "the events whose last attempt failed, and that are tried again",
  "--waiting": "all events that are not processed yet, the retrying ones included",
};

const FILTER = {
  "--kind <event>": "only events of this kind, such as payment.completed",
  "--since <time>": `only events received at this time or later: 2026-01-31, 2026-01-31T09:00:00+03:00, or how long ago (${DURATION_UNITS.join(", ")})`,
  "--until <time>": "only events received before this time",
};

const CHANGE = {
  ...FILTER,
  "--all": "all that match --kind, --since and --until",
  ...DRY_RUN,
  ...ASKS_NOT,
};

const STORE_EXAMPLE = "--store sqlite:inbox.db";

/** What waits in the inbox of a receiver, for its next attempt or for a person. */
export const INBOX_COMMAND = command(
  "inbox",
  "look at the inbox of a receiver; requeue, drop and replay what waits for a person",
  {
    list: {
      summary: "Lists dead letters, the oldest first.",
      run: lazily(() => import("../inbox/list.ts"), "list"),
      flags: {
        ...INBOX_STORE,
        ...CONFLICTS,
        ...DOUBLE_PAYMENTS,
        ...UNPROCESSED,
        ...FILTER,
        "--group-by <field>": "counts the events, in the place of listing them [error | kind]",
        ...PAGE,
      },
      examples: [
        `inbox list ${STORE_EXAMPLE}`,
        `inbox list --retrying --group-by error ${STORE_EXAMPLE}`,
        "inbox list --store redis://localhost --kind payment.completed --since 2d",
        "inbox list --store postgres://localhost/shop --conflicts --json",
      ],
    },
    stats: {
      summary: "Counts what the inbox holds: waiting, retrying, dead, conflicts.",
      run: lazily(() => import("../inbox/show-stats.ts"), "stats"),
      flags: INBOX_STORE,
      examples: [`inbox stats ${STORE_EXAMPLE}`, `inbox stats --json ${STORE_EXAMPLE}`],
    },
    "show <id>": {
      summary: "Shows one dead letter with its body.",
      run: lazily(() => import("../inbox/list.ts"), "show"),
      flags: { ...INBOX_STORE, ...CONFLICTS, ...UNPROCESSED },
      examples: [`inbox show 5f0c2d1 ${STORE_EXAMPLE}`],
    },
    "requeue [id...]": {
      summary: "Has a running receiver process dead letters again, with 12 attempts.",
      run: lazily(() => import("../inbox/change.ts"), "requeue"),
      flags: {
        ...INBOX_STORE,
        ...CONFLICTS,
        ...CHANGE,
        "--never-tried":
          "with --all, also those that no handler was given: replays of old events, for example",
      },
      examples: [
        `inbox requeue 5f0c2d1 91ab77e ${STORE_EXAMPLE}`,
        `inbox requeue --all --kind payment.completed --since 2d ${STORE_EXAMPLE}`,
      ],
    },
    "drop [id...]": {
      summary: "Drops the bodies of dead letters: nothing is to be done about them.",
      run: lazily(() => import("../inbox/change.ts"), "drop"),
      flags: { ...INBOX_STORE, ...CONFLICTS, ...DOUBLE_PAYMENTS, ...CHANGE },
      examples: [
        `inbox drop 5f0c2d1 ${STORE_EXAMPLE}`,
        `inbox drop --all --dry-run ${STORE_EXAMPLE}`,
      ],
    },
    "replay <id...>": {
      summary:
        "Sends stored bytes with their signature to a receiver, and shows its responses. Nothing changes in the inbox.",
      run: lazily(() => import("../inbox/replay.ts"), "replay"),
      flags: {
        ...INBOX_STORE,
        ...CONFLICTS,
        "--to <url>": "the URL of the receiver, on this machine",
        "--remote": "allow a receiver on another machine",
      },
      examples: [`inbox replay 5f0c2d1 --to http://127.0.0.1:3000/webhooks ${STORE_EXAMPLE}`],
    },
  },
);

const CHECKOUT_STORE = {
  "--store <url>": "the store of the checkout: sqlite:shop.db or postgres://...",
  "--schema <name>": "the `schema` option of a checkout in PostgreSQL [otherwise: malipo_checkout]",
  ...ENV_FILE,
};

/** The orders of a checkout. */
export const CHECKOUT_COMMAND = command(
  "checkout",
  "look at the orders of a checkout; make or cancel one, print its payment link, decide what waits for a person, and compare a day with the service",
  {
    list: {
      summary: "Lists orders, the oldest first.",
      run: lazily(() => import("../commands/checkout-orders.ts"), "list"),
      flags: {
        ...CHECKOUT_STORE,
        "--status <status>":
          "only orders with this status [open | pending | paid | canceled | expired]",
        "--review":
          "only orders with a review, the reviews, and the payments that belong to no order",
        ...PAGE,
      },
      examples: [
        "checkout list --store sqlite:shop.db",
        "checkout list --store postgres://localhost/shop --review",
      ],
    },
    "create <id>": {
      summary: "Makes an order, without asking anyone. The same command again changes nothing.",
      run: lazily(() => import("../commands/checkout-create.ts"), "create"),
      flags: {
        ...CHECKOUT_STORE,
        "--amount <amount>": "what is to be paid: 1500.50",
        "--currency <code>": "its currency [otherwise: KES]",
        "--description <text>": "what it is for",
        "--prefix <text>": "the `prefix` option of the checkout [otherwise: no prefix]",
        "--page-url <url>": "the address of the pay page [otherwise: MALIPO_PAGE_URL]",
        "--days <number>": "how long the link works [otherwise: 30]",
        "--link": "print only its payment link, with the secret in MALIPO_PAGE_SECRET",
      },
      examples: [
        "checkout create INVOICE-17 --amount 1500 --description Chairs --link --store sqlite:shop.db",
      ],
    },
    "show <id>": {
      summary: "Shows an order: its money, its attempts and its reviews.",
      run: lazily(() => import("../commands/checkout-orders.ts"), "show"),
      flags: CHECKOUT_STORE,
      examples: ["checkout show ORDER-42 --store sqlite:shop.db"],
    },
    "cancel <id>": {
      summary:
        "Cancels an order that is not paid: no customer is asked again. Money that comes later is a review.",
      run: lazily(() => import("../commands/checkout-orders.ts"), "cancel"),
      flags: { ...CHECKOUT_STORE, ...ASKS_NOT },
      examples: ["checkout cancel ORDER-42 --store sqlite:shop.db"],
    },
    "resolve <review> <decision>": {
      summary:
        "Decides a review, once: accept has a process of the shop give the goods, refunded says that you paid it back, dismiss only ends it.",
      run: lazily(() => import("../commands/checkout-orders.ts"), "resolve"),
      flags: {
        ...CHECKOUT_STORE,
        "--by <name>": "who decides it",
        ...ASKS_NOT,
      },
      examples: [
        "checkout resolve ORDER-42:overpaid:PAY-7Q2M9X4KD1TB refunded --store sqlite:shop.db",
      ],
    },
    report: {
      summary:
        "Compares the payments that the service lists for a day with the orders, and opens a review for each that differs. It exits with 1 if something differs, if a review is open, or if the list could not be read whole.",
      run: lazily(() => import("../commands/checkout-report.ts"), "report"),
      flags: {
        ...CHECKOUT_STORE,
        ...GATEWAY,
        "--day <date>": "the day: 2026-11-23, or today [otherwise: yesterday]",
        "--shop <name>": "its name, for the title",
        "--time-zone <zone>": "by whose clock the day begins and ends [otherwise: Africa/Nairobi]",
        "--prefix <text>": "the `prefix` option of the checkout [otherwise: no prefix]",
        "--csv": "print it as CSV, for a spreadsheet",
        "--html": "print a page that can be sent or printed",
      },
      examples: [
        "checkout report --day 2026-11-23 --store sqlite:shop.db",
        "checkout report --store postgres://localhost/shop --csv > differences.csv",
      ],
    },
  },
);
