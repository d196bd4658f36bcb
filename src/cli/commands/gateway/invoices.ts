import type { Input } from "../../command.ts";
import { EXIT } from "../../exit-codes.ts";
import { createGateway } from "../../gateway-from-flags.ts";
import { bodyFields, requireFields } from "../../input/body-fields.ts";
import { parseQuery } from "../../input/flag-values.ts";
import { formatBlocks, formatFields, printPage, printResult } from "../../terminal/output.ts";

type Fields = Readonly<Record<string, unknown>>;

export async function run(input: Input): Promise<number> {
  if (input.subcommand === "list") return list(input);
  const result = await callInvoices(input);
  printResult(input.json, result, () => formatFields(Object.entries(result)));
  return EXIT.ok;
}

async function callInvoices(input: Input): Promise<Fields> {
  const fields = await bodyFields(input);
  const { invoices } = await createGateway(input);
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

async function list(input: Input): Promise<number> {
  const query = parseQuery(input.repeated.query);
  const page = await (await createGateway(input)).invoices.list(query);
  // The service documents no field of an invoice: all fields are printed.
  printPage(input.json, page, "No invoices.", formatBlocks);
  return EXIT.ok;
}
