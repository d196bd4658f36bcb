import { DURATION_UNITS } from "../../internal/duration.ts";
import type { FlagRows } from "../../internal/flags.ts";
import { ENV_FILE, GATEWAY } from "./common.ts";

const PAGE = {
  limit: { value: "number", summary: "the maximum number of rows", default: "100" },
  after: { value: "cursor", summary: "the `next` of the page before" },
} as const satisfies FlagRows;

const DRY_RUN = {
  "dry-run": { summary: "show what would happen, and change nothing" },
} as const satisfies FlagRows;

const ASKS_NOT = {
  yes: { summary: "do not ask before something is changed, for scripts" },
} as const satisfies FlagRows;

/** The schema of an engine in PostgreSQL. */
const SCHEMA = {
  schema: {
    value: "name",
    summary: "the `schema` option of the PostgreSQL engine",
    fallback: "malipo_checkout",
  },
} as const satisfies FlagRows;

export const ATTEMPT_STORE = {
  store: {
    value: "url",
    summary:
      "the idempotency store: sqlite:payments.db, redis://..., postgres://... or mysql://...",
  },
  scope: { value: "name", summary: "the `scope` option of the store", default: "" },
  prefix: { value: "text", summary: "the `prefix` option of the Redis engine" },
  ...SCHEMA,
  "pepper-file": {
    value: "path",
    summary: "a file that contains only the `pepper` option of the store",
  },
} as const satisfies FlagRows;

export const INBOX_STORE = {
  store: {
    value: "url",
    summary: "the inbox: sqlite:inbox.db, redis://..., postgres://... or mysql://...",
  },
  queue: {
    value: "name",
    summary: "the `queue` option of an inbox in Redis",
    fallback: "malipo-webhooks",
  },
  ...SCHEMA,
} as const satisfies FlagRows;

const CONFLICTS = {
  conflicts: { summary: "the conflicts, in the place of the dead letters" },
} as const satisfies FlagRows;

const DOUBLE_PAYMENTS = {
  "double-payments": { summary: "the double payments" },
} as const satisfies FlagRows;

const UNPROCESSED = {
  retrying: { summary: "the events whose last attempt failed, and that are tried again" },
  waiting: { summary: "all events that are not processed yet, the retrying ones included" },
} as const satisfies FlagRows;

/** The switches that choose a list in the place of the dead letters. */
export const LIST_CHOICES = {
  ...CONFLICTS,
  ...DOUBLE_PAYMENTS,
  ...UNPROCESSED,
} as const satisfies FlagRows;

export const FILTER = {
  kind: { value: "event", summary: "only events of this kind, such as payment.completed" },
  since: {
    value: "time",
    summary: `only events received since: 2026-01-31, 2026-01-31T09:00:00+03:00, or how long ago (${DURATION_UNITS.join(", ")})`,
  },
  until: { value: "time", summary: "only events received before this time" },
} as const satisfies FlagRows;

export const CHANGE = {
  ...FILTER,
  all: { summary: "all that match --kind, --since and --until" },
  ...DRY_RUN,
  ...ASKS_NOT,
} as const satisfies FlagRows;

export const CHECKOUT_STORE = {
  store: {
    value: "url",
    summary: "the store of the checkout: sqlite:shop.db, postgres://... or mysql://...",
  },
  ...SCHEMA,
  ...ENV_FILE,
} as const satisfies FlagRows;

export const ATTEMPTS_LIST = {
  ...ATTEMPT_STORE,
  state: {
    value: "state",
    summary: "only attempts in this state",
    choices: ["in_flight", "unknown", "succeeded"],
  },
  ...PAGE,
  "account-reference": {
    value: "label",
    summary: "only attempts with this value",
  },
  amount: { value: "amount", summary: "only attempts with this value" },
  phone: { value: "number", summary: "only attempts with this value" },
} as const satisfies FlagRows;

export const ATTEMPTS_RESOLVE = {
  ...ATTEMPT_STORE,
  ...GATEWAY,
  endpoint: {
    value: "endpoint",
    summary: "the call that the key was used with, as `attempts list` shows it",
    default: "mobileMoney.initiate",
  },
  attempt: {
    value: "id",
    summary: "resolves only this attempt, as `attempts list` shows it",
    fallback: "any attempt with this key",
  },
  force: { summary: "does not look at the service first" },
} as const satisfies FlagRows;

