import { ENDPOINTS, type Endpoint } from "../../contract/endpoints.ts";
import { ENDPOINT_NOTES } from "../../openapi/endpoint-notes.ts";
import { type Command, command, lazily, runnable, type SubcommandRow } from "../command.ts";
import { endpointWords } from "../command-words.ts";
import { CALLS, type CallKind, WAIT } from "../flags/service.ts";

// A command for every endpoint of the contract, derived from its row.

/** What an argument can look like, by its name. */
const ARGUMENT_EXAMPLES: Readonly<Record<string, string>> = {
  reference: "PAY-7Q2M9X4KD1TB",
  id: "wh_4cG7wq1Z",
  invoice: "INV-0001",
};

const PAGE_EXAMPLE = "--query page=2 --query per_page=50";

/** The endpoints whose command takes what their row does not say: arguments and examples. */
const OWN: Readonly<Record<string, { args?: string; examples: readonly string[] }>> = {
  "mobileMoney.initiate": { examples: ["payments initiate --amount 100 --phone 0712345678"] },
  "mobileMoney.validatePhone": {
    args: "<number>",
    examples: ["payments validate-phone 0712345678"],
  },
  "webhooks.register": {
    args: "<receiver>",
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

const hasOwnFlags = (name: string): name is CallKind => Object.hasOwn(CALLS, name);

function kindOf(name: string, { list, request }: Endpoint): CallKind {
  if (hasOwnFlags(name)) return name;
  if (list) return "query";
  return request === undefined ? "nothing" : "fields";
}

/** Reads the flags of its kind, and calls the endpoint. */
const calling = <Kind extends CallKind>(kind: Kind, name: string, row: Endpoint) =>
  runnable(CALLS[kind], async (input) =>
    (await import("../commands/endpoint-calls.ts")).callEndpoint(kind, name, row, input),
  );

function endpointRow([name, row]: readonly [string, Endpoint]): [usage: string, SubcommandRow] {
  const [, words = ""] = endpointWords(name).split(" ");
  const params = [...row.path.matchAll(/\{(\w+)\}/g)].map(([, param = ""]) => param);
  const {
    args = params.map((param) => `<${param}>`).join(" "),
    examples = [exampleOf(name, row, params)],
  } = OWN[name] ?? {};
  const definition: SubcommandRow = {
    summary: summaryOf(name, row),
    ...calling(kindOf(name, row), name, row),
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

const WAIT_ROW: SubcommandRow = {
  summary: "Waits until a payment is completed or failed.",
  ...lazily(WAIT, () => import("../commands/endpoint-calls.ts"), "wait"),
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
      ...(name === "payments" && { "wait <reference>": WAIT_ROW }),
    });
  });
}
