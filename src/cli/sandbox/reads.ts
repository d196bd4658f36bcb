import type { CommandResult } from "../../sandbox/control/commands.ts";
import type { QueueLength } from "../../sandbox/deliveries/queue.ts";
import type { Delivery } from "../../sandbox/index.ts";
import type { LoggedExchange } from "../../sandbox/observe/exchange-log.ts";
import type { StoredFault } from "../../sandbox/state/stored.ts";
import { usageError } from "../cli-error.ts";
import type { Input, Output } from "../command.ts";
import { readWholeNumber } from "../input/flag-values.ts";
import { formatFields, formatTable, paint } from "../terminal/output.ts";
import { querySandbox } from "./running-sandbox.ts";
import { requestLine, responseOf } from "./sandbox-log.ts";

export type Details = readonly (readonly [name: string, value: unknown])[];

/** What a person wants to know of a delivery. */
export const deliveryDetails = (delivery: Delivery): Details => [
  ["delivery", delivery.id],
  ["event", delivery.event],
  ["to", delivery.url],
  ["response", responseOf(delivery.attempts.at(-1))],
  ["state", delivery.state],
];

type Read = (origin: string, input: Input) => Promise<Output>;

const read =
  <Data>(path: string, format: (data: Data) => string): Read =>
  async (origin) => {
    const value = await querySandbox<Data>(origin, path);
    return { value, text: () => format(value) };
  };

/** What the command line reads of a sandbox, by the words of the command. */
export const READS: Readonly<Record<string, Read>> = {
  "clock now": read("/clock", ({ now, clock }: CommandResult<"clock">) => `${now} (${clock})`),
  "events list": (origin, input) =>
    read(`/deliveries?${queryOf(input, "state", "payment")}`, formatLog)(origin, input),
  "events show": showDelivery,
  "requests list": (origin, input) =>
    read(`/requests?${queryOf(input)}`, formatRequests)(origin, input),
  "faults list": read("/faults", formatFaults),
  "scenes list": read("/scenes", formatScenes),
  "scenes export": read("/snapshot", (state) => JSON.stringify(state, null, 2)),
};

const MAX_LIMIT = 100_000;

/** The query of `--limit`, and of other flags that were given. */
function queryOf({ values }: Input, ...flags: readonly string[]): URLSearchParams {
  const given = flags.flatMap((flag) => (values[flag] ? [[flag, values[flag]]] : []));
  const limit = String(readWholeNumber(values, "limit", 1, MAX_LIMIT));
  return new URLSearchParams([["limit", limit], ...given]);
}

const formatRequests = ({ requests }: { requests: LoggedExchange[] }): string =>
  requests.length === 0 ? "No requests." : requests.map(requestLine).join("\n");

function formatScenes({ scenes }: { scenes: { name: string; savedAt: string }[] }): string {
  if (scenes.length === 0) return "No scenes. To save one: malipo scenes save <name>";
  return formatTable([["name", "saved"], ...scenes.map(({ name, savedAt }) => [name, savedAt])]);
}

const pairs = (fields: object): string =>
  Object.entries(fields)
    .map(([name, value]) => `${name} ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(", ");

function formatFaults({ faults, chaos }: { faults: StoredFault[]; chaos?: object }): string {
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
  readonly queues: readonly QueueLength[];
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

async function showDelivery(origin: string, { args: [id = ""] }: Input): Promise<Output> {
  const { deliveries } = await querySandbox<DeliveryLog>(origin, `/deliveries?limit=${MAX_LIMIT}`);
  const value = deliveries.find((one) => one.id === id);
  if (value === undefined) {
    throw usageError(`There is no delivery "${id}". To list them: malipo events list`);
  }
  const text = () => {
    const attempts = value.attempts.map((one) => [one.at, responseOf(one)]);
    return [
      formatFields([...deliveryDetails(value), ["signature", value.signature]]),
      ...(attempts.length === 0 ? [] : [formatTable([["attempt", "response"], ...attempts])]),
      value.body,
    ].join("\n\n");
  };
  return { value, text };
}
