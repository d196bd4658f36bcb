import { type FlagRows, flagsOf } from "../internal/flags.ts";

/** The file with the settings of a shop. */
export const DRILL_FILE = "malipo.drill.json";

// The parser of the command line must fill in no default, since what the file says comes before it: each
// row says only what holds `otherwise`.

/** The settings that `--init` asks for. */
const ASKED: FlagRows = {
  "--start <command>": "the command that starts your shop",
  "--order <request>":
    "how a customer orders: METHOD /path BODY, with {phone}, {amount} and {order}",
  "--order-id <place>":
    "the place of the order's id: /pointer, or location ~ orders/(.+) [otherwise: /id, then the end of location]",
  "--status <request>":
    "how to ask for the status of an order, with {id} or {order} [otherwise: GET /orders/{id}]",
  "--paid <check>":
    "what a paid order shows: /pointer=value, or a text; | separates alternatives [otherwise: /status=paid]",
  "--failed <check>": "what a failed order shows [otherwise: /status=failed]",
  "--open <check>": "what an open order shows [otherwise: /status=pending]",
  "--effects <place>":
    "what the customer got: a request and a /pointer or ~ text, or a file with lines [otherwise: not checked]",
  "--webhook <path>": "the path of your receiver [otherwise: /webhooks]",
};

/** The settings of a shop. */
const OF_SHOP: FlagRows = {
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
  "--workers <number>": "how many shops run side by side [otherwise: 2]",
  "--orders <number>": "also place this many random orders [otherwise: 0]",
  "--seed <text>": "the same seed plans the same faults [otherwise: malipo]",
};

/** Everything that the command line takes: what belongs to one run has no place in the file. */
export const DRILL_FLAGS: FlagRows = {
  ...OF_SHOP,
  "--case <number>": "run one case with the shop's output",
  "--list": "list the cases, and run none",
  "--report <path>": "write the report as one HTML page",
  "--junit <path>": "write the results as JUnit XML, for CI",
  "--init": `ask for the settings, and write ${DRILL_FILE}`,
};

export const ASKED_SETTINGS = flagsOf(ASKED);
export const SHOP_SETTINGS = flagsOf(OF_SHOP);
