import { usageError } from "../cli-error.ts";
import type { Input } from "../definitions/types.ts";
import { EXIT } from "../exit-codes.ts";
import { bodyFields } from "../input/body-fields.ts";
import { parseQuery } from "../input/flag-values.ts";
import { createGateway } from "../input/gateway.ts";
import { formatFields, formatMeta, printResult } from "../terminal/output.ts";

type Fields = Readonly<Record<string, unknown>>;

export async function run(input: Input): Promise<number> {
  if (input.subcommand === "list") return list(input);
  const result = await callInvoices(input);
  printResult(input.json, result, () => formatFields(Object.entries(result)));
  return EXIT.ok;
}

async function callInvoices(input: Input): Promise<Fields> {
  const fields = await bodyFields(input);
  const { invoices } = createGateway(input);
  const [invoice = ""] = input.args;
  switch (input.subcommand) {
    case "create":
      return invoices.create(requireFields(fields));
    case "update":
      return invoices.update(invoice, requireFields(fields));
    case "send":
      return invoices.send(invoice, fields);
    case "delete":
      return invoices.delete(invoice);
    default:
      return invoices.get(invoice);
  }
}

function requireFields(fields: Fields | undefined): Fields {
  if (fields !== undefined) return fields;
  throw usageError("The fields are missing. Give --set name=value, or --data with a JSON object.");
}

async function list(input: Input): Promise<number> {
  const query = parseQuery(input.repeated.query);
  const { items, meta } = await createGateway(input).invoices.list(query);
  printResult(input.json, { items, meta }, () => {
    // The service documents no field of an invoice: all fields are printed.
    const invoices = items.map((invoice) => formatFields(Object.entries(invoice)));
    return [...(items.length === 0 ? ["No invoices."] : invoices), ...formatMeta(meta)].join(
      "\n\n",
    );
  });
  return EXIT.ok;
}
