import type { CountryCode } from "../contract/countries.ts";
import { isObject } from "../internal/is-object.ts";
import { maskPhones } from "../internal/phone-digits.ts";
import { internationalDigits } from "../phones/phone-number.ts";
import type {
  EventPage,
  EventQuery,
  WaitingEvent,
  WithBody,
} from "../webhooks/inbox/event-list.ts";
import {
  type Choice,
  countryOf,
  type Entries,
  type Entry,
  type KnownOfEntry,
  type Sources,
} from "./entry.ts";
import { amountText, phoneText, plural } from "./wording.ts";

type ListedEvent = Pick<WaitingEvent, "id" | "event" | "receivedAt"> & Partial<WaitingEvent>;

interface EventSource {
  list(query: EventQuery): Promise<EventPage<ListedEvent>>;
  read(id: string): Promise<WithBody<ListedEvent>>;
}

/** Lists that a person decides about. */
interface Decidable extends EventSource {
  requeue(ids: readonly string[]): Promise<void>;
  drop(ids: readonly string[]): Promise<void>;
}

/** How many bytes of bodies are read for one page. A service may send events of any size. */
export const MAX_BODY_BYTES = 4 * 1_048_576;
/** How many bodies are read at once. The last ones that are read may exceed the limit. */
const READ_AT_ONCE = 4;
const PAGE = 1_000;
/** How many events one call takes. */
const BATCH = 500;

/** The `data` of an event; empty if the body is no event. */
export function dataOf(body: string): Readonly<Record<string, unknown>> {
  try {
    const event: unknown = JSON.parse(body);
    return isObject(event) && isObject(event.data) ? event.data : {};
  } catch {
    return {};
  }
}

/** The network's code, which the customer has in his message. */
export function codeOf({
  transaction_id,
  provider_transaction_id,
}: Readonly<Record<string, unknown>>): string | undefined {
  const code = transaction_id ?? provider_transaction_id;
  return typeof code === "string" && code !== "" ? maskPhones(code) : undefined;
}

/** What a payment, or the data of an event, says for a row. */
export function knownOf(
  data: Readonly<Record<string, unknown>>,
  country: CountryCode | undefined,
): KnownOfEntry {
  const { account_reference, amount, currency, phone, reference, payment_id } = data;
  const code = codeOf(data);
  const names = [reference, payment_id].filter((one) => one !== undefined && one !== "");
  const label = String(account_reference ?? "");
  // Some banks put the phone of the payer in the place of a label.
  const isLabel = label !== "" && internationalDigits(label, country) === undefined;
  return {
    order: isLabel ? label : undefined,
    amount: amount === undefined ? undefined : amountText(amount, currency),
    code,
    ...(code !== undefined && { transactionIds: [code] }),
    phone: phoneText(phone, country),
    phoneDigits: internationalDigits(String(phone ?? ""), country),
    references: names.slice(0, 1).map(String),
  };
}

async function inBatches(
  ids: readonly string[],
  run: (ids: readonly string[]) => Promise<void>,
): Promise<void> {
  for (let at = 0; at < ids.length; at += BATCH) await run(ids.slice(at, at + BATCH));
}

const requeueing = (list: Decidable, label: string): Choice => ({
  action: "requeue",
  label,
  says: (count) => `${plural(count, "event")} will be processed by your handler, as new.`,
  done: (count) => `${plural(count, "event")} will be processed again.`,
  run: (ids) => inBatches(ids, (some) => list.requeue(some)),
});

const dropping = (list: Decidable): Choice => ({
  action: "drop",
  label: "Drop",
  says: (count) =>
    `${plural(count, "event")} will be taken off the list without being processed, and the data deleted.`,
  done: (count) => `${plural(count, "event")} dropped.`,
  isDestructive: true,
  run: (ids) => inBatches(ids, (some) => list.drop(some)),
});

/** The error of a handler may name a phone. */
const firstLine = (error: string): string => maskPhones(error.split("\n")[0] ?? "");

interface Kind {
  source(sources: Sources): EventSource;
  choices(sources: Sources): readonly Choice[];
  cause(event: ListedEvent): string;
  includes?(event: ListedEvent): boolean;
}

