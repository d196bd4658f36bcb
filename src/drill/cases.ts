import { nextRandom, seedRandom } from "../sandbox/state/random.ts";

/** What a customer does with the prompt. */
const CUSTOMERS = [
  "approves",
  "approves before the response",
  "cancels",
  "enters a wrong PIN",
  "does nothing",
] as const;

export type Customer = (typeof CUSTOMERS)[number];

/** A genuine success may follow a delivered failure: it does not contradict it. */
const PAYING: readonly Customer[] = ["approves", "approves before the response"];
/** A customer who has answered already leaves nothing to read. */
const READING = CUSTOMERS.filter((customer) => customer !== "approves before the response");
const BOTH: readonly Customer[] = ["approves", "cancels"];

/** What a moment belongs to: a request of the shop, or a webhook. */
const SUBJECTS = {
  start: {
    it: "the prompt request",
    before: "before the prompt was sent",
    middle: "after the prompt was sent, before the response",
    after: "after the response to the prompt request",
  },
  initiated: {
    it: "payment.initiated",
    before: "before payment.initiated arrived",
    middle: "after payment.initiated arrived, before its 200",
    after: "after its 200 to payment.initiated",
  },
  final: {
    it: "the final webhook",
    before: "before the final webhook arrived",
    middle: "after the final webhook arrived, before its 200",
    after: "after its 200 to the final webhook",
  },
  read: {
    it: "the first read of the payment",
    before: "before the service got the first read of the payment",
    middle: "during the first read of the payment, before the response",
    after: "after the response to the first read of the payment",
  },
} as const;

export type Subject = keyof typeof SUBJECTS;
export type When = "before" | "middle" | "after";

const REQUESTS = ["start", "read"] as const;
const DELIVERIES = ["initiated", "final"] as const;
const ALL = [...REQUESTS, ...DELIVERIES] as const;
const ALWAYS = ["before", "middle", "after"] as const;

/** A fault in one line. The text has `{it}` for the request or the webhook, or `{moment}`. */
type Row = readonly [
  kind: string,
  on: readonly Subject[],
  when: readonly When[],
  text: string,
  onlyWith?: readonly Customer[],
];

/** Every fault at every moment at which it can happen. */
// biome-ignore format: a fault a line
const FAULTS: readonly Row[] = [
  ["kill", ALL, ALWAYS, "shop killed {moment}"],
  ["stop", ALL, ALWAYS, "shop paused for 6 s {moment}"],
  ["reset", REQUESTS, ["before"], "{it} is lost"],
  ["reset", REQUESTS, ["middle"], "the response to {it} is lost"],
  ["truncate", REQUESTS, ["middle"], "the response to {it} breaks off"],
  ["slow", REQUESTS, ["before"], "the service is slow to act on {it}"],
  ["slow", REQUESTS, ["middle"], "the service acts on {it}, and is slow to respond"],
  ["500", REQUESTS, ["before"], "the service returns 500 to {it}"],
  ["500", REQUESTS, ["middle"], "the service acts on {it}, and returns 500"],
  ["429", REQUESTS, ["before"], "the service returns 429 to {it}, with Retry-After"],
  ["revoked", REQUESTS, ["before"], "the service returns 401 to {it}: the key is revoked"],
  ["never", DELIVERIES, ["before"], "{it} never arrives"],
  ["late", DELIVERIES, ["before"], "{it} arrives late, after the others"],
  ["lost200", DELIVERIES, ["middle"], "the shop's 200 to {it} is lost"],
  ["twice", DELIVERIES, ["before"], "{it} arrives twice at once"],
  ["again", DELIVERIES, ["after"], "{it} arrives once more at the end"],
  ["rewritten", ["final"], ["before"], "{it} has other white space and escapes"],
  ["conflict", ["final"], ["after"], "{it} is followed by one that contradicts it", PAYING],
  ["forged", ["final"], ["before"], "a webhook with a forged signature comes before {it}"],
  ["unsigned", ["final"], ["before"], "a webhook without a signature comes before {it}"],
  ["altered", ["final"], ["before"], "an altered webhook with an old signature comes before {it}"],
];

/** What services do beside failing. */
// biome-ignore format: a fault a line
const SERVICE: readonly Row[] = [
  ["422", ["start"], ["before"], "the service rejects {it} once, with 422", BOTH],
  ["amount", ["final"], ["before"], "{it} tells another amount than the list", PAYING],
  ["currency", ["final"], ["before"], "{it} tells another currency than the list", PAYING],
  ["status", ["final"], ["before"], "{it} says completed, and has the status failed", PAYING],
  ["lag", ["final"], ["before"], "the list says pending for 2 s after {it}", PAYING],
  ["paidAmount", ["final"], ["before"], "another amount is paid than the shop asked for", PAYING],
  ["away", ["start"], ["before", "middle"], "the service goes away for 100 seconds {moment}", BOTH],
];

