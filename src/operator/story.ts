import { ALIAS } from "../checkout/orders/payment-updates.ts";
import type { OrderEvent } from "../checkout/rules/history.ts";
import type { Payment } from "../contract/payment.ts";
import { isGatewayError } from "../errors/any.ts";
import { jsonText } from "../internal/json.ts";
import { partsOfConflictId } from "../webhooks/inbox/delivery.ts";
import { keysOfPayment } from "../webhooks/receiver/event-identity.ts";
import { inStaffWords } from "./case-words.ts";
import type { Entry, Sources } from "./entry.ts";
import { dataOf, withKnown } from "./event-entries.ts";
import { LISTS, MAX_ENTRIES } from "./queue-lists.ts";
import { messageOf } from "./wording.ts";

/** A line of the story of an order or a payment. */
interface StoryLine {
  readonly at: number;
  readonly text: string;
  readonly by?: string | undefined;
}

/** How many bodies are read to find events that have another identity than their payment. */
const READ_FOR_STORY = 25;

const EVENT_LISTS = ["failing", "conflicts", "dead", "tooOld"] as const;

/** Whether the id of an event says that it is of one of some payments. No body is read for it. */
export function idMatcher(references: readonly string[]): (list: string, id: string) => boolean {
  const keys = new Set(references.flatMap(keysOfPayment));
  return (list, id) => keys.has(list === "conflicts" ? partsOfConflictId(id).key : id);
}

/** What the inbox still has of some payments. `isWhole`: whether all of it was searched. */
async function eventsOf(
  sources: Sources,
  references: readonly string[],
): Promise<{ lines: StoryLine[]; isWhole: boolean }> {
  if (references.length === 0) return { lines: [], isWhole: true };
  const isTheirs = idMatcher(references);
  let isWhole = true;
  const pages = EVENT_LISTS.map(async (name) => {
    const page = await LISTS[name]?.read(sources, MAX_ENTRIES).catch(() => undefined);
    if (page === undefined || page.hasMore) isWhole = false;
    return (page?.entries ?? []).map((entry) => ({ name, entry }));
  });
  const events = (await Promise.all(pages)).flat();
  const found = events.filter(({ name, entry }) => isTheirs(name, entry.id));
  const others = events.filter(({ name, entry }) => !isTheirs(name, entry.id));
  // Those that `identify`, a merchant or a decision has given another identity.
  const { entries, unread } = await withKnown(
    sources,
    others.slice(0, READ_FOR_STORY).map(({ entry }) => entry),
  );
  if (unread > 0 || others.length > READ_FOR_STORY) isWhole = false;
  entries.forEach(({ known }, at) => {
    const other = others[at];
    const isFound = known?.references.some((one) => references.includes(one));
    if (other !== undefined && isFound) found.push(other);
  });
  const lines = found.map(({ name, entry: { at, cause } }) => ({
    at,
    text: `An event came that waits. ${LISTS[name]?.title}: ${cause}`,
  }));
  return { lines, isWhole };
}

const TIMES: readonly (readonly [field: string, text: string])[] = [
  ["created_at", "was made"],
  ["completed_at", "was completed"],
  ["failed_at", "failed"],
];

/** What the service says now of a payment. */
export interface ReadPayment {
  readonly reference: string;
  readonly payment?: Payment;
  /** Why it could not be read. */
  readonly error?: string;
}

async function readPayment({ gateway }: Sources, reference: string): Promise<ReadPayment> {
  if (reference.startsWith(ALIAS)) {
    return {
      reference,
      error: "It has no reference by which the payment service could be asked for it.",
    };
  }
  return gateway.payments.get(reference).then(
    (payment) => ({ reference, payment }),
    (error: unknown) => ({
      reference,
      error:
        isGatewayError(error) && error.code === "not_found"
          ? "The payment service has no such payment."
          : `The payment service could not be asked: ${messageOf(error)}`,
    }),
  );
}

const paymentLines = ({ reference, payment }: ReadPayment): StoryLine[] =>
  TIMES.flatMap(([field, text]) => {
    const at = Date.parse(String(payment?.[field] ?? ""));
    return Number.isNaN(at)
      ? []
      : { at, text: `The payment ${reference} ${text} at the payment service.` };
  });

/** Everything that is known of an order and of payments, in order of time. */
export interface Story {
  readonly lines: readonly StoryLine[];
  readonly payments: readonly ReadPayment[];
  readonly isWhole: boolean;
}

/** The payments of an order that are read for its story. */
const MAX_PAYMENTS = 10;

export async function storyOf(
  sources: Sources,
  {
    orderId,
    references,
    since,
    decisions = [],
  }: {
    orderId?: string | undefined;
    references: readonly string[];
    /** When a payment of no order became known. */
    since?: number | undefined;
    /** What was decided about that payment. */
    decisions?: readonly StoryLine[];
  },
): Promise<Story> {
  const history = orderId === undefined ? [] : ((await sources.checkout?.history(orderId)) ?? []);
  const [payments, events] = await Promise.all([
    Promise.all(references.slice(0, MAX_PAYMENTS).map((one) => readPayment(sources, one))),
    eventsOf(sources, references),
  ]);
  const lines: StoryLine[] = [
    ...history.map(({ at, text, by }: OrderEvent) => ({
      at: Date.parse(at),
      ...inStaffWords({ text, by }),
    })),
    ...payments.flatMap(paymentLines),
    ...events.lines,
    ...(since === undefined ? [] : [{ at: since, text: "The system learned of the payment." }]),
    ...decisions,
  ];
  // Stable: what has the same time stays in its order.
  lines.sort((a, b) => a.at - b.at);
  return { lines, payments, isWhole: events.isWhole };
}

/** Two versions of the data of an event, field by field. */
export interface Comparison {
  /** What stands on the left. */
  readonly first: string;
  readonly rows: readonly {
    readonly field: string;
    readonly first: string | undefined;
    readonly second: string | undefined;
    readonly differs: boolean;
  }[];
}

const text = (value: unknown): string | undefined =>
  value === undefined || typeof value === "string" ? value : jsonText(value);

/** Compares two versions, with what differs first. */
function compareVersions(
  first: Readonly<Record<string, unknown>>,
  second: Readonly<Record<string, unknown>>,
): Comparison["rows"] {
  const fields = [...new Set([...Object.keys(first), ...Object.keys(second)])];
  const rows = fields.map((field) => {
    const [a, b] = [text(first[field]), text(second[field])];
    return { field, first: a, second: b, differs: a !== b };
  });
  return rows.sort((a, b) => Number(b.differs) - Number(a.differs));
}

/** A conflict beside the version that was stored first; if that is processed, beside the payment itself. */
export async function comparisonOf(
  sources: Sources,
  { id, known }: Entry,
  body: string,
): Promise<Comparison | undefined> {
  const { receiver } = sources;
  const { key } = partsOfConflictId(id);
  const read = async (list: { read(id: string): Promise<{ body: string }> }) =>
    (await list.read(key).catch(() => undefined))?.body;
  const stored = (await read(receiver.waiting)) ?? (await read(receiver.deadLetters));
  if (stored !== undefined) {
    return { first: "First version", rows: compareVersions(dataOf(stored), dataOf(body)) };
  }
  const [reference] = known?.references ?? [];
  if (reference === undefined) return undefined;
  const { payment } = await readPayment(sources, reference);
  if (payment === undefined) return undefined;
  return {
    first: "At the payment service now (the first version is processed)",
    rows: compareVersions(payment, dataOf(body)),
  };
}
