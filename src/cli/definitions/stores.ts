import { command, lazily } from "../command.ts";
import {
  ATTEMPTS_LIST,
  ATTEMPTS_RESOLVE,
  ATTEMPTS_RESOLVE_UNKNOWN,
  CHECKOUT_CANCEL,
  CHECKOUT_CREATE,
  CHECKOUT_LIST,
  CHECKOUT_REFUND,
  CHECKOUT_REPORT,
  CHECKOUT_RESOLVE,
  CHECKOUT_STORE,
  INBOX_DROP,
  INBOX_LIST,
  INBOX_REPLAY,
  INBOX_REQUEUE,
  INBOX_SHOW,
  INBOX_STORE,
} from "../flags/stores.ts";

/** Attempts in an idempotency store. */
export const ATTEMPTS = command(
  "attempts",
  "list the attempts of an idempotency store, and resolve those of unknown outcome",
  {
    list: {
      summary: "Lists attempts, the oldest first.",
      ...lazily(ATTEMPTS_LIST, () => import("../commands/attempts.ts"), "list"),
      examples: [
        "attempts list --store sqlite:payments.db --state unknown",
        "attempts list --store sqlite:payments.db --account-reference ORDER-42 --json",
      ],
    },
    "resolve <key> <outcome>": {
      summary:
        "Resolves an attempt of unknown outcome by the reference of its payment, or as not_sent, unless the service contradicts it.",
      ...lazily(ATTEMPTS_RESOLVE, () => import("../commands/attempts.ts"), "resolve"),
      examples: [
        "attempts resolve ORDER-42/1 PAY-7Q2M9X4KD1TB --store sqlite:payments.db",
        "attempts resolve ORDER-42/1 not_sent --store redis://localhost",
      ],
    },
    "resolve-unknown": {
      summary:
        "Resolves each attempt of unknown outcome that has exactly one payment in the service's list. Shows them first.",
      ...lazily(
        ATTEMPTS_RESOLVE_UNKNOWN,
        () => import("../commands/attempts.ts"),
        "resolveUnknown",
      ),
      examples: [
        "attempts resolve-unknown --store sqlite:payments.db",
        "attempts resolve-unknown --store sqlite:payments.db --dry-run",
        "attempts resolve-unknown --store redis://localhost --look-back 3d --not-sent-after 1h",
      ],
    },
  },
);

const STORE_EXAMPLE = "--store sqlite:inbox.db";

/** What waits in the inbox of a receiver, for its next attempt or for a person. */
export const INBOX_COMMAND = command(
  "inbox",
  "look at the inbox of a receiver; requeue, drop and replay what waits for a person",
  {
    list: {
      summary: "Lists dead letters, the oldest first.",
      ...lazily(INBOX_LIST, () => import("../inbox/list.ts"), "list"),
      examples: [
        `inbox list ${STORE_EXAMPLE}`,
        `inbox list --retrying --group-by error ${STORE_EXAMPLE}`,
        "inbox list --store redis://localhost --kind payment.completed --since 2d",
        "inbox list --store postgres://localhost/shop --conflicts --json",
      ],
    },
    stats: {
      summary: "Counts what the inbox holds: waiting, retrying, dead, conflicts.",
      ...lazily(INBOX_STORE, () => import("../inbox/show-stats.ts"), "stats"),
      examples: [`inbox stats ${STORE_EXAMPLE}`, `inbox stats --json ${STORE_EXAMPLE}`],
    },
    "show <id>": {
      summary: "Shows one dead letter with its body.",
      ...lazily(INBOX_SHOW, () => import("../inbox/list.ts"), "show"),
      examples: [`inbox show 5f0c2d1 ${STORE_EXAMPLE}`],
    },
    "requeue [id...]": {
      summary: "Has a running receiver process dead letters again, with 12 attempts.",
      ...lazily(INBOX_REQUEUE, () => import("../inbox/change.ts"), "requeue"),
      examples: [
        `inbox requeue 5f0c2d1 91ab77e ${STORE_EXAMPLE}`,
        `inbox requeue --all --kind payment.completed --since 2d ${STORE_EXAMPLE}`,
      ],
    },
    "drop [id...]": {
      summary: "Drops the bodies of dead letters: nothing is to be done about them.",
      ...lazily(INBOX_DROP, () => import("../inbox/change.ts"), "drop"),
      examples: [
        `inbox drop 5f0c2d1 ${STORE_EXAMPLE}`,
        `inbox drop --all --dry-run ${STORE_EXAMPLE}`,
      ],
    },
    "replay <id...>": {
      summary:
        "Sends stored bytes with their signature to a receiver. Nothing changes in the inbox.",
      ...lazily(INBOX_REPLAY, () => import("../inbox/replay.ts"), "replay"),
      examples: [`inbox replay 5f0c2d1 --to http://127.0.0.1:3000/webhooks ${STORE_EXAMPLE}`],
    },
  },
);

/** The orders of a checkout. */
export const CHECKOUT_COMMAND = command(
  "checkout",
  "look at the orders of a checkout; make or cancel one, print its payment link, note a refund, decide what waits for a person, and compare a day with the service",
  {
    list: {
      summary: "Lists orders, the oldest first.",
      ...lazily(CHECKOUT_LIST, () => import("../commands/checkout-orders.ts"), "list"),
      examples: [
        "checkout list --store sqlite:shop.db",
        "checkout list --store postgres://localhost/shop --review",
      ],
    },
    "create <id>": {
      summary: "Makes an order, without asking anyone. The same command again changes nothing.",
      ...lazily(CHECKOUT_CREATE, () => import("../commands/checkout-create.ts"), "create"),
      examples: [
        "checkout create INVOICE-17 --amount 1500 --description Chairs --link --store sqlite:shop.db",
      ],
    },
    "show <id>": {
      summary: "Shows an order: its money, its attempts and its reviews.",
      ...lazily(CHECKOUT_STORE, () => import("../commands/checkout-orders.ts"), "show"),
      examples: ["checkout show ORDER-42 --store sqlite:shop.db"],
    },
    "cancel <id>": {
      summary:
        "Cancels an order that is not paid: no customer is asked again. Money that comes later is a review.",
      ...lazily(CHECKOUT_CANCEL, () => import("../commands/checkout-orders.ts"), "cancel"),
      examples: ["checkout cancel ORDER-42 --store sqlite:shop.db"],
    },
    "refund <id>": {
      summary:
        "Notes that money of an order was paid back, all of it or a part. It moves no money.",
      ...lazily(CHECKOUT_REFUND, () => import("../commands/checkout-orders.ts"), "refund"),
      examples: [
        "checkout refund ORDER-42 --amount 500 --reference RB7Q2M9X4K --by Amina --store sqlite:shop.db",
      ],
    },
    "resolve <review> <decision>": {
      summary:
        "Decides a review, once: accept (the shop gives the goods), refunded (you paid it back), or dismiss.",
      ...lazily(CHECKOUT_RESOLVE, () => import("../commands/checkout-orders.ts"), "resolve"),
      examples: [
        "checkout resolve ORDER-42:overpaid:PAY-7Q2M9X4KD1TB refunded --store sqlite:shop.db",
      ],
    },
    report: {
      summary:
        "Compares the service's payments of a day with the orders, and opens a review for each difference. Exits with 1 if it is no all-clear.",
      ...lazily(CHECKOUT_REPORT, () => import("../commands/checkout-report.ts"), "report"),
      examples: [
        "checkout report --day 2026-11-23 --store sqlite:shop.db",
        "checkout report --store postgres://localhost/shop --csv > differences.csv",
      ],
    },
  },
);
