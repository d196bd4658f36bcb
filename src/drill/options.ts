/** One setting of a drill: a flag of the command line, and a field of `malipo.drill.json`. */
export interface DrillOption {
  readonly name: string;
  /** What the help shows in the place of the value. A switch has none. */
  readonly value?: string;
  readonly summary: string;
  readonly default?: string;
  readonly fallback?: string;
  readonly repeatable?: true;
  /** Belongs to one run and not to the shop: it has no place in the file. */
  readonly ofRun?: true;
}

/** The file in which a shop's settings are kept. */
export const DRILL_FILE = "malipo.drill.json";

/** Everything that a drill can be told. The command line, the file and `--init` read these rows. */
export const DRILL_OPTIONS: readonly DrillOption[] = [
  {
    name: "start",
    value: "command",
    summary:
      "the command that starts your shop. It gets PORT, MALIPO_BASE_URL, MALIPO_API_KEY and MALIPO_WEBHOOK_SECRET",
  },
  {
    name: "ready",
    value: "request",
    summary: "a request that is answered below 500 when the shop is ready, such as GET /health",
    fallback: "the port accepts connections",
  },
  {
    name: "order",
    value: "request",
    summary:
      "how a customer orders: METHOD /path and a body, JSON or a form; {phone}, {amount} and {order} are filled in",
  },
  {
    name: "order-id",
    value: "place",
    summary:
      "where the response has the order's id: a JSON pointer, location, or a place and a pattern: location ~ orders/(.+)",
    fallback: "/id, then the end of location",
  },
  {
    name: "status",
    value: "request",
    summary: "how to ask what the shop believes of an order; {id} and {order} are filled in",
    default: "GET /orders/{id}",
  },
  {
    name: "paid",
    value: "check",
    summary:
      "how a paid order reads: /pointer=value, or a text that the response contains; | separates alternatives",
    default: "/status=paid",
  },
  {
    name: "failed",
    value: "check",
    summary: "how an order reads that was not paid",
    default: "/status=failed",
  },
  {
    name: "open",
    value: "check",
    summary: "how an order reads that is not decided yet",
    default: "/status=pending",
  },
  {
    name: "effects",
    value: "place",
    summary:
      "what the customer got: a request and a JSON pointer to a number or a list, or ~ and a text to count, or a file to which the shop appends a line with the order's id",
    fallback: "not checked",
  },
  {
    name: "webhook",
    value: "path",
    summary:
      "the path of your webhook receiver; the drill registers it, unless the shop does that itself",
    default: "/webhooks",
  },
  {
    name: "header",
    value: "name: value",
    summary: "a header of every request of the customer",
    repeatable: true,
  },
  {
    name: "env",
    value: "NAME=value",
    summary: "an environment variable of the shop",
    repeatable: true,
  },
  {
    name: "data",
    value: "NAME",
    summary: "the environment variable that gets the folder for the shop's data, new for each run",
    default: "DATA",
  },
  {
    name: "nightly",
    value: "request",
    summary: "starts the job that the shop runs at night, such as POST /jobs/nightly",
  },
  {
    name: "quiet",
    value: "duration",
    summary: "how long the shop's own timers get at the end, before and after the last restart",
    default: "30s",
  },
  {
    name: "slow",
    value: "duration",
    summary: "how late a slow response is: longer than the timeouts of your shop",
    default: "20s",
  },
  { name: "double-click", summary: "send every order twice at the same moment" },
  {
    name: "workers",
    value: "number",
    summary: "how many shops run side by side, each with its own port and data",
    default: "2",
  },
  {
    name: "orders",
    value: "number",
    summary: "also place this many orders at once, with random faults and kills",
    default: "0",
  },
  {
    name: "seed",
    value: "text",
    summary: "the same seed plans the same random faults",
    default: "malipo",
  },
  {
    name: "case",
    value: "number",
    summary: "run one case, and print what the shop prints",
    ofRun: true,
  },
  { name: "list", summary: "list the cases, and run none", ofRun: true },
  { name: "report", value: "path", summary: "write the report as one HTML page", ofRun: true },
  { name: "junit", value: "path", summary: "write the results as JUnit XML, for CI", ofRun: true },
  { name: "init", summary: `ask for the settings, and write ${DRILL_FILE}`, ofRun: true },
];
