import { ENDPOINTS, type Endpoint } from "../../contract/endpoints.ts";
import { DURATION_UNITS } from "../../internal/duration.ts";
import type { FlagRows } from "../../internal/flags.ts";
import { ENDPOINT_NOTES } from "../../openapi/endpoint-notes.ts";
import { type Command, command, lazily, type SubcommandRow } from "../command.ts";
import { endpointWords } from "../command-words.ts";
import { GATEWAY } from "./common-flags.ts";

// A command for every endpoint of the contract, derived from its row.

/** What an argument can look like, by its name. */
const ARGUMENT_EXAMPLES: Readonly<Record<string, string>> = {
  reference: "PAY-7Q2M9X4KD1TB",
  id: "wh_4cG7wq1Z",
  invoice: "INV-0001",
};

const QUERY: FlagRows = {
  "--query <name=value>":
    "a query parameter, passed to the service unchanged [repeatable; for models]",
};

const FIELDS: FlagRows = {
  "--set <path=text>": "sets a field; path:=json sets a number, a boolean or a list [repeatable]",
  "--data <json>": "all fields as one JSON object; @path reads a file, @- reads standard input",
};

const PAGE_EXAMPLE = "--query page=2 --query per_page=50";

/** The endpoints whose command takes more than its row says: arguments, flags and examples. */
const OWN: Readonly<
  Record<string, { args?: string; flags: FlagRows; examples: readonly string[] }>
> = {
  "mobileMoney.initiate": {
    flags: {
      "--amount <amount>": "above 0, with at most two decimals [for models]",
      "--phone <number>": "the customer's phone, in any usual format [for models]",
      "--account-reference <label>":
        "for example an order number; at most 12 characters [for models]",
      "--description <text>": "a description of the payment [for models]",
      "--payment-account-id <id>":
        "the account that receives the money [otherwise: the merchant's default account; for models]",
    },
    examples: ["payments initiate --amount 100 --phone 0712345678"],
  },
  "mobileMoney.validatePhone": {
    args: "<number>",
    flags: {},
    examples: ["payments validate-phone 0712345678"],
  },
  "webhooks.register": {
    args: "<receiver>",
    flags: {
      "--name <text>": "a label [otherwise: the host of the receiver; for models]",
      "--event <event>":
        "an event to deliver, such as payment.completed [otherwise: all eight documented events; repeatable; for models]",
    },
    examples: [
      "webhooks register https://shop.example/webhooks --name shop --event payment.completed",
    ],
  },
};

/** What is said of a call that starts something. */
export const CREATES = "Retried automatically only while nothing can have happened.";

/** `Read a payment` is the title of an operation; a command says what it does: `Reads a payment.` */
function summaryOf(name: string, { path, method, effect }: Endpoint): string {
  const note = (ENDPOINT_NOTES as Readonly<Partial<Record<string, { summary: string }>>>)[name];
  const title = note?.summary.replace(/^\w+/, "$&s") ?? `Calls ${method} ${path}`;
  return `${title}.${effect === "create" ? ` ${CREATES}` : ""}`;
}

function endpointRow([name, row]: readonly [string, Endpoint]): [usage: string, SubcommandRow] {
  const [, words = ""] = endpointWords(name).split(" ");
  const params = [...row.path.matchAll(/\{(\w+)\}/g)].map(([, param = ""]) => param);
  const {
    args = params.map((param) => `<${param}>`).join(" "),
    flags = { ...(row.list && QUERY), ...(row.request && FIELDS) },
    examples = [exampleOf(name, row, params)],
  } = OWN[name] ?? {};
  const definition: SubcommandRow = {
    summary: summaryOf(name, row),
    run: async (input) =>
      (await import("../commands/endpoint-calls.ts")).callEndpoint(name, row, input),
    flags: { ...GATEWAY, ...flags },
    examples,
    creates: row.effect === "create",
    effect: row.method === "GET" ? "reads" : undefined,
  };
  return [`${words} ${args}`.trim(), definition];
}

function exampleOf(name: string, { list, request }: Endpoint, params: readonly string[]): string {
  const args = params.map((param) => ARGUMENT_EXAMPLES[param] ?? "1");
  const flags = [...(list ? [PAGE_EXAMPLE] : []), ...(request ? ["--data @fields.json"] : [])];
  return [endpointWords(name), ...args, ...flags].join(" ");
}

const WAIT: SubcommandRow = {
  summary: "Waits until a payment is completed or failed.",
  run: lazily(() => import("../commands/endpoint-calls.ts"), "wait"),
  flags: {
    ...GATEWAY,
    "--timeout <duration>": `how long to wait: a number with a unit (${DURATION_UNITS.join(", ")}) [default: 2m]`,
  },
  examples: ["payments wait PAY-7Q2M9X4KD1TB --timeout 90s"],
};

const SUMMARIES: Readonly<Record<string, string>> = {
  payments: "read, list, start and wait for payments, on any gateway",
  invoices: "manage invoices, on any gateway",
  webhooks: "manage the webhook registrations, on any gateway",
  merchant: "read the merchant that the key belongs to, on any gateway",
};

/** The commands for any gateway, the real service or a sandbox, from the rows of the contract. */
export function endpointCommands(
  rows: Readonly<Record<string, Endpoint>> = ENDPOINTS,
): readonly Command[] {
  const groupOf = (name: string) => endpointWords(name).split(" ")[0] ?? "";
  const names = new Set(Object.keys(rows).map(groupOf));
  return [...names].map((name) => {
    const own = Object.entries(rows).filter(([endpoint]) => groupOf(endpoint) === name);
    return command(name, SUMMARIES[name] ?? `call the endpoints of ${name}, on any gateway`, {
      ...Object.fromEntries(own.map(endpointRow)),
      ...(name === "payments" && { "wait <reference>": WAIT }),
    });
  });
}