/** Two processes of the shop: the other one gets the order, too, while the prompt request waits. */
// biome-ignore format: a fault a line
const PROCESSES: readonly Row[] = [
  ["look", ["start"], ["before"], "two processes look at the order during {it}", BOTH],
  ["look401", ["start"], ["before"], "two processes look at the order, and the service returns 401 to {it} once", BOTH],
  ["look422", ["start"], ["before"], "two processes look at the order, and the service returns 422 to {it} once", BOTH],
  ["look429", ["start"], ["before"], "two processes look at the order, and the service returns 429 to {it} once", BOTH],
  ["lookReset", ["start"], ["middle"], "two processes look at the order, and the response to {it} is lost", BOTH],
];

/** What goes wrong at which moment. */
export interface Fault {
  readonly kind: string;
  readonly subject: Subject;
  readonly when: When;
  readonly text: string;
}

/** What people do beside ordering once: the steps are in people.ts. */
export type Act =
  | "clicks"
  | "lastPiece"
  | "again"
  | "tabs"
  | "late"
  | "lateWhileWaiting"
  | "failedWhileWaiting"
  | "lateAfterPaying"
  | "phoneMeanwhile"
  | "phoneAfterPaying"
  | "amountMeanwhile"
  | "amountAfterFailure"
  | "foreignPhone"
  | "cancelOpen"
  | "cancelLate"
  | "cancelMeanwhile"
  | "cancelAsPaid"
  | "refund"
  | "refundAgain"
  | "cancelTwice"
  | "refundTwice"
  | "updateOpen"
  | "updateMeanwhile"
  | "part"
  | "partMeanwhile";

/** Those for which the shop needs a route. */
export type ManagingAct = Extract<Act, `${"cancel" | "refund" | "update" | "part"}${string}`>;

const FAILING: readonly Customer[] = ["cancels", "enters a wrong PIN"];

/** @see Act */
// biome-ignore format: an act a line
const PEOPLE: readonly (readonly [act: Act, text: string, first: readonly Customer[], rejected?: string])[] = [
  ["again", "the customer {acts}, then pays again", FAILING],
  ["tabs", "the customer {acts}, then pays again from two tabs at once", FAILING],
  ["late", "the customer {acts}, and the failed payment succeeds after all", FAILING],
  ["lateWhileWaiting", "the customer {acts}, then pays again, and the first attempt succeeds while the second waits", FAILING],
  ["lateAfterPaying", "the customer {acts}, then pays again, and then the first attempt succeeds, too", FAILING],
  ["phoneMeanwhile", "another customer sends the same order with another phone while the first one {acts}", BOTH],
  ["phoneAfterPaying", "another customer sends the same order with another phone after the first one {acts}", ["approves"]],
  ["amountMeanwhile", "another customer sends the same order with another amount while the first one {acts}", BOTH],
  ["amountAfterFailure", "another customer sends the same order with another amount after the first one {acts}", FAILING],
  ["again", "the service returns 401 to the prompt request once, and the customer pays again and {acts}", ["approves"], "revoked"],
  ["again", "the service returns 422 to the prompt request once, and the customer pays again and {acts}", ["approves"], "422"],
  ["again", "the service returns 429 to the prompt request once, and the customer pays again and {acts}", ["approves"], "429"],
];

/** Numbers never change, so these come after all others. @see Act */
const CLICKS = [["clicks", "the customer clicks twice on pay, and {acts}"]] as const;

/** Each is one of the customers who want the same last piece of a stock. */
const LAST_PIECE = "several customers order the last piece at once; this customer {acts}";
const RIVALS: readonly Customer[] = ["approves", "approves before the response", "approves"];

/** What becomes of an order beside being paid, if the shop has a route for it. Last, as all that is newer. @see Act */
// biome-ignore format: an act a line
const ROUTES: readonly (readonly [act: Act, text: string, first: readonly Customer[]])[] = [
  ["foreignPhone", "the customer types a phone number of another country, and {acts}", ["approves"]],
  ["cancelOpen", "the customer {acts}, the order is canceled, and an old page pays again", FAILING],
  ["cancelLate", "the customer {acts}, the order is canceled, and the failed payment succeeds after all", ["cancels"]],
  ["cancelMeanwhile", "the order is canceled while the phone rings, and the customer {acts}", BOTH],
  ["cancelAsPaid", "the order is canceled at the moment at which the customer {acts}", ["approves"]],
  ["refund", "the customer {acts}, the money is paid back, and payment.completed arrives once more", ["approves"]],
  ["refundAgain", "the customer {acts}, the money is paid back, and an old page sends the order again", ["approves"]],
  ["updateOpen", "the customer {acts}, the order grows, and the customer pays again", FAILING],
  ["updateMeanwhile", "the order grows while the phone rings, the customer {acts}, and pays again", BOTH],
  ["part", "the customer {acts}, pays a part by hand, and then pays again", ["cancels"]],
  ["partMeanwhile", "a part is paid by hand while the phone rings, the customer {acts}, and pays again", BOTH],
  ["cancelTwice", "the customer {acts}, two clicks cancel the order, and an old page pays again", ["cancels"]],
  ["refundTwice", "the customer {acts}, two clicks pay the money back, and an old page sends the order again", ["approves"]],
];

