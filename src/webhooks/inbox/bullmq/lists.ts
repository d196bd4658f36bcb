import type { Job, Queue } from "bullmq";
import { asOwnEvent, partsOfConflictId } from "../delivery.ts";
import { notFoundIn } from "../errors.ts";
import type {
  DeadLetter,
  EventFilter,
  EventList,
  EventPosition,
  WaitingEvent,
  WaitingList,
  WithBody,
} from "../event-list.ts";
import { compareEvents, pageOf } from "../event-pages.ts";
import type { DoublePaymentList, InboxStats, Lists, StoredDoublePayment } from "../inbox-types.ts";
import { includesKind, type Kinds, OTHER_QUEUE, queuesWith } from "../kinds.ts";
import { least, statsOf } from "../stats.ts";
import { attemptsOf } from "./processor.ts";
import type { InboxQueue } from "./queue.ts";
import { type RedisClient, runAll } from "./redis-connections.ts";
import {
  deliveryOf,
  failureOf,
  type Header,
  headerOf,
  retryAt,
  type StoredEvent,
  storedEventIn,
} from "./redis-layout.ts";
import type { ReviewList } from "./review-list.ts";

/** All queues, as soon as they can be used. */
type Queues = () => Promise<readonly InboxQueue[]>;

/** The first items of all queues that match. */
async function listAll<Item extends EventPosition>(
  open: Queues,
  { limit }: EventFilter,
  list: (queue: InboxQueue) => Promise<Item[]>,
): Promise<Item[]> {
  const all = await Promise.all((await open()).map(list));
  return all.flat().sort(compareEvents).slice(0, limit);
}

/** An event that a person decides on, and its queue. */
interface Found {
  readonly id: string;
  readonly queue: InboxQueue;
  readonly content: StoredEvent;
}

/** A list over all queues. @param requeue - What requeues one of its events. */
function eventList(
  open: Queues,
  name: "deadLetters" | "conflicts",
  requeue: (found: Found) => Promise<void>,
): EventList<Header & { readonly id: string }> {
  const find = async (id: string): Promise<Found> => {
    const queues = await open();
    const contents = await Promise.all(queues.map(({ ledger }) => ledger.find(name, id)));
    const at = contents.findIndex((content) => content !== undefined);
    if (at < 0) throw notFoundIn(name, id);
    return { id, queue: queues[at] as InboxQueue, content: contents[at] as StoredEvent };
  };
  /** All of them are found before one of them is changed. */
  const forAll = async (ids: readonly string[], change: (found: Found) => Promise<void>) => {
    const all = await Promise.all(ids.map(find));
    await Promise.all(all.map(change));
  };
  return {
    list: (filter) => listAll(open, filter, ({ ledger }) => ledger[name].list(filter)),
    read: async (id) => {
      const { content } = await find(id);
      return { id, ...headerOf(content), body: content.body };
    },
    requeue: (ids) => forAll(ids, requeue),
    drop: (ids) => forAll(ids, ({ id, queue, content }) => queue.ledger.decide(name, id, content)),
  };
}

async function requeueDeadLetter({ id, queue, content }: Found): Promise<void> {
  await queue.ledger.reopen(id, content);
  await queue.accept(deliveryOf(id, content));
  await queue.ledger.deadLetters.removeRequeued(id, queue.ledger.keys.event(id));
}

async function requeueConflict({ id, queue, content }: Found): Promise<void> {
  await queue.accept(asOwnEvent(deliveryOf(partsOfConflictId(id).key, content)));
  await queue.ledger.decide("conflicts", id, content);
}

/** An event whose job BullMQ has. `undefined` for a job that something else has added. */
function waitingEventIn(job: Job | undefined): WithBody<WaitingEvent> | undefined {
  const stored = storedEventIn(job?.data);
  if (job === undefined || stored === undefined) return undefined;
  const tried = { attempts: attemptsOf(job), error: failureOf(job) };
  return { id: job.id ?? "", ...headerOf(stored), ...tried, body: stored.body };
}

const WAITING_STATES = ["waiting", "prioritized", "delayed", "active"] as const;

/** The events that are not processed yet: the jobs of BullMQ. */
const waitingList = (open: Queues): WaitingList => ({
  list: ({ isRetrying, ...filter }) =>
    listAll(open, filter, async (queue) => {
      const jobs = await (await queue.open()).getJobs([...WAITING_STATES]);
      const events = jobs.flatMap((job) => waitingEventIn(job) ?? []);
      const wanted = events.filter(({ error }) => !isRetrying || error !== "");
      return pageOf(wanted, filter).map(({ body: _, ...event }) => event);
    }),
  read: async (id) => {
    for (const queue of await open()) {
      const bull = await queue.open();
      const event = waitingEventIn(await bull.getJob(id));
      if (event !== undefined) return event;
    }
    throw notFoundIn("waiting", id);
  },
});

