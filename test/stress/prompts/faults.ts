import type { EndpointName } from "malipo";
import type { FaultEffect, FaultOptions } from "malipo/sandbox";
import { type Draws, drawsOf } from "./random.ts";

/** One way in which a request goes wrong. */
interface FaultRow {
  readonly name: string;
  readonly weight: number;
  readonly effect: (draws: Draws) => FaultEffect;
}

const status = (
  code: number,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
): FaultEffect => ({ kind: "status", status: code, body, headers });
const PAGE = "<html><body><h1>An unexpected error occurred</h1></body></html>";
const json = { "content-type": "application/json" };

/** Faults of the call that prompts. `latency` is at times longer than the shop waits. */
const PROMPT_FAULTS: readonly FaultRow[] = [
  { name: "reset", weight: 6, effect: () => ({ kind: "reset" }) },
  { name: "hang", weight: 4, effect: () => ({ kind: "hang" }) },
  { name: "500", weight: 4, effect: () => status(500) },
  { name: "502", weight: 3, effect: () => status(502, PAGE, { "content-type": "text/html" }) },
  { name: "503", weight: 3, effect: () => status(503, undefined, { "retry-after": "1" }) },
  { name: "504", weight: 3, effect: () => status(504, "") },
  { name: "408", weight: 2, effect: () => status(408) },
  { name: "422", weight: 3, effect: () => status(422) },
  { name: "429", weight: 6, effect: () => status(429, undefined, { "retry-after": "0" }) },
  { name: "200 refused", weight: 2, effect: () => status(200, { success: false, error: "no" }) },
  { name: "200 nonsense", weight: 3, effect: () => status(200, PAGE, json) },
  {
    name: "latency",
    weight: 8,
    effect: (draws) => ({ kind: "latency", ms: draws.pick([40, 150, 400, 1_200]) }),
  },
  { name: "lostResponse", weight: 9, effect: () => ({ kind: "lostResponse" }) },
  { name: "truncate", weight: 9, effect: () => ({ kind: "truncate" }) },
];

/** Faults of the reads that find out. */
const READ_FAULTS: readonly FaultRow[] = [
  { name: "reset", weight: 4, effect: () => ({ kind: "reset" }) },
  { name: "hang", weight: 2, effect: () => ({ kind: "hang" }) },
  { name: "404", weight: 3, effect: () => status(404) },
  { name: "429", weight: 3, effect: () => status(429, undefined, { "retry-after": "0" }) },
  { name: "500", weight: 3, effect: () => status(500) },
  { name: "503", weight: 2, effect: () => status(503, PAGE) },
  { name: "200 nonsense", weight: 2, effect: () => status(200, PAGE, json) },
  {
    name: "latency",
    weight: 4,
    effect: (draws) => ({ kind: "latency", ms: draws.pick([80, 500]) }),
  },
  { name: "truncate", weight: 4, effect: () => ({ kind: "truncate" }) },
  { name: "lostResponse", weight: 3, effect: () => ({ kind: "lostResponse" }) },
];

/** Which requests are touched: this share of the first so many for each payment. */
const TARGETS: readonly {
  readonly endpoint: EndpointName;
  readonly rows: readonly FaultRow[];
  readonly share: number;
  readonly perPayment: number;
  readonly besides: number;
}[] = [
  {
    endpoint: "mobileMoney.initiate",
    rows: PROMPT_FAULTS,
    share: 0.4,
    perPayment: 1.25,
    besides: 0,
  },
  { endpoint: "payments.get", rows: READ_FAULTS, share: 0.2, perPayment: 2, besides: 0 },
  // By pages, which a small shop has few of.
  { endpoint: "payments.list", rows: READ_FAULTS, share: 0.2, perPayment: 0.05, besides: 20 },
];

/** A fault, and what the table calls it. */
export interface PlannedFault {
  readonly endpoint: EndpointName;
  readonly name: string;
  readonly fault: FaultOptions;
}

/** Every fault of a campaign, in the order in which requests meet them: decided by the seed. */
export function planFaults(seed: string, payments: number): PlannedFault[] {
  return TARGETS.flatMap(({ endpoint, rows, share, perPayment, besides }) => {
    const draws = drawsOf(`${seed} faults of ${endpoint}`);
    const planned: PlannedFault[] = [];
    // A request that another fault ends is not counted by those behind it; latency ends none.
    let ended = 0;
    for (let request = 0; request < payments * perPayment + besides; request++) {
      if (!draws.chance(share)) continue;
      const row = draws.row(rows);
      const effect = row.effect(draws);
      const fault = { match: { endpoint }, effect, after: request - ended };
      planned.push({ endpoint, name: row.name, fault });
      if (effect.kind !== "latency") ended++;
    }
    return planned;
  });
}

/** How often each fault of an endpoint befell a request, of those that are not still to come. */
export function countFaults(
  planned: readonly PlannedFault[],
  remaining: readonly FaultOptions[],
): ReadonlyMap<EndpointName, ReadonlyMap<string, number>> {
  return new Map(
    TARGETS.map(({ endpoint, rows }) => {
      const mine = planned.filter((one) => one.endpoint === endpoint);
      // They befall requests in the order of the plan, so what is left is its end.
      const left = remaining.filter(({ match }) => match?.endpoint === endpoint).length;
      const applied = mine.slice(0, mine.length - left);
      const counts = rows.map(
        ({ name }) => [name, applied.filter((one) => one.name === name).length] as const,
      );
      return [endpoint, new Map(counts)];
    }),
  );
}