const isRetrying = { isRetrying: true };

const KINDS = {
  failing: {
    source: ({ receiver: { waiting } }) => ({
      list: (query) => waiting.list({ ...query, ...isRetrying }),
      read: (id) => waiting.read(id),
    }),
    choices: () => [],
    cause: ({ error = "" }) => firstLine(error),
  },
  conflicts: {
    source: ({ receiver }) => receiver.conflicts,
    choices: ({ receiver: { conflicts } }) => [
      requeueing(conflicts, "Process as a new event"),
      dropping(conflicts),
    ],
    cause: () => "The same event came a second time with other data.",
  },
  tooOld: {
    source: ({ receiver }) => receiver.deadLetters,
    choices: ({ receiver: { deadLetters } }) => [
      dropping(deadLetters),
      requeueing(deadLetters, "Process"),
    ],
    cause: ({ error = "" }) => firstLine(error),
    includes: ({ attempts = 0 }) => attempts === 0,
  },
  dead: {
    source: ({ receiver }) => receiver.deadLetters,
    choices: ({ receiver: { deadLetters } }) => [
      requeueing(deadLetters, "Process again"),
      dropping(deadLetters),
    ],
    cause: ({ error = "" }) => firstLine(error),
    includes: ({ attempts = 0 }) => attempts > 0,
  },
} as const satisfies Readonly<Record<string, Kind>>;

export type EventKindName = keyof typeof KINDS;

function entryOf(kind: Kind, sources: Sources, event: ListedEvent): Entry {
  const { id, receivedAt, attempts = 0, event: name } = event;
  return {
    id,
    at: receivedAt,
    cause: kind.cause(event),
    notes: [
      `Event: ${name}`,
      ...(attempts > 0 ? [`Attempts: ${attempts}`] : []),
      ...(event.error ? [`Error: ${event.error}`] : []),
    ],
    readBody: async () => (await kind.source(sources).read(id)).body,
    choices: kind.choices(sources),
  };
}

/** The events of a list, the oldest first, without their bodies. */
export async function listEvents(
  name: EventKindName,
  sources: Sources,
  limit: number,
): Promise<Entries> {
  const kind: Kind = KINDS[name];
  const entries: Entry[] = [];
  for (let after: string | undefined; ; ) {
    const page = await kind.source(sources).list({ after, limit: Math.min(limit, PAGE) });
    const own = page.filter((one) => kind.includes?.(one) ?? true);
    for (const one of own) entries.push(entryOf(kind, sources, one));
    after = page.next;
    if (after === undefined) return { entries, hasMore: false };
    if (entries.length >= limit) return { entries: entries.slice(0, limit), hasMore: true };
  }
}

/** One event of a list. Rejects if it is not in the list. */
export async function findEvent(name: EventKindName, sources: Sources, id: string): Promise<Entry> {
  const kind: Kind = KINDS[name];
  const { body, ...event } = await kind.source(sources).read(id);
  return {
    ...entryOf(kind, sources, event),
    known: knownOf(dataOf(body), countryOf(sources)),
    readBody: async () => body,
  };
}

/** Entries with what the bodies of their events say, as far as the limit of bytes goes. */
export async function withKnown(
  sources: Sources,
  entries: readonly Entry[],
): Promise<{ readonly entries: readonly Entry[]; readonly unread: number }> {
  const read: Entry[] = [];
  let bytes = 0;
  let unread = 0;
  for (let at = 0; at < entries.length; at += READ_AT_ONCE) {
    const next = entries.slice(at, at + READ_AT_ONCE).map(async (one) => {
      if (one.known !== undefined || one.readBody === undefined) return one;
      if (bytes >= MAX_BODY_BYTES) {
        unread++;
        return one;
      }
      // One that was processed meanwhile is shown without its data.
      const body = await one.readBody().catch(() => "");
      bytes += body.length;
      return { ...one, known: knownOf(dataOf(body), countryOf(sources)) };
    });
    read.push(...(await Promise.all(next)));
  }
  return { entries: read, unread };
}
