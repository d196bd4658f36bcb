import type { FaultEffect, FaultOptions } from "malipo/sandbox";
import type { EndpointName } from "malipo/types";
import { createRandom, type Random } from "../random.ts";

/** One kind of fault. */
interface FaultRow {
  readonly name: string;
  readonly weight: number;
  readonly effect: (random: Random) => FaultEffect;
}

const status = (
  code: number,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
): FaultEffect => ({ kind: "status", status: code, body, headers });
const PAGE = "<html><body><h1>An unexpected error occurred</h1></body></html>";
const json = { "content-type": "application/json" };

/** Faults of the call that sends a prompt. `latency` is sometimes longer than the shop's timeout. */
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
  { name: "200 rejected", weight: 2, effect: () => status(200, { success: false, error: "no" }) },
  { name: "200 nonsense", weight: 3, effect: () => status(200, PAGE, json) },
  {
    name: "latency",
    weight: 8,
    effect: (random) => ({ kind: "latency", ms: random.pick([40, 150, 400, 1_200]) }),
  },
  { name: "lostResponse", weight: 9, effect: () => ({ kind: "lostResponse" }) },
  { name: "truncate", weight: 9, effect: () => ({ kind: "truncate" }) },
];

/** Faults of reads. */
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
    effect: (random) => ({ kind: "latency", ms: random.pick([80, 500]) }),
  },
  { name: "truncate", weight: 4, effect: () => ({ kind: "truncate" }) },
  { name: "lostResponse", weight: 3, effect: () => ({ kind: "lostResponse" }) },
];

/** Which requests get a fault: `share` of the first `perPayment` requests for each payment. */
const TARGETS: readonly {
  readonly endpoint: EndpointName;
  readonly rows: readonly FaultRow[];
  readonly share: number;
  readonly perPayment: number;
  readonly extraRequests: number;
}[] = [
  {
    endpoint: "mobileMoney.initiate",
    rows: PROMPT_FAULTS,
    share: 0.4,
    perPayment: 1.25,
    extraRequests: 0,
  },
  { endpoint: "payments.get", rows: READ_FAULTS, share: 0.2, perPayment: 2, extraRequests: 0 },
  // A list has few pages in a small campaign.
  { endpoint: "payments.list", rows: READ_FAULTS, share: 0.2, perPayment: 0.05, extraRequests: 20 },
];

/** A fault, and its name in the table. */
export interface PlannedFault {
  readonly endpoint: EndpointName;
  readonly name: string;
  readonly fault: FaultOptions;
}

/** Every fault of a campaign, in the order in which requests meet them. The seed decides all. */
export function planFaults(seed: string, payments: number): PlannedFault[] {
  return TARGETS.flatMap(({ endpoint, rows, share, perPayment, extraRequests }) => {
    const random = createRandom(`${seed} faults of ${endpoint}`);
    const planned: PlannedFault[] = [];
    // A later fault does not count a request that an earlier one ended. Latency ends none.
    let ended = 0;
    for (let request = 0; request < payments * perPayment + extraRequests; request++) {
      if (!random.chance(share)) continue;
      const row = random.weighted(rows);
      const effect = row.effect(random);
      const fault = { match: { endpoint }, effect, after: request - ended };
      planned.push({ endpoint, name: row.name, fault });
      if (effect.kind !== "latency") ended++;
    }
    return planned;
  });
}

/** The faults that have hit a request. They do so in the order of the plan: those still to come are its end. */
export const faultsMet = (
  planned: readonly PlannedFault[],
  remaining: readonly FaultOptions[],
): PlannedFault[] =>
  TARGETS.flatMap(({ endpoint }) => {
    const ofEndpoint = planned.filter((one) => one.endpoint === endpoint);
    const left = remaining.filter(({ match }) => match?.endpoint === endpoint).length;
    return ofEndpoint.slice(0, ofEndpoint.length - left);
  });
