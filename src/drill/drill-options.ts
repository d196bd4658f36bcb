import { type FlagRows, type FlagsOf, flagsOf } from "../internal/flags.ts";
import { GROUP_NAMES } from "./cases.ts";

/** The file with the settings of a shop. */
export const DRILL_FILE = "malipo.drill.json";

// The parser of the command line must fill in no default, since what the file says comes before it: each
// row says only what holds `otherwise`.

/** The settings that `--init` asks for. */
const ASKED = {
  start: { value: "command", summary: "starts your shop" },
  order: {
    value: "request",
    summary:
      "how a customer orders: METHOD /path BODY, with {phone}, {amount} and {order} or {uuid}",
  },
  "order-id": {
    value: "place",
    summary: "the place of the order's id: /pointer, or location ~ orders/(.+)",
    fallback: "/id, then the end of location",
  },
  pay: {
    value: "request",
    summary: "how a customer pays: POST /orders/{id}/pay",
    fallback: "by --order",
  },
  status: {
    value: "request",
    summary: "asks for an order, with {id}, {order} or {uuid}",
    fallback: "GET /orders/{id}",
  },
  again: {
    value: "request",
    summary: "how a customer pays again, with {attempts} if the page sends it",
    fallback: "--pay, or not tested",
  },
  paid: {
    value: "check",
    summary: "what a paid order shows: /pointer=value, or a text; | separates alternatives",
    fallback: "/status=paid",
  },
  failed: {
    value: "check",
    summary: "what a failed order shows",
    fallback: "/status=failed|canceled|refunded",
  },
  open: {
    value: "check",
    summary: "what an open order shows",
    fallback: "/status=pending",
  },
  "last-piece": {
    value: "request",
    summary: "an order of the last piece",
    fallback: "not tested",
  },
  cancel: {
    value: "request",
    summary: "cancels an order: POST /orders/{id}/cancel",
    fallback: "not tested",
  },
  refund: {
    value: "request",
    summary: "notes a refund: POST /orders/{id}/refund",
    fallback: "not tested",
  },
  update: {
    value: "request",
    summary: "changes the price to {amount}; 409 rejects it",
    fallback: "not tested",
  },
  effects: {
    value: "place",
    summary: "what the customer got: a request with /count, /list[], /value? or ~ text, or a file",
    fallback: "not checked",
  },
  webhook: { value: "path", summary: "the path of your receiver", fallback: "/webhooks" },
  processes: {
    value: "number",
    summary: "processes of the shop, usually 2",
    fallback: "1",
  },
} as const satisfies FlagRows;

/** The settings of a shop. */
const OF_SHOP = {
  ...ASKED,
  ready: {
    value: "request",
    summary: "responds below 500 when ready: GET /health",
    fallback: "the port accepts connections",
  },
  header: {
    value: "name: value",
    summary: "a header of each customer's request",
    repeatable: true,
  },
  env: { value: "NAME=value", summary: "an environment variable", repeatable: true },
  data: {
    value: "NAME",
    summary: "the variable with the new data folder",
    fallback: "DATA",
  },
  nightly: { value: "request", summary: "starts the nightly job: POST /jobs/nightly" },
  quiet: { value: "duration", summary: "time for your shop's timers at the end", fallback: "30s" },
  slow: {
    value: "duration",
    summary: "delay of a slow response, above your timeouts",
    fallback: "20s",
  },
  "double-click": { summary: "send every order twice at once" },
  "part-payments": { summary: "money by hand, with the order's label, counts" },
  without: {
    value: "names",
    summary:
      "not tried: again, processes, effects, clicks, stock, cancel, refund, update, parts, statements, connection",
  },
  country: {
    value: "code",
    summary: "the shop's country, beside --phones",
    fallback: "KE",
  },
  phones: {
    value: "digits",
    summary: "how phone numbers begin, without six digits",
    fallback: "0190",
  },
  workers: {
    value: "number",
    summary: "how many shops run side by side; 1 for one database",
    fallback: "2",
  },
  orders: { value: "number", summary: "this many random orders, too", fallback: "0" },
  seed: { value: "text", summary: "the same seed plans the same faults", fallback: "malipo" },
} as const satisfies FlagRows;

/** What belongs to one run has no place in the file. */
const OF_RUN = {
  case: { value: "numbers", summary: "run these cases, one with its output: 41, or 40-60" },
  only: {
    value: "group",
    summary: "run the cases of one group",
    choices: GROUP_NAMES,
  },
  goods: {
    value: "module",
    summary: "drill onPaid alone: a module with store, onPaid, count",
  },
  "until-first-failure": { summary: "stop after the first broken promise" },
  continue: { summary: "run what a stopped drill left" },
  list: { summary: "list the cases, and run none" },
  report: { value: "path", summary: "write the results as one HTML page" },
  junit: { value: "path", summary: "write the results as JUnit XML, for CI" },
  init: { summary: `ask for the settings, and write ${DRILL_FILE}` },
} as const satisfies FlagRows;

/** Everything that the command line takes. */
export const DRILL_FLAGS = { ...OF_SHOP, ...OF_RUN };

/** What a drill was called with. */
export type DrillFlags = FlagsOf<typeof DRILL_FLAGS>;

/** Why cases are not run that need a setting of the shop, and what is not tried then. The names are those of --without. */
export const NOT_GIVEN = {
  again: ["--again is not given", "paying again (--again)"],
  processes: ["--processes 2 is not given", "two processes (--processes 2)"],
  effects: ["--effects is not given", "what the customer got (--effects)"],
  stock: ["--last-piece is not given", "the last piece of a stock (--last-piece)"],
  cancel: ["--cancel is not given", "canceled orders (--cancel)"],
  refund: ["--refund is not given", "refunds (--refund)"],
  update: ["--update is not given", "orders that grow (--update)"],
  parts: ["--part-payments is not given", "part payments (--part-payments)"],
  clicks: ["--without clicks is given", "two clicks"],
  // Of --goods: no setting gives them, since the connection is one that the drill does not know.
  statements: [
    "onPaid runs no statement by query, execute, exec or prepare of its connection",
    "a statement that fails (--without statements)",
  ],
  connection: [
    "the connection of transaction is not one of pg or mysql2",
    "a lost connection (--without connection)",
  ],
} as const;

export type Untried = keyof typeof NOT_GIVEN;

/** The names of the flags that take no value. */
type SwitchOf<Rows> = {
  [Name in keyof Rows]: Rows[Name] extends { readonly value: string } ? never : Name;
}[keyof Rows];

/** The switches that are settings of a shop. */
export type ShopSwitch = SwitchOf<typeof OF_SHOP>;

/** The switches that do something else than a drill. */
export type RunSwitch = Exclude<SwitchOf<typeof OF_RUN>, "until-first-failure" | "continue">;

export const ASKED_SETTINGS = flagsOf(ASKED);
export const SHOP_SETTINGS = flagsOf(OF_SHOP);
