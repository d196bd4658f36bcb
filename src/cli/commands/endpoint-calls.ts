import type { Gateway } from "../../client/gateway.ts";
import type { Endpoint } from "../../contract/endpoints.ts";
import { EVENT_KINDS } from "../../contract/events.ts";
import { explainFailure } from "../../contract/explain-failure.ts";
import { isObject } from "../../internal/is-object.ts";
import { CliError, usageError } from "../cli-error.ts";
import type { Input, Output } from "../command.ts";
import { endpointWords } from "../command-words.ts";
import { EXIT } from "../exit-codes.ts";
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
export async function callEndpoint(name: string, row: Endpoint, input: Input): Promise<Output> {
  const [namespace = "", method = ""] = name.split(".");
  const args = await (ARGUMENTS[name]?.(input) ?? argumentsOf(row, input));
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

/** What the method of an endpoint takes: path parameters, then the query or the body. */
async function argumentsOf({ list, request, path }: Endpoint, input: Input): Promise<unknown[]> {
  const params = input.args.slice(0, path.split("{").length - 1);
  if (list) return [...params, parseQuery(input.repeated.query)];
  if (request === undefined) return params;
  const fields = await bodyFields(input);
  // An invoice can be sent without a body.
  if (fields !== undefined || path.endsWith("/send")) return [...params, fields];
  throw usageError("The fields are missing. Give --set name=value, or --data with a JSON object.");
}

/** The arguments of the methods whose commands have flags for their fields. */
const ARGUMENTS: Readonly<Record<string, (input: Input) => readonly unknown[]>> = {
  "mobileMoney.initiate": ({ values }) => [
    {
      amount: readAmount(values, "amount"),
      phone: requireValue(values, "phone"),
      account_reference: values["account-reference"],
      description: values.description,
      payment_account_id: values["payment-account-id"],
    },
  ],
  "mobileMoney.validatePhone": ({ args }) => args,
  "webhooks.register": ({ args: [receiver = ""], values, repeated }) => {
    const { host, href: url } = parseUrl(receiver, "<receiver>");
    return [{ name: values.name ?? host, url, events: [...(repeated.event ?? EVENT_KINDS)] }];
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
export async function wait(input: Input): Promise<Output> {
  const [reference = ""] = input.args;
  const waitMs = readTimeout(input.values, "timeout");
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
