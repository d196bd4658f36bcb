import type { Payment } from "../../../contract/payment.ts";
import type { Input } from "../../command.ts";
import { EXIT } from "../../exit-codes.ts";
import { createGateway } from "../../gateway-from-flags.ts";
import { bodyFields, requireFields } from "../../input/body-fields.ts";
import { parseQuery, readAmount, readTimeout, requireValue } from "../../input/flag-values.ts";
import {
  cellText,
  formatFields,
  formatTable,
  printPage,
  printResult,
} from "../../terminal/output.ts";
import { showProgress } from "../../terminal/progress.ts";

export async function run(input: Input): Promise<number> {
  if (input.subcommand === "list") return list(input);
  if (input.subcommand === "wait") return wait(input);
  printFields(input, await callPayments(input));
  return EXIT.ok;
}

async function callPayments(input: Input): Promise<object> {
  const [target = ""] = input.args;
  switch (input.subcommand) {
    case "initiate":
      return initiate(input);
    case "initiate-raw": {
      const fields = requireFields(await bodyFields(input));
      return (await createGateway(input)).payments.initiate(fields);
    }
    case "status": {
      const fields = requireFields(await bodyFields(input));
      return (await createGateway(input)).mobileMoney.status(fields);
    }
    case "validate-phone":
      return (await createGateway(input)).mobileMoney.validatePhone(target);
    default:
      return (await createGateway(input)).payments.get(target);
  }
}

async function list(input: Input): Promise<number> {
  const query = parseQuery(input.repeated.query);
  const page = await (await createGateway(input)).payments.list(query);
  printPage(input.json, page, "No payments.", formatPayments);
  return EXIT.ok;
}

async function initiate(input: Input): Promise<object> {
  const { values } = input;
  return (await createGateway(input)).mobileMoney.initiate({
    amount: readAmount(values, "amount"),
    phone: requireValue(values, "phone"),
    account_reference: values["account-reference"],
    description: values.description,
    payment_account_id: values["payment-account-id"],
  });
}

async function wait(input: Input): Promise<number> {
  const [reference = ""] = input.args;
  const waitMs = readTimeout(input.values, "timeout");
  const gateway = await createGateway(input);
  const progress = showProgress({
    line: () => `Waiting at most ${waitMs / 1_000} s for ${reference} to reach a final status`,
  });
  const payment = await gateway.payments
    .waitFor(reference, { waitMs })
    .finally(() => progress.end());
  printFields(input, payment);
  return payment.status === "completed" ? EXIT.ok : EXIT.failed;
}

const printFields = ({ json }: Input, result: object) =>
  printResult(json, result, () => formatFields(Object.entries(result)));

const HEAD = ["reference", "status", "amount", "phone", "account reference"];

function formatPayments(payments: readonly Payment[]): string {
  const rows = payments.map((payment) => [
    cellText(payment.reference),
    cellText(payment.status),
    `${cellText(payment.currency)} ${cellText(payment.amount)}`.trim(),
    cellText(payment.phone),
    cellText(payment.account_reference),
  ]);
  return formatTable([HEAD, ...rows]);
}
