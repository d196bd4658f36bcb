import type { Payment } from "../../contract/payment.ts";
import type { Input } from "../definitions/types.ts";
import { EXIT } from "../exit-codes.ts";
import { gatewayOf } from "../input/gateway-options.ts";
import { amountOf, durationOf, needed, queryOf } from "../input/values.ts";
import { columns, grid, paint, result } from "../terminal/output.ts";

export const run = (input: Input): Promise<number> =>
  ACTIONS[input.action]?.(input) as Promise<number>;

const ACTIONS: Readonly<Record<string, (input: Input) => Promise<number>>> = {
  get: async (input) => {
    const payment = await gatewayOf(input).payments.get(input.args[0] ?? "");
    result(input.json, payment, () => wordsOf(payment));
    return EXIT.ok;
  },

  list: async (input) => {
    const page = await gatewayOf(input).payments.list(queryOf(input.many.query));
    const { items, meta } = page;
    result(input.json, { items, meta }, () => listed(items, meta));
    return EXIT.ok;
  },

  initiate: async (input) => {
    const { text } = input;
    const payment = await gatewayOf(input).mobileMoney.initiate({
      amount: amountOf("amount", needed("amount", text.amount)),
      phone: needed("phone", text.phone),
      account_reference: text["account-reference"],
      description: text.description,
      payment_account_id: text["payment-account-id"],
    });
    result(input.json, payment, () => wordsOf(payment));
    return EXIT.ok;
  },

  wait: async (input) => {
    const timeoutMs = durationOf("timeout", input.text.timeout ?? "2m");
    const payment = await gatewayOf(input).payments.waitFor(input.args[0] ?? "", { timeoutMs });
    result(input.json, payment, () => wordsOf(payment));
    return payment.status === "completed" ? EXIT.ok : EXIT.failed;
  },
};

const wordsOf = (payment: Readonly<Record<string, unknown>>) => columns(Object.entries(payment));

function listed(items: readonly Payment[], meta: Readonly<Record<string, unknown>>): string {
  const text = (value: unknown) => (value === undefined ? "" : String(value));
  const rows = items.map((one) => [
    text(one.reference),
    one.status,
    `${text(one.currency)} ${text(one.amount)}`,
    text(one.phone),
    text(one.account_reference),
  ]);
  const head = ["reference", "status", "amount", "phone", "account reference"];
  const found = Object.keys(meta).length === 0 ? [] : [paint("dim", JSON.stringify(meta))];
  return [items.length === 0 ? "No payments." : grid([head, ...rows]), ...found].join("\n");
}
