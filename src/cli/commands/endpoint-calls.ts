import type { Gateway } from "../../client/gateway.ts";
import type { Endpoint } from "../../contract/endpoints.ts";
import { EVENT_KINDS } from "../../contract/events.ts";
import { explainFailure } from "../../contract/explain-failure.ts";
import type { FlagsOf } from "../../internal/flags.ts";
import { isObject } from "../../internal/is-object.ts";
import { CliError, usageError } from "../cli-error.ts";
import type { Input, Output } from "../command.ts";
import { endpointWords } from "../command-words.ts";
import { EXIT } from "../exit-codes.ts";
import type { CALLS, CallKind, WAIT } from "../flags/service.ts";
import { createGateway } from "../gateway-from-flags.ts";
import { bodyFields } from "../input/body-fields.ts";
import {
  parseQuery,
  parseUrl,
  readAmount,
  readTimeout,
  requireValue,
} from "../input/flag-values.ts";
import { asText, cellText, paint, printable } from "../terminal/output.ts";
import { showProgress } from "../terminal/progress.ts";
import { formatFields, formatTable, type Screen } from "../terminal/table.ts";
import { formatExplanation } from "./explain.ts";

type Fields = Readonly<Record<string, unknown>>;
type Method = (...args: unknown[]) => Promise<object>;

/** Calls an endpoint with what the flags and arguments say. */
export async function callEndpoint<Kind extends CallKind>(
  kind: Kind,
  name: string,
  row: Endpoint,
  input: Input<FlagsOf<(typeof CALLS)[Kind]>>,
): Promise<Output> {
  const [namespace = "", method = ""] = name.split(".");
  const args = await ARGUMENTS[kind](input, row);
  const gateway = await createGateway(input);
  await CHECKS[name]?.(gateway, args);
  const resource = gateway[namespace as keyof Gateway] as unknown as Readonly<
    Record<string, Method>
  >;
  const result = await resource[method]?.(...args);
  return row.list
    ? listOutput(name, row, result as Page, input.io.stdout)
    : fieldsOutput(Object(result));
}

/** What the parameters of a path are. */
const paramsOf = ({ args }: Input, { path }: Endpoint): string[] =>
  args.slice(0, path.split("{").length - 1);

/** What the method of an endpoint takes: path parameters, then the query or the body. */
const ARGUMENTS: {
  readonly [Kind in CallKind]: (
    input: Input<FlagsOf<(typeof CALLS)[Kind]>>,
    row: Endpoint,
  ) => readonly unknown[] | Promise<readonly unknown[]>;
} = {
  nothing: paramsOf,
  query: (input, row) => [...paramsOf(input, row), parseQuery(input.flags.query)],
  fields: async (input, row) => {
    const fields = await bodyFields(input);
    // An invoice can be sent without a body.
    if (fields !== undefined || row.path.endsWith("/send"))
      return [...paramsOf(input, row), fields];
    throw usageError(
      "The fields are missing. Give --set name=value, or --data with a JSON object.",
    );
  },
  "mobileMoney.initiate": ({ flags }) => [
    {
      amount: readAmount(flags, "amount"),
      phone: requireValue(flags, "phone"),
      account_reference: flags["account-reference"],
      description: flags.description,
      payment_account_id: flags["payment-account-id"],
    },
  ],
  "mobileMoney.validatePhone": ({ args }) => args,
  "webhooks.register": ({ args: [receiver = ""], flags: { name, event } }) => {
    const { host, href: url } = parseUrl(receiver, "<receiver>");
    return [{ name: name ?? host, url, events: event.length > 0 ? event : EVENT_KINDS }];
  },
};

/** What is looked at before a call, since the service would do it twice. */
const CHECKS: Readonly<
  Record<string, (gateway: Gateway, args: readonly unknown[]) => Promise<void>>
> = {
  "webhooks.register": async ({ webhooks }, [fields]) => {
    const { url } = fields as { url: string };
    // A key that may not list them may register one nevertheless.
    const known = await webhooks.list().then(
      ({ items }) => items.find((one) => one.url === url),
      () => undefined,
    );
    if (known === undefined) return;
    throw new CliError(
      "registered",
      `${url} is registered already: ${known.id ?? "see malipo webhooks list"}. Nothing was done. A second registration would deliver each event twice. To change it: malipo webhooks update, or delete.`,
    );
  },
};

/** `malipo payments wait` */
export async function wait(input: Input<FlagsOf<typeof WAIT>>): Promise<Output> {
  const [reference = ""] = input.args;
  const waitMs = readTimeout(input.flags, "timeout");
  const gateway = await createGateway(input);
  const progress = showProgress({
    output: input.io.stderr,
    isHidden: input.json,
    line: () => `Waiting at most ${waitMs / 1_000} s for ${reference} to reach a final status`,
  });
  const payment = await gateway.payments
    .waitFor(reference, { waitMs })
    .finally(() => progress.end());
  if (payment.status === "completed") return fieldsOutput(payment);
  const explanation = explainFailure(payment);
  return {
    value: { ...payment, explanation },
    text: () => `${fieldsOutput(payment).text()}\n\n${formatExplanation(explanation)}`,
    exitCode: EXIT.failed,
  };
}

const fieldsOutput = (value: object): Output => ({
  value,
  text: () => formatFields(Object.entries(value)),
});

/** The columns of a list, by the schema of its items. Of other items, all fields are printed. */
const COLUMNS: Readonly<Record<string, readonly string[]>> = {
  payment: ["reference", "status", "currency", "amount", "phone", "account_reference"],
  webhook: ["id", "name", "url", "events"],
};

interface Page {
  readonly items: readonly Fields[];
  readonly meta: Fields;
}

/**
 * One page of a list, and below it what the service says about paging. `success` is the
 * envelope's, and if `meta` is the only other field, its fields are meant.
 */
function listOutput(
  name: string,
  { response }: Endpoint,
  { items, meta: { success: _, ...rest } }: Page,
  screen: Screen,
): Output {
  const isOnly = Object.keys(rest).length === 1 && isObject(rest.meta);
  const meta = isOnly ? (rest.meta as Fields) : rest;
  const [command = "", subcommand = ""] = endpointWords(name).split(" ");
  const what = subcommand === "list" ? command : subcommand.replaceAll("-", " ");
  const text = () => {
    const list =
      items.length === 0
        ? `No ${what}.`
        : formatItems(items, response && COLUMNS[response], screen);
    const paging = Object.entries(meta).map(
      ([name, value]) => `${printable(name)}: ${asText(value)}`,
    );
    return paging.length === 0 ? list : `${list}\n${paint("dim", paging.join(", "))}`;
  };
  return { value: { items, meta }, text };
}

const formatItems = (
  items: readonly Fields[],
  columns: readonly string[] | undefined,
  screen: Screen,
): string =>
  columns === undefined
    ? items.map((one) => formatFields(Object.entries(one))).join("\n\n")
    : formatTable(screen, [
        columns.map((name) => name.replaceAll("_", " ")),
        ...items.map((one) => columns.map((name) => cellText(one[name]))),
      ]);
