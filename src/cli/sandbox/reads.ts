import type { CommandResult } from "../../sandbox/control/commands.ts";
import type { Delivery } from "../../sandbox/index.ts";
import { usageError } from "../cli-error.ts";
import type { Input } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { readWholeNumber } from "../input/flag-values.ts";
import { formatFields, formatTable, paint, printResult } from "../terminal/output.ts";
import { querySandbox } from "./running-sandbox.ts";
import { responseOf } from "./sandbox-log.ts";

export type Details = readonly (readonly [name: string, value: unknown])[];

/** What a person wants to know of a delivery. */
export const deliveryDetails = (delivery: Delivery): Details => [
  ["delivery", delivery.id],
  ["event", delivery.event],
  ["to", delivery.url],
  ["response", responseOf(delivery.attempts.at(-1))],
  ["state", delivery.state],
];

/** What the command line reads of a sandbox, by the words of the command. */
export const READS: Readonly<Record<string, (origin: string, input: Input) => Promise<number>>> = {
  "clock now": async (origin, { json }) => {
    const time = await querySandbox<CommandResult<"clock">>(origin, "/clock");
    printResult(json, time, () => `${time.now} (${time.clock})`);
    return EXIT.ok;
  },
  "events list": listDeliveries,
  "events show": showDelivery,
  "faults list": async (origin, { json }) => {
    const active = await querySandbox<ActiveFaults>(origin, "/faults");
    printResult(json, active, () => formatFaults(active));
    return EXIT.ok;
  },
  "scenes list": async (origin, { json }) => {
    const result = await querySandbox<{ scenes: { name: string; savedAt: string }[] }>(
      origin,
      "/scenes",
    );
    const rows = result.scenes.map(({ name, savedAt }) => [name, savedAt]);
    printResult(json, result, () =>
      rows.length === 0
        ? "No scenes. To save one: malipo scenes save <name>"
        : formatTable([["name", "saved"], ...rows]),
    );
    return EXIT.ok;
  },
  "scenes export": async (origin) => {
    printResult(true, await querySandbox(origin, "/snapshot"), () => "");
    return EXIT.ok;
  },
};

interface ActiveFaults {
  readonly faults: readonly {
    readonly id?: string;
    readonly match: Readonly<Record<string, string>>;
    readonly effect: { readonly kind: string } & Readonly<Record<string, unknown>>;
    readonly after: number;
    readonly times: number | null;
  }[];
  readonly chaos?: object;
}

const pairs = (fields: object): string =>
  Object.entries(fields)
    .map(([name, value]) => `${name} ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(", ");

function formatFaults({ faults, chaos }: ActiveFaults): string {
  const rows = faults.map(({ id = "", effect: { kind, ...effect }, match, after, times }) => [
    id,
    kind,
    pairs(effect),
    pairs(match) || "every request",
    after === 0 ? "the next one" : `after ${after} more`,
    times === null ? "always" : String(times),
  ]);
  const head = ["id", "fault", "with", "requests", "begins", "times left"];
  return [
    rows.length > 0 ? formatTable([head, ...rows]) : "No faults.",
    ...(chaos === undefined ? [] : [`Chaos:\n${formatFields(Object.entries(chaos))}`]),
  ].join("\n");
}

interface DeliveryLog {
  readonly deliveries: readonly (Delivery & { readonly nextAttemptAt?: string })[];
  readonly total: number;
  readonly queues: readonly { url: string; pending: number; maxPending: number }[];
}

const MAX_LIMIT = 100_000;

async function listDeliveries(origin: string, { values, json }: Input): Promise<number> {
  const query = new URLSearchParams({
    limit: String(readWholeNumber(values, "limit", 1, MAX_LIMIT)),
    ...(values.state !== undefined && { state: values.state }),
    ...(values.payment !== undefined && { payment: values.payment }),
  });
  const log = await querySandbox<DeliveryLog>(origin, `/deliveries?${query}`);
  printResult(json, log, () => formatLog(log));
  return EXIT.ok;
}

const HEAD = ["delivery", "event", "state", "attempts", "last response", "next attempt", "to"];

function formatLog({ deliveries, total, queues }: DeliveryLog): string {
  if (total === 0) {
    return "No deliveries. To receive them, register a receiver: malipo listen http://localhost:3000/webhooks";
  }
  const rows = deliveries.map(({ id, event, state, attempts, nextAttemptAt, url }) => [
    id,
    event,
    state,
    `${attempts.length}`,
    responseOf(attempts.at(-1)),
    // A delivery that was sent again by hand has a timer, too.
    (state === "pending" && nextAttemptAt) || "",
    url,
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

async function showDelivery(origin: string, { args: [id = ""], json }: Input): Promise<number> {
  const { deliveries } = await querySandbox<DeliveryLog>(origin, `/deliveries?limit=${MAX_LIMIT}`);
  const found = deliveries.find((one) => one.id === id);
  if (found === undefined) {
    throw usageError(`There is no delivery "${id}". To list them: malipo events list`);
  }
  printResult(json, found, () => {
    const attempts = found.attempts.map((one) => [one.at, responseOf(one)]);
    return [
      formatFields([...deliveryDetails(found), ["signature", found.signature]]),
      ...(attempts.length === 0 ? [] : [formatTable([["attempt", "response"], ...attempts])]),
      found.body,
    ].join("\n\n");
  });
  return EXIT.ok;
}
