import { COMMANDS } from "../../../sandbox/control/commands.ts";
import type { Delivery } from "../../../sandbox/index.ts";
import type { Input } from "../../command.ts";
import { EXIT } from "../../exit-codes.ts";
import { readWholeNumber } from "../../input/flag-values.ts";
import { findSandbox } from "../../sandbox/find-sandbox.ts";
import { querySandbox, runCommand } from "../../sandbox/running-sandbox.ts";
import { describeAttemptError } from "../../sandbox/sandbox-log.ts";
import { formatFields, formatTable, paint, printResult } from "../../terminal/output.ts";
import { run as runControl } from "./control.ts";

interface DeliveryLog {
  readonly deliveries: readonly (Delivery & { readonly nextAttemptAt?: string })[];
  readonly total: number;
  readonly queues: readonly { url: string; pending: number; maxPending: number }[];
}

export function run(input: Input): Promise<number> {
  if (input.subcommand === "list") return list(input);
  return input.subcommand === "resend" ? resend(input) : runControl(input);
}

const MAX_LIMIT = 100_000;

async function list({ values, json }: Input): Promise<number> {
  const origin = await findSandbox(values);
  const query = new URLSearchParams({
    limit: String(readWholeNumber(values, "limit", 1, MAX_LIMIT)),
    ...(values.state !== undefined && { state: values.state }),
    ...(values.payment !== undefined && { payment: values.payment }),
  });
  const log = await querySandbox<DeliveryLog>(origin, `/deliveries?${query}`);
  printResult(json, log, () => formatLog(log));
  return EXIT.ok;
}

async function resend({ args: [id = ""], values, json }: Input): Promise<number> {
  const delivery = await runCommand(await findSandbox(values), "deliveries/resend", { id });
  printResult(json, delivery, () => {
    const fields = formatFields([
      ["delivery", delivery.id],
      ["event", delivery.event],
      ["to", delivery.url],
      ["response", formatLastAttempt(delivery)],
      ["state", delivery.state],
    ]);
    return `${COMMANDS["deliveries/resend"].message(delivery)}\n${fields}`;
  });
  return delivery.attempts.at(-1)?.status === 200 ? EXIT.ok : EXIT.failed;
}

function formatLastAttempt({ attempts }: Delivery): string {
  const last = attempts.at(-1);
  if (last === undefined) return "in flight";
  return last.status === undefined
    ? describeAttemptError(last.error)
    : `${last.status} in ${last.latencyMs} ms`;
}

const HEAD = ["delivery", "event", "state", "attempts", "last response", "", "to"];

function formatLog({ deliveries, total, queues }: DeliveryLog): string {
  if (total === 0) {
    return "No deliveries. To receive them, register a receiver: malipo listen http://localhost:3000/webhooks";
  }
  const rows = deliveries.map((delivery) => [
    delivery.id,
    delivery.event,
    delivery.state,
    `${delivery.attempts.length}`,
    formatLastAttempt(delivery),
    delivery.nextAttemptAt === undefined ? "" : `next ${delivery.nextAttemptAt.slice(11, 19)}`,
    delivery.url,
  ]);
  const notes = queues.map(
    ({ url, pending, maxPending }) =>
      `${pending} pending for ${url} (the maximum is ${maxPending})`,
  );
  if (deliveries.length < total) {
    notes.push(`${deliveries.length} of ${total} shown. To see more: --limit ${total}`);
  }
  return [formatTable([HEAD, ...rows]), ...notes.map((note) => paint("dim", note))].join("\n");
}
