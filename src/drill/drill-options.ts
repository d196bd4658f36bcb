import { type FlagRows, flagsOf } from "../internal/flags.ts";
import { GROUP_NAMES } from "./cases.ts";

/** The file with the settings of a shop. */
export const DRILL_FILE = "malipo.drill.json";

// The parser of the command line must fill in no default, since what the file says comes before it: each
// row says only what holds `otherwise`.

/** The settings that `--init` asks for. */
const ASKED = {
  "--start <command>": "the command that starts your shop",
  "--order <request>":
    "how a customer orders: METHOD /path BODY, with {phone}, {amount} and {order}",
  "--order-id <place>":
    "the place of the order's id: /pointer, or location ~ orders/(.+) [otherwise: /id, then the end of location]",
  "--status <request>":
    "how to ask for the status of an order, with {id} or {order} [otherwise: GET /orders/{id}]",
  "--again <request>":
    "how a customer pays again after a failure, with {attempts} if the page sends it [otherwise: not tested]",
  "--paid <check>":
    "what a paid order shows: /pointer=value, or a text; | separates alternatives [otherwise: /status=paid]",
  "--failed <check>":
    "what a failed order shows [otherwise: /status=failed, or what an order of the checkout has]",
  "--open <check>": "what an open order shows [otherwise: /status=pending, or the same]",
  "--effects <place>":
    "what the customer got: a request and a /pointer or ~ text, or a file with lines [otherwise: not checked]",
  "--webhook <path>": "the path of your receiver [otherwise: /webhooks]",
  "--processes <number>":
    "how many processes of the shop run on the same data: 2, unless its store is for one process only [otherwise: 1]",
} as const satisfies FlagRows;

/** The settings of a shop. */
const OF_SHOP = {
  ...ASKED,
  "--ready <request>":
    "responds below 500 when the shop is ready, such as GET /health [otherwise: the port accepts connections]",
  "--header <name: value>": "a header of every request of the customer [repeatable]",
  "--env <NAME=value>": "an environment variable of your shop [repeatable]",
  "--data <NAME>": "the variable with the shop's new data folder [otherwise: DATA]",
  "--nightly <request>": "starts the nightly job, such as POST /jobs/nightly",
  "--quiet <duration>": "time for your shop's timers at the end [otherwise: 30s]",
  "--slow <duration>": "delay of a slow response, above your timeouts [otherwise: 20s]",
  "--double-click": "send every order twice at the same moment",
  "--phones <digits>":
    "how the customers' phone numbers begin; no person has a number that begins with 0190 [otherwise: 0190]",
  "--workers <number>":
    "how many shops run side by side; 1 if they have one database [otherwise: 2]",
  "--orders <number>": "also place this many random orders [otherwise: 0]",
  "--seed <text>": "the same seed plans the same faults [otherwise: malipo]",
} as const satisfies FlagRows;

/** What belongs to one run has no place in the file. */
const OF_RUN = {
  "--case <numbers>": "run one case with the shop's output, or some: 41, or 40-60",
  "--only <group>": `run the cases of one group [${GROUP_NAMES.join(" | ")}]`,
  "--until-first-failure": "stop after a case that breaks a promise",
  "--list": "list the cases by groups, and run none",
  "--report <path>": "write the report as one HTML page",
  "--junit <path>": "write the results as JUnit XML, for CI",
  "--init": `ask for the settings, and write ${DRILL_FILE}`,
} as const satisfies FlagRows;

/** Everything that the command line takes. */
export const DRILL_FLAGS: FlagRows = { ...OF_SHOP, ...OF_RUN };

/** Why cases are not run that need a setting of the shop, and what is not tried then. */
export const NOT_GIVEN = {
  again: ["--again is not given", "paying again (--again)"],
  processes: ["--processes 2 is not given", "two processes (--processes 2)"],
  effects: ["--effects is not given", "what the customer got (--effects)"],
} as const;

/** The names of the flags that take no value. */
type SwitchOf<Usage> = Usage extends `${string} ${string}`
  ? never
  : Usage extends `--${infer Name}`
    ? Name
    : never;

/** The switches that are settings of a shop. */
export type ShopSwitch = SwitchOf<keyof typeof OF_SHOP>;

/** The switches that do something else than a drill. */
export type RunSwitch = Exclude<SwitchOf<keyof typeof OF_RUN>, "until-first-failure">;

export const ASKED_SETTINGS = flagsOf(ASKED);
export const SHOP_SETTINGS = flagsOf(OF_SHOP);
