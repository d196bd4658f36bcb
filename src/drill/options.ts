/** One setting of a drill: a flag of the command line, and a field of `malipo.drill.json`. */
export interface DrillOption {
  /** What the help shows in the place of the value. A switch has none. */
  readonly value?: string;
  readonly summary: string;
  readonly default?: string;
  /** What happens without a value, if there is no default. */
  readonly fallback?: string;
  readonly repeatable?: true;
  /** Belongs to one run and not to the shop: it has no place in the file. */
  readonly ofRun?: true;
}

/** The file with the settings of a shop. */
export const DRILL_FILE = "malipo.drill.json";

/** The options that `--init` asks for. */
export const ASKED_OPTIONS: Readonly<Record<string, DrillOption>> = {
  start: { value: "command", summary: "the command that starts your shop" },
  order: {
    value: "request",
    summary: "how a customer orders: METHOD /path BODY, with {phone}, {amount} and {order}",
  },
  "order-id": {
    value: "place",
    summary: "the place of the order's id: /pointer, or location ~ orders/(.+)",
    fallback: "/id, then the end of location",
  },
  status: {
    value: "request",
    summary: "how to ask for the status of an order, with {id} or {order}",
    default: "GET /orders/{id}",
  },
  paid: {
    value: "check",
    summary: "what a paid order shows: /pointer=value, or a text; | separates alternatives",
    default: "/status=paid",
  },
  failed: { value: "check", summary: "what a failed order shows", default: "/status=failed" },
  open: { value: "check", summary: "what an open order shows", default: "/status=pending" },
  effects: {
    value: "place",
    summary: "what the customer got: a request and a /pointer or ~ text, or a file with lines",
    fallback: "not checked",
  },
  webhook: { value: "path", summary: "the path of your receiver", default: "/webhooks" },
};

/** Everything that can be set for a drill, on the command line or in the file. */
export const DRILL_OPTIONS: Readonly<Record<string, DrillOption>> = {
  ...ASKED_OPTIONS,
  ready: {
    value: "request",
    summary: "responds below 500 when the shop is ready, such as GET /health",
    fallback: "the port accepts connections",
  },
  header: {
    value: "name: value",
    summary: "a header of every request of the customer",
    repeatable: true,
  },
  env: { value: "NAME=value", summary: "an environment variable of your shop", repeatable: true },
  data: { value: "NAME", summary: "the variable with the shop's new data folder", default: "DATA" },
  nightly: { value: "request", summary: "starts the nightly job, such as POST /jobs/nightly" },
  quiet: { value: "duration", summary: "time for your shop's timers at the end", default: "30s" },
  slow: {
    value: "duration",
    summary: "delay of a slow response, above your timeouts",
    default: "20s",
  },
  "double-click": { summary: "send every order twice at the same moment" },
  workers: { value: "number", summary: "how many shops run side by side", default: "2" },
  orders: { value: "number", summary: "also place this many random orders", default: "0" },
  seed: { value: "text", summary: "the same seed plans the same faults", default: "malipo" },
  case: { value: "number", summary: "run one case with the shop's output", ofRun: true },
  list: { summary: "list the cases, and run none", ofRun: true },
  report: { value: "path", summary: "write the report as one HTML page", ofRun: true },
  junit: { value: "path", summary: "write the results as JUnit XML, for CI", ofRun: true },
  init: { summary: `ask for the settings, and write ${DRILL_FILE}`, ofRun: true },
};
