import { nextRandom, seedRandom } from "../sandbox/state/random.ts";

/** What a customer does with the prompt. */
const CUSTOMERS = [
  "approves",
  "approves before the response",
  "cancels",
  "enters a wrong PIN",
  "does nothing",
] as const;

type Customer = (typeof CUSTOMERS)[number];

/** A genuine success may follow a delivered failure: it does not contradict it. */
const PAYING: readonly Customer[] = ["approves", "approves before the response"];
/** A customer who has answered already leaves nothing to read. */
const READING = CUSTOMERS.filter((customer) => customer !== "approves before the response");

/** What a moment belongs to: a request of the shop, or a delivery to it. */
const SUBJECTS = {
  start: { of: "request", name: "the request for the prompt" },
  initiated: { of: "delivery", name: "the delivery of payment.initiated" },
  final: { of: "delivery", name: "the delivery of the final event" },
  // Last: a shop that reads no payment has the same numbers for all other cases.
  read: { of: "request", name: "the first read of the payment" },
} as const;

export type Subject = keyof typeof SUBJECTS;
export type When = "before" | "middle" | "after";

/** A fault in one line: its kind, the moments at which it can happen, and its description. */
type Row = readonly [
  kind: string,
  on: readonly Subject[],
  when: readonly When[],
  text: string,
  onlyWith?: readonly Customer[],
];

const REQUESTS = ["start", "read"] as const;
const DELIVERIES = ["initiated", "final"] as const;
const ALL = [...REQUESTS, ...DELIVERIES] as const;
const ALWAYS = ["before", "middle", "after"] as const;

/** Every fault at every moment at which it can happen. */
// biome-ignore format: a fault a line
const FAULTS: readonly Row[] = [
  ["kill", ALL, ALWAYS, "the shop is killed"],
  ["stop", ALL, ALWAYS, "the shop is stopped for 6 s"],
  ["reset", REQUESTS, ["before"], "the request is lost"],
  ["reset", REQUESTS, ["middle"], "the response is lost"],
  ["truncate", REQUESTS, ["middle"], "the response breaks off"],
  ["slow", REQUESTS, ["before", "middle"], "the service is slow"],
  ["500", REQUESTS, ["before", "middle"], "the service returns 500"],
  ["429", REQUESTS, ["before"], "the service returns 429 with Retry-After"],
  ["revoked", REQUESTS, ["before"], "the key is revoked"],
  ["never", DELIVERIES, ["before"], "the delivery never arrives"],
  ["late", DELIVERIES, ["before"], "the delivery arrives late, after the others"],
  ["lost200", DELIVERIES, ["middle"], "the shop's response is lost"],
  ["twice", DELIVERIES, ["before"], "the delivery arrives twice at once"],
  ["again", DELIVERIES, ["after"], "an old delivery arrives once more at the end"],
  ["rewritten", ["final"], ["before"], "the body is written with other white space and escapes"],
  ["conflict", ["final"], ["after"], "an event that contradicts the first one follows", PAYING],
  ["forged", ["final"], ["before"], "an event with a forged signature comes first"],
  ["unsigned", ["final"], ["before"], "an event without a signature comes first"],
  ["altered", ["final"], ["before"], "an altered event with an old signature comes first"],
];

/** What goes wrong at which moment. */
export interface Fault {
  readonly kind: string;
  readonly subject: Subject;
  readonly when: When;
  readonly text: string;
}

/** Whether a fault stops the process, and so affects every order that is under way. */
export const isOfProcess = (fault: Fault | undefined): boolean =>
  fault?.kind === "kill" || fault?.kind === "stop";

const MOMENTS: Readonly<Record<"request" | "delivery", Readonly<Record<When, string>>>> = {
  request: {
    before: "before the service gets",
    middle: "after the service did what it says, and before the response to,",
    after: "after the response to",
  },
  delivery: { before: "before", middle: "before its 200 to", after: "after its 200 to" },
};

function describeFault(fault: Fault): string {
  const { kind, subject, when, text } = fault;
  const { of, name } = SUBJECTS[subject];
  if (isOfProcess(fault)) return `${text} ${MOMENTS[of][when]} ${name}`;
  const isDone = of === "request" && when === "middle" && kind !== "reset";
  return `${name}: ${text}${isDone ? ", after it was done" : ""}`;
}

/** One order and one fault. */
export interface DrillCase {
  readonly number: number;
  readonly customer: Customer;
  /** `undefined`: nothing goes wrong. */
  readonly fault?: Fault;
  readonly text: string;
  /** It ran with many others, while the shop was killed again and again. */
  readonly isRandom?: true;
}

/** Every case of a drill. The numbers are always the same. */
export function allCases(): DrillCase[] {
  const cases: DrillCase[] = [];
  const add = (text: string, customers: readonly Customer[], fault?: Fault) => {
    for (const customer of customers) {
      const number = cases.length + 1;
      const full = `${text}; the customer ${customer}`;
      cases.push({ number, customer, ...(fault && { fault }), text: full });
    }
  };
  add("nothing goes wrong", CUSTOMERS);
  for (const subject of Object.keys(SUBJECTS) as Subject[]) {
    for (const [kind, on, moments, text, customers = CUSTOMERS] of FAULTS) {
      for (const when of on.includes(subject) ? moments : []) {
        const fault = { kind, subject, when, text };
        add(describeFault(fault), subject === "read" ? READING : customers, fault);
      }
    }
  }
  return cases;
}

const WAVE_SIZE = 12;

/**
 * Groups cases that can run at the same time in one shop: faults of requests and deliveries side by
 * side; faults of the process only with others of the same moment.
 */
export function groupIntoWaves(cases: readonly DrillCase[]): DrillCase[][] {
  const waves: DrillCase[][] = [];
  const open = new Map<string, DrillCase[]>();
  for (const one of cases) {
    const { fault, customer } = one;
    const isSlow = fault?.kind === "slow";
    // A prompt that is ignored ends later: its final event cannot wait for those of the others.
    const isLate = fault?.subject === "final" && customer === "does nothing";
    const moment = `${fault?.kind} ${fault?.subject} ${fault?.when} ${isLate}`;
    const key = isOfProcess(fault) ? moment : isSlow ? "slow" : "others";
    const wave = open.get(key) ?? [];
    if (wave.length === 0) waves.push(wave);
    wave.push(one);
    open.set(key, wave.length < (isSlow ? 4 : 1) * WAVE_SIZE ? wave : []);
  }
  return waves;
}

/** Orders that run at once, each with a fault that its seed has chosen. */
export function randomCases(count: number, seed: string, seen: ReadonlySet<Subject>): DrillCase[] {
  const known = allCases();
  const possible = known.filter(
    ({ fault }) =>
      fault === undefined ||
      (!isOfProcess(fault) && fault.subject !== "read" && seen.has(fault.subject)),
  );
  const random = seedRandom(`drill ${seed}`);
  return Array.from({ length: count }, (_, index) => {
    const one = possible[Math.floor(nextRandom(random) * possible.length)] as DrillCase;
    return { ...one, number: known.length + 1 + index, isRandom: true };
  });
}
