import type { Input } from "../definitions/types.ts";
import { EXIT } from "../exit-codes.ts";
import { usage } from "../failure.ts";
import { bodyFields } from "../input/body-fields.ts";
import { gatewayOf } from "../input/gateway-options.ts";
import { queryOf } from "../input/values.ts";
import { columns, paint, result } from "../terminal/output.ts";

type Fields = Readonly<Record<string, unknown>>;

export async function run(input: Input): Promise<number> {
  if (input.action === "list") return list(input);
  const answer = await answerTo(input);
  result(input.json, answer, () => columns(Object.entries(answer)));
  return EXIT.ok;
}

async function answerTo(input: Input): Promise<Fields> {
  const fields = await bodyFields(input);
  const { invoices } = gatewayOf(input);
  const [invoice = ""] = input.args;
  switch (input.action) {
    case "create":
      return invoices.create(needed(fields));
    case "update":
      return invoices.update(invoice, needed(fields));
    case "send":
      return invoices.send(invoice, fields);
    case "delete":
      return invoices.delete(invoice);
    default:
      return invoices.get(invoice);
  }
}

function needed(fields: Record<string, unknown> | undefined): Record<string, unknown> {
  if (fields !== undefined) return fields;
  throw usage("No fields. Give --set name=value, or --data with a JSON object.");
}

async function list(input: Input): Promise<number> {
  const { items, meta } = await gatewayOf(input).invoices.list(queryOf(input.many.query));
  result(input.json, { items, meta }, () => {
    // The interface shows no field of an invoice: each is shown as it came.
    const lines = items.map((invoice) => columns(Object.entries(invoice)));
    const found = Object.keys(meta).length === 0 ? [] : [paint("dim", JSON.stringify(meta))];
    return [...(lines.length === 0 ? ["No invoices."] : lines), ...found].join("\n\n");
  });
  return EXIT.ok;
}