export const ATTEMPTS_RESOLVE_UNKNOWN = {
  ...ATTEMPT_STORE,
  ...GATEWAY,
  "look-back": { value: "duration", summary: "how old an attempt may be", default: "1d" },
  "not-sent-after": {
    value: "duration",
    summary: "when the service certainly lists a payment: an older attempt without one is not_sent",
    fallback: "it stays unknown",
  },
  profile: {
    value: "path",
    summary: "a profile by `malipo probe --prompt`, in the place of --not-sent-after",
  },
  ...DRY_RUN,
  ...ASKS_NOT,
} as const satisfies FlagRows;

export const INBOX_LIST = {
  ...INBOX_STORE,
  ...LIST_CHOICES,
  ...FILTER,
  "group-by": {
    value: "field",
    summary: "counts the events, in the place of listing them",
    choices: ["error", "kind"],
  },
  ...PAGE,
} as const satisfies FlagRows;

export const INBOX_SHOW = {
  ...INBOX_STORE,
  ...CONFLICTS,
  ...UNPROCESSED,
} as const satisfies FlagRows;

export const INBOX_REQUEUE = {
  ...INBOX_STORE,
  ...CONFLICTS,
  ...CHANGE,
  "never-tried": {
    summary: "with --all, also those that no handler was given, such as replays",
  },
} as const satisfies FlagRows;

export const INBOX_DROP = {
  ...INBOX_STORE,
  ...CONFLICTS,
  ...DOUBLE_PAYMENTS,
  ...CHANGE,
} as const satisfies FlagRows;

export const INBOX_REPLAY = {
  ...INBOX_STORE,
  ...CONFLICTS,
  to: { value: "url", summary: "the URL of the receiver, on this machine" },
  remote: { summary: "allow a receiver on another machine" },
} as const satisfies FlagRows;

export const CHECKOUT_LIST = {
  ...CHECKOUT_STORE,
  status: {
    value: "status",
    summary: "only orders with this status",
    choices: ["open", "pending", "paid", "canceled", "expired"],
  },
  review: {
    summary: "only orders with a review, the reviews, and the payments that belong to no order",
  },
  ...PAGE,
} as const satisfies FlagRows;

export const CHECKOUT_CREATE = {
  ...CHECKOUT_STORE,
  amount: { value: "amount", summary: "what is to be paid: 1500.50" },
  currency: {
    value: "code",
    summary: "its currency",
    fallback: "that of the first order, or KES",
  },
  description: { value: "text", summary: "what it is for" },
  prefix: { value: "text", summary: "the `prefix` option of the checkout", fallback: "no prefix" },
  "page-url": { value: "url", summary: "the address of the pay page", fallback: "MALIPO_PAGE_URL" },
  days: { value: "number", summary: "how long the link works", fallback: "30" },
  link: { summary: "print only its payment link, with the secret in MALIPO_PAGE_SECRET" },
} as const satisfies FlagRows;

export const CHECKOUT_CANCEL = {
  ...CHECKOUT_STORE,
  reason: {
    value: "reason",
    summary: "why: paid_elsewhere if the customer has paid in another way",
    choices: ["canceled", "paid_elsewhere"],
  },
  ...ASKS_NOT,
} as const satisfies FlagRows;

/** What is written down of a refund. */
const NOTE = {
  reference: {
    value: "reference",
    summary: "of the refund, noted once",
  },
  reason: { value: "text", summary: "why" },
} as const satisfies FlagRows;

export const CHECKOUT_REFUND = {
  ...CHECKOUT_STORE,
  amount: { value: "amount", summary: "what was paid back: 500.50" },
  by: { value: "name", summary: "who paid it back" },
  ...NOTE,
  ...ASKS_NOT,
} as const satisfies FlagRows;

export const CHECKOUT_RESOLVE = {
  ...CHECKOUT_STORE,
  by: { value: "name", summary: "who decides it" },
  ...NOTE,
  ...ASKS_NOT,
} as const satisfies FlagRows;

export const CHECKOUT_REPORT = {
  ...CHECKOUT_STORE,
  ...GATEWAY,
  day: { value: "date", summary: "the day: 2026-11-23, or today", fallback: "yesterday" },
  shop: { value: "name", summary: "its name, for the title" },
  "time-zone": {
    value: "zone",
    summary: "by whose clock the day begins and ends",
    fallback: "Africa/Nairobi",
  },
  prefix: { value: "text", summary: "the `prefix` option of the checkout", fallback: "no prefix" },
  csv: { summary: "print it as CSV, for a spreadsheet" },
  html: { summary: "print a page that can be sent or printed" },
} as const satisfies FlagRows;
