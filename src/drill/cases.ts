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

/** What a moment belongs to: a request of the shop, or a delivery to it. */
const SUBJECTS = {
  start: { kind: "request", name: "the request for the prompt" },
  read: { kind: "request", name: "the first read of the payment" },
  initiated: { kind: "delivery", name: "the delivery of payment.initiated" },
  final: { kind: "delivery", name: "the delivery of the final event" },
} as const;

export type Subject = keyof typeof SUBJECTS;
export type When = "before" | "middle" | "after";

/** What is done at a moment. */
export type Effect =
  | { readonly kind: "kill" | "stop" | "reset" | "truncate" | "slow" | "revoked" }
  | { readonly kind: "status"; readonly status: number; readonly retryAfter?: number }
  | { readonly kind: "never" | "late" | "lost200" | "twice" | "again" | "conflict" | "rewritten" }
  | { readonly kind: "forged" | "unsigned" | "altered" };

/** After a failure that was delivered, a genuine success is not a contradiction: it may come late. */
const PAYING: readonly Customer[] = ["approves", "approves before the response"];
const READING = CUSTOMERS.filter((customer) => customer !== "approves before the response");

/** A fault in one line: an effect, the moments at which it can happen, and how to say it. */
type Row = readonly [
  effect: Effect,
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
const ROWS: readonly Row[] = [
  [{ kind: "kill" }, ALL, ALWAYS, "the shop is killed"],
  [{ kind: "stop" }, ALL, ALWAYS, "the shop is stopped for 6 s"],
  [{ kind: "reset" }, REQUESTS, ["before"], "the request is lost"],
  [{ kind: "reset" }, REQUESTS, ["middle"], "the response is lost"],
  [{ kind: "truncate" }, REQUESTS, ["middle"], "the response breaks off"],
  [{ kind: "slow" }, REQUESTS, ["before", "middle"], "the service is slow"],
  [{ kind: "status", status: 500 }, REQUESTS, ["before", "middle"], "the service returns 500"],
  [{ kind: "status", status: 429, retryAfter: 1 }, REQUESTS, ["before"], "the service returns 429 with Retry-After"],
  [{ kind: "revoked" }, REQUESTS, ["before"], "the key is revoked"],
  [{ kind: "never" }, DELIVERIES, ["before"], "the delivery never arrives"],
  [{ kind: "late" }, DELIVERIES, ["before"], "the delivery arrives late, after the others"],
  [{ kind: "lost200" }, DELIVERIES, ["middle"], "the shop's response is lost"],
  [{ kind: "twice" }, DELIVERIES, ["before"], "the delivery arrives twice at once"],
  [{ kind: "again" }, DELIVERIES, ["after"], "an old delivery arrives once more at the end"],
  [{ kind: "rewritten" }, ["final"], ["before"], "the body is written with other white space and escapes"],
  [{ kind: "conflict" }, ["final"], ["after"], "an event that contradicts the first one follows", PAYING],
  [{ kind: "forged" }, ["final"], ["before"], "an event with a forged signature comes first"],
  [{ kind: "unsigned" }, ["final"], ["before"], "an event without a signature comes first"],
  [{ kind: "altered" }, ["final"], ["before"], "an altered event with an old signature comes first"],
];

const WHEN_TEXTS: Readonly<Record<"request" | "delivery", Readonly<Record<When, string>>>> = {
  request: {
    before: "before the service gets",
    middle: "after the service did what it says, and before the response to,",
    after: "after the response to",
  },
  delivery: { before: "before", middle: "before its 200 to", after: "after its 200 to" },
};

/** What goes wrong, and when: a fault of the process, or one of what passes between shop and service. */
function textOf(effect: Effect, text: string, subject: Subject, when: When): string {
  const { kind, name } = SUBJECTS[subject];
  if (effect.kind === "kill" || effect.kind === "stop") {
    return `${text} ${WHEN_TEXTS[kind][when]} ${name}`;
  }
  const isDone = kind === "request" && when === "middle" && effect.kind !== "reset";
  return `${name}: ${text}${isDone ? ", after it was done" : ""}`;
}

/** One order and one fault. */
export interface DrillCase {
  readonly number: number;
  readonly customer: Customer;
  /** `undefined`: nothing goes wrong. */
  readonly fault?: { readonly effect: Effect; readonly subject: Subject; readonly when: When };
  readonly text: string;
  /** It ran with many others, while the shop was killed again and again. */
  readonly isRandom?: true;
}

/** Every case of a drill. The numbers are always the same. */
export function allCases(): DrillCase[] {
  const cases: DrillCase[] = [];
  const add = (
    text: string,
    fault?: DrillCase["fault"],
    customers: readonly Customer[] = CUSTOMERS,
  ) => {
    for (const customer of customers) {
      const number = cases.length + 1;
      cases.push({
        number,
        customer,
        ...(fault && { fault }),
        text: `${text}; the customer ${customer}`,
      });
    }
  };
  add("nothing goes wrong");
  // The reads come last: a shop that reads no payment has the same numbers for all others.
  for (const subject of ["start", "initiated", "final", "read"] as const) {
    for (const [effect, on, moments, text, customers] of ROWS) {
      for (const when of on.includes(subject) ? moments : []) {
        // A customer who has answered already leaves nothing to read.
        const those = subject === "read" ? READING : customers;
        add(textOf(effect, text, subject, when), { effect, subject, when }, those);
      }
    }
  }
  return cases;
}

/** Whether a fault stops the process, and so every order that is under way. */
export const isOfProcess = ({ fault }: Pick<DrillCase, "fault">): boolean =>
  fault?.effect.kind === "kill" || fault?.effect.kind === "stop";

const WAVE_SIZE = 12;

/**
 * Groups cases that can run at the same time in one shop: faults of requests and deliveries side by
 * side; faults of the process only with others of the same moment.
 */
export function groupIntoWaves(cases: readonly DrillCase[]): DrillCase[][] {
  const groups = new Map<string, DrillCase[]>();
  for (const one of cases) {
    const { fault, customer } = one;
    const isSlow = fault?.effect.kind === "slow";
    // A prompt that is ignored ends later, so its final event cannot wait for those of the others.
    const turn = fault?.subject === "final" && customer === "does nothing" ? "later" : "";
    const key = isOfProcess(one)
      ? `${fault?.effect.kind} ${fault?.subject} ${fault?.when} ${turn}`
      : isSlow
        ? "slow"
        : "others";
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups.values()].flatMap((group) => {
    const size = isOfProcess(group[0] ?? {})
      ? group.length
      : WAVE_SIZE * (group[0]?.fault?.effect.kind === "slow" ? 4 : 1);
    return Array.from({ length: Math.ceil(group.length / size) }, (_, index) =>
      group.slice(index * size, (index + 1) * size),
    );
  });
}

/** Orders that run at once, each with a fault that its seed has chosen. */
export function randomCases(count: number, seed: string, seen: ReadonlySet<Subject>): DrillCase[] {
  const known = allCases();
  const possible = known.filter(
    (one) =>
      !isOfProcess(one) &&
      (one.fault === undefined || (one.fault.subject !== "read" && seen.has(one.fault.subject))),
  );
  const random = seedRandom(`drill ${seed}`);
  return Array.from({ length: count }, (_, index) => {
    const one = possible[Math.floor(nextRandom(random) * possible.length)] as DrillCase;
    return { ...one, number: known.length + 1 + index, isRandom: true };
  });
}
