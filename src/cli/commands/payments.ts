import type { Payment } from "../../contract/payment.ts";
import type { Input } from "../definitions/types.ts";
import { EXIT } from "../exit-codes.ts";
import { parseQuery, readAmount, readTimeout, requireValue } from "../input/flag-values.ts";
import { createGateway } from "../input/gateway.ts";
import { formatFields, formatMeta, formatTable, printResult } from "../terminal/output.ts";
import { showProgress } from "../terminal/progress.ts";

export function run(input: Input): Promise<number> {
  switch (input.subcommand) {
    case "list":
      return list(input);
    case "initiate":
      return initiate(input);
    case "wait":
      return wait(input);
    default:
      return get(input);
  }
}

async function get(input: Input): Promise<number> {
  const [reference = ""] = input.args;
  printPayment(input, await createGateway(input).payments.get(reference));
  return EXIT.ok;
}

async function list(input: Input): Promise<number> {
  const query = parseQuery(input.repeated.query);
  const { items, meta } = await createGateway(input).payments.list(query);
  printResult(input.json, { items, meta }, () =>
    [items.length === 0 ? "No payments." : formatPayments(items), ...formatMeta(meta)].join("\n"),
  );
  return EXIT.ok;
}

async function initiate(input: Input): Promise<number> {
  const { values } = input;
  const payment = await createGateway(input).mobileMoney.initiate({
    amount: readAmount(values, "amount"),
    phone: requireValue(values, "phone"),
    account_reference: values["account-reference"],
    description: values.description,
    payment_account_id: values["payment-account-id"],
  });
  printPayment(input, payment);
  return EXIT.ok;
}

async function wait(input: Input): Promise<number> {
  const [reference = ""] = input.args;
  const timeoutMs = readTimeout(input.values, "timeout");
  const gateway = createGateway(input);
  const progress = showProgress({
    line: () => `Waiting at most ${timeoutMs / 1_000} s for ${reference} to reach a final status`,
  });
  const payment = await gateway.payments
    .waitFor(reference, { timeoutMs })
    .finally(() => progress.end());
  printPayment(input, payment);
  return payment.status === "completed" ? EXIT.ok : EXIT.failed;
}

const printPayment = ({ json }: Input, payment: Readonly<Record<string, unknown>>) =>
  printResult(json, payment, () => formatFields(Object.entries(payment)));

function formatPayments(payments: readonly Payment[]): string {
  const text = (value: unknown) => (value === undefined ? "" : String(value));
  const rows = payments.map((payment) => [
    text(payment.reference),
    payment.status,
    `${text(payment.currency)} ${text(payment.amount)}`,
    text(payment.phone),
    text(payment.account_reference),
  ]);
  return formatTable([["reference", "status", "amount", "phone", "account reference"], ...rows]);
}