const FAILED_WHILE_WAITING =
  "the customer {acts}, then pays again, and payment.failed of the first attempt arrives once more while the second waits";

/** The first attempt fails, and its failure is told again. What it may have lost before is its response. @see Act */
// biome-ignore format: an act a line
const FAILED_ATTEMPTS: readonly (readonly [text: string, first: readonly Customer[], lost?: Half])[] = [
  [FAILED_WHILE_WAITING, FAILING],
  [`the response to the prompt request is lost, ${FAILED_WHILE_WAITING}`, ["cancels"], ["reset", "start", "middle"]],
];

/** Whether what is due changes in a case: the order grows, or a part of it is paid by hand. */
export const changesDue = ({ act }: DrillCase): boolean => /^(?:update|part)/.test(act ?? "none");

/** Whether people do more with the order of a case than pay it. */
export const isManaged = ({ act }: DrillCase): boolean =>
  /^(?:cancel|refund|update|part)/.test(act ?? "none");

type Half = readonly [kind: string, subject: Subject, when: When];

/** Faults that hide each other, and why a shop that survives each of them may not survive both. */
// biome-ignore format: a pair a line
const PAIRS: readonly (readonly [first: Half, second: Half, text: string, why: string, customers: readonly Customer[]])[] = [
  [["reset", "start", "middle"], ["silent", "initiated", "before"], "the response to the prompt request is lost, and so is every webhook",
    "only the list of payments knows of the prompt", PAYING.concat("cancels")],
  [["reset", "start", "middle"], ["late", "final", "before"], "the response to the prompt request is lost, and the final webhook is late",
    "a shop that takes a lost response for a failure is corrected after its customer has read it", BOTH],
  [["slow", "start", "middle"], ["silent", "initiated", "before"], "the response to the prompt request is slow, and every webhook is lost",
    "a timeout is taken for a failure, and nothing corrects it", BOTH],
  [["slow", "start", "middle"], ["twice", "final", "before"], "the response to the prompt request is slow, and the final webhook comes first, twice",
    "the payment ends before the shop knows its reference", ["approves before the response"]],
  [["500", "start", "middle"], ["silent", "initiated", "before"], "the service sends the prompt and returns 500, and every webhook is lost",
    "an error is taken for a rejection, and nothing corrects it", BOTH],
  [["kill", "start", "middle"], ["silent", "initiated", "before"], "shop killed after the prompt was sent, before the response, and every webhook is lost",
    "the shop has forgotten the prompt, and nothing reminds it", BOTH],
  [["kill", "start", "middle"], ["late", "final", "before"], "shop killed after the prompt was sent, before the response, and the final webhook is late",
    "a restart decides what became of the order before the webhook does", BOTH],
  [["slow", "start", "middle"], ["late", "final", "before"], "the response to the prompt request is slow, and the final webhook is late",
    "a shop that takes a timeout for a failure is corrected after its customer has read it", BOTH],
  [["500", "start", "middle"], ["late", "final", "before"], "the service sends the prompt and returns 500, and the final webhook is late",
    "a shop that takes a 500 for a failure is corrected after its customer has read it", BOTH],
];

/** The groups of cases, in order: a name for `--only`, and a title. */
export const GROUPS = {
  nothing: "Nothing goes wrong",
  prompt: "The request for the prompt",
  initiated: "The webhook payment.initiated",
  final: "The final webhook",
  read: "A read of the payment",
  service: "What services do",
  people: "What people do",
  processes: "Two processes",
  pairs: "Two faults at once",
  goods: "The goods of paid orders",
} as const;

export type Group = keyof typeof GROUPS;
/** The groups of a shop's cases: those of `--goods` have no shop. */
export const GROUP_NAMES = (Object.keys(GROUPS) as Group[]).filter((name) => name !== "goods");

