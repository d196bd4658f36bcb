import type { FlagsOf } from "../../internal/flags.ts";
import type { CommandResult } from "../../sandbox/control/commands.ts";
import type { QueueLength } from "../../sandbox/deliveries/deliveries.ts";
import type { Delivery } from "../../sandbox/index.ts";
import type { LoggedExchange } from "../../sandbox/observe/exchange-log.ts";
import type { StoredFault } from "../../sandbox/state/stored.ts";
import { usageError } from "../cli-error.ts";
import type { Input, Output } from "../command.ts";
import type { SandboxUrl } from "../flags/common.ts";
import type { DELIVERIES, REQUESTS } from "../flags/sandbox.ts";
import { readWholeNumber } from "../input/flag-values.ts";
import { paint } from "../terminal/output.ts";
import { formatFields, formatTable, type Screen } from "../terminal/table.ts";
import { relativeTime } from "../terminal/times.ts";
import { findSandbox } from "./find-sandbox.ts";
import { querySandbox } from "./running-sandbox.ts";
import { deliveryDetails, requestLine, responseOf } from "./sandbox-log.ts";

/** A command that prints what the sandbox that is running returns for a path of its control API. */
const read =
  <Data, Flags extends SandboxUrl = SandboxUrl>(
    path: string | ((input: Input<Flags>) => string),
    format: (data: Data, screen: Screen) => string,
  ) =>
  async (input: Input<Flags>): Promise<Output> => {
    const origin = await findSandbox(input);
    const value = await querySandbox<Data>(origin, typeof path === "string" ? path : path(input));
    return { value, text: () => format(value, input.io.stdout) };
  };

const MAX_LIMIT = 100_000;

/** The query of `--limit`, and of other flags that were given. */
function queryOf(
  flags: { readonly limit: string },
  others: Readonly<Record<string, string | undefined>> = {},
): URLSearchParams {
  const given = Object.entries(others).flatMap(([name, value]) => (value ? [[name, value]] : []));
  const limit = String(readWholeNumber(flags, "limit", 1, MAX_LIMIT));
  return new URLSearchParams([["limit", limit], ...given]);
}

export const clock = read(
  "/clock",
  ({ now, clock }: CommandResult<"clock">) => `${now} (${clock})`,
);

export const snapshot = read("/snapshot", (state) => JSON.stringify(state, null, 2));

export const requests = read(
  ({ flags }: Input<FlagsOf<typeof REQUESTS>>) => `/requests?${queryOf(flags)}`,
  ({ requests }: { requests: LoggedExchange[] }) =>
    requests.length === 0 ? "No requests." : requests.map(requestLine).join("\n"),
);

export const scenes = read(
  "/scenes",
  ({ scenes }: { scenes: { name: string; savedAt: string }[] }, screen) =>
    scenes.length === 0
      ? "No scenes. To save one: malipo scenes save <name>"
      : formatTable(screen, [
          ["name", "saved"],
          ...scenes.map(({ name, savedAt }) => [name, savedAt]),
        ]),
);

const pairs = (fields: object): string =>
  Object.entries(fields)
    .map(([name, value]) => `${name} ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(", ");

export const faults = read("/faults", formatFaults);

function formatFaults(
  { faults, chaos }: { faults: StoredFault[]; chaos?: object },
  screen: Screen,
): string {
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
    rows.length > 0 ? formatTable(screen, [head, ...rows]) : "No faults.",
    ...(chaos === undefined ? [] : [`Chaos:\n${formatFields(Object.entries(chaos))}`]),
  ].join("\n");
}

interface LoggedDelivery extends Delivery {
  readonly nextAttemptAt?: string;
  /** Why its last attempt failed, most likely. */
  readonly cause?: { readonly title: string; readonly advice: string };
}

interface DeliveryLog {
  readonly deliveries: readonly LoggedDelivery[];
  readonly total: number;
  readonly queues: readonly QueueLength[];
  /** The sandbox's time. */
  readonly now: string;
}

const HEAD = ["delivery", "event", "state", "attempts", "last response", "next attempt"];

export const deliveries = read(
  ({ flags: { state, payment, ...flags } }: Input<FlagsOf<typeof DELIVERIES>>) =>
    `/deliveries?${queryOf(flags, { state, payment })}`,
  formatDeliveries,
);

function formatDeliveries({ deliveries, total, queues, now }: DeliveryLog, screen: Screen): string {
  if (total === 0) {
    return "No deliveries. To receive them, register a receiver: malipo listen http://localhost:3000/webhooks";
  }
  // One receiver is said once, below the table.
  const receivers = new Set(deliveries.map(({ url }) => url));
  const isOne = receivers.size === 1;
  const rows = deliveries.map(({ id, event, state, attempts, nextAttemptAt, url, cause }) => [
    id,
    event,
    state,
    `${attempts.length}`,
    [responseOf(attempts.at(-1)), cause?.title].filter(Boolean).join(": "),
    // A delivery that was sent again by hand has a timer, too.
    state === "pending" && nextAttemptAt ? relativeTime(nextAttemptAt, Date.parse(now)) : "",
    ...(isOne ? [] : [url]),
  ]);
  const notes = queues.map(
    ({ url, pending, maxPending }) =>
      `${pending} pending for ${url} (the maximum is ${maxPending})`,
  );
  if (isOne) notes.unshift(`All to ${[...receivers].join()}`);
  if (deliveries.length < total) {
    notes.push(`${deliveries.length} of ${total} shown. To see more: --limit ${total}`);
  }
  const head = isOne ? HEAD : [...HEAD, "to"];
  return [formatTable(screen, [head, ...rows]), ...notes.map((note) => paint("dim", note))].join(
    "\n",
  );
}

export async function delivery(input: Input<SandboxUrl>): Promise<Output> {
  const [id = ""] = input.args;
  const origin = await findSandbox(input);
  const { deliveries } = await querySandbox<DeliveryLog>(origin, `/deliveries?limit=${MAX_LIMIT}`);
  const value = deliveries.find((one) => one.id === id);
  if (value === undefined) {
    throw usageError(`There is no delivery "${id}". To list them: malipo events list`);
  }
  const text = () => {
    const attempts = value.attempts.map((one) => [one.at, responseOf(one)]);
    return [
      formatFields([
        ...deliveryDetails(value),
        ["cause", value.cause?.title],
        ["what to do", value.cause?.advice],
        ["signature", value.signature],
      ]),
      ...(attempts.length === 0
        ? []
        : [formatTable(input.io.stdout, [["attempt", "response"], ...attempts])]),
      value.body,
    ].join("\n\n");
  };
  return { value, text };
}