/** The double payments, beside the events of one queue. The header of a dropped pair stays. */
const doublePaymentList = (
  open: () => Promise<ReviewList<StoredDoublePayment>>,
): DoublePaymentList => ({
  add: async (double) => (await open()).addOnce(double.id, double),
  list: async (filter) => (await open()).list(filter),
  drop: async (ids) => {
    const list = await open();
    for (const id of ids) if (!(await list.has(id))) throw notFoundIn("doublePayments", id);
    await list.hide(ids);
  },
});

/** The lists of what waits for a person. */
export const listsOf = (
  open: Queues,
  doubles: () => Promise<ReviewList<StoredDoublePayment>>,
): Lists => ({
  // Each of them is stored with its attempts and its error.
  deadLetters: eventList(open, "deadLetters", requeueDeadLetter) as EventList<DeadLetter>,
  conflicts: eventList(open, "conflicts", requeueConflict),
  waiting: waitingList(open),
  doublePayments: doublePaymentList(doubles),
});

/**
 * How many jobs of a queue could be processed now. Each worker that asked for a job has moved those there
 * whose wait was over.
 */
export const dueJobs = (queue: Queue): Promise<number> =>
  queue.getJobCountByTypes("waiting", "prioritized");

/** How many events are looked at one by one. */
const MAX_LOOKED_AT = 1_000;

/** No kind has this name. */
const UNHANDLED = "";

/** How many of the first events that wait in the queue of all other kinds have another kind than these. */
async function countUnhandled(queue: InboxQueue, kinds: Kinds): Promise<number> {
  if (queue.kind !== OTHER_QUEUE || kinds === undefined) return 0;
  const bull = await queue.open();
  const jobs = await bull.getJobs(["waiting", "prioritized", "delayed"], 0, MAX_LOOKED_AT - 1);
  return jobs.filter((job) => job !== undefined && !includesKind(kinds, job.name)).length;
}

async function queueCounts(
  redis: RedisClient,
  inboxQueue: InboxQueue,
  now: number,
  own: readonly string[],
  kinds: Kinds,
) {
  const queue = await inboxQueue.open();
  const { retrying, deadLetters, conflicts } = inboxQueue.ledger.keys;
  const listed = redis.pipeline().zcard(retrying).zcard(deadLetters).zcard(conflicts);
  listed.zrange(retrying, "0", "0", "WITHSCORES");
  const [counts, [head], [retries, dead, open, first]] = await Promise.all([
    queue.getJobCounts("waiting", "prioritized", "delayed", "active"),
    queue.getJobs(["waiting"], 0, 0, true),
    runAll(listed),
  ]);
  const oldestRetrying = (first as string[])[1] ?? null;
  const isOwn = own.includes(inboxQueue.kind);
  const unhandled = isOwn ? await countUnhandled(inboxQueue, kinds) : 0;
  const handled = {
    kind: isOwn ? inboxQueue.kind : UNHANDLED,
    count: -unhandled + Object.values(counts).reduce((sum, count) => sum + count, 0),
    running: counts.active,
    retrying: retries,
    oldest: least([oldestRetrying, storedEventIn(head?.data)?.receivedAt ?? null]),
    oldest_retrying: oldestRetrying,
    lag_ms: head === undefined ? 0 : Math.floor(now - Math.max(head.timestamp, retryAt(head))),
    dead,
    conflicts: open,
  };
  const none = { running: 0, retrying: 0, oldest: null, oldest_retrying: null, lag_ms: 0 };
  const others = { ...none, kind: UNHANDLED, count: unhandled, dead: 0, conflicts: 0 };
  return [handled, others];
}

/** What the queues hold together. @param kinds - Those that this process works on. */
export async function inboxStats(
  redis: RedisClient,
  queues: readonly InboxQueue[],
  now: number,
  kinds: Kinds,
): Promise<InboxStats> {
  const own = queuesWith(kinds);
  const counts = (queue: InboxQueue) => queueCounts(redis, queue, now, own, kinds);
  const all = (await Promise.all(queues.map(counts))).flat();
  return statsOf(all, (kind) => kind !== UNHANDLED, all);
}