/** One order, and what goes wrong with it. */
export interface DrillCase {
  readonly number: number;
  readonly group: Group;
  readonly customer: Customer;
  /** None, one, or two. */
  readonly faults: readonly Fault[];
  readonly act?: Act;
  readonly text: string;
  /** Why two faults belong together. */
  readonly why?: string;
  /** What usually breaks a promise in it, if the case alone tells. */
  readonly cause?: string;
  /** It ran with many others, while the shop was killed again and again. */
  readonly isRandom?: true;
}

/** The fault that stops the process, and so affects every order that is under way. */
export const processFault = ({ faults }: DrillCase): Fault | undefined => faults.find(isOfProcess);

export const isOfProcess = (fault: Fault | undefined): boolean =>
  fault?.kind === "kill" || fault?.kind === "stop";

export const hasKind = ({ faults }: DrillCase, ...kinds: readonly string[]): boolean =>
  faults.some(({ kind }) => kinds.includes(kind));

export const hasSubject = ({ faults }: DrillCase, subject: Subject): boolean =>
  faults.some((one) => one.subject === subject);

const describe = (text: string, subject: Subject, when: When) => {
  const { it, [when]: moment } = SUBJECTS[subject];
  return text.replace("{it}", it).replace("{moment}", moment);
};

/** Every case of a drill. The numbers are always the same: new cases come last. */
export function allCases(): DrillCase[] {
  const cases: DrillCase[] = [];
  type Rest = Pick<DrillCase, "group" | "text"> & Partial<DrillCase>;
  const add = (customers: readonly Customer[], { text, ...rest }: Rest) => {
    for (const customer of customers) {
      const number = cases.length + 1;
      const words = text.includes("{acts}") ? text : `${text}; the customer {acts}`;
      const full = words.replace("{acts}", customer).replace(/^./, (one) => one.toUpperCase());
      cases.push({ faults: [], ...rest, number, customer, text: full });
    }
  };
  const addRows = (rows: readonly Row[], group: Group, only?: Subject) => {
    for (const [kind, on, moments, words, customers = CUSTOMERS] of rows) {
      const subject = only ?? on[0] ?? "start";
      for (const when of on.includes(subject) ? moments : []) {
        const text = describe(words, subject, when);
        const faults = [{ kind, subject, when, text }];
        add(subject === "read" ? READING : customers, { group, text, faults });
      }
    }
  };
  add(CUSTOMERS, { group: "nothing", text: "nothing goes wrong" });
  for (const [subject, group] of GROUP_OF) addRows(FAULTS, group, subject);
  addRows(SERVICE, "service");
  for (const [act, text, customers, kind] of PEOPLE) {
    const faults = kind === undefined ? [] : [faultOf([kind, "start", "before"])];
    add(customers, { group: "people", text, act, faults });
  }
  addRows(PROCESSES, "processes");
  for (const [first, second, text, why, customers] of PAIRS) {
    add(customers, { group: "pairs", text, why, faults: [faultOf(first), faultOf(second)] });
  }
  for (const [act, text] of CLICKS) add(BOTH, { group: "people", text, act });
  add(RIVALS, { group: "people", text: LAST_PIECE, act: "lastPiece" });
  for (const [act, text, first] of ROUTES) add(first, { group: "people", text, act });
  for (const [text, first, lost] of FAILED_ATTEMPTS) {
    const faults = lost === undefined ? [] : [faultOf(lost)];
    add(first, { group: "people", text, act: "failedWhileWaiting", faults });
  }
  return cases;
}

const GROUP_OF = [
  ["start", "prompt"],
  ["initiated", "initiated"],
  ["final", "final"],
  // After the others: a shop that reads no payment has the same numbers for all of them.
  ["read", "read"],
] as const satisfies readonly (readonly [Subject, Group])[];

function faultOf([kind, subject, when]: Half): Fault {
  const row = [...FAULTS, ...SERVICE].find(
    ([one, on, moments]) => one === kind && on.includes(subject) && moments.includes(when),
  );
  return { kind, subject, when, text: describe(row?.[3] ?? "no webhook arrives", subject, when) };
}

/** Orders that run at once, each with a fault that its seed has chosen. */
export function randomCases(count: number, seed: string, seen: ReadonlySet<Subject>): DrillCase[] {
  const known = allCases();
  const groups: readonly Group[] = ["nothing", "prompt", "initiated", "final"];
  const possible = known.filter(
    (one) =>
      groups.includes(one.group) &&
      !processFault(one) &&
      one.faults.every(({ subject }) => seen.has(subject)),
  );
  const random = seedRandom(`drill ${seed}`);
  return Array.from({ length: count }, (_, index) => {
    const one = possible[Math.floor(nextRandom(random) * possible.length)] as DrillCase;
    return { ...one, number: known.length + 1 + index, isRandom: true };
  });
}
