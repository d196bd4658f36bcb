import { asOwnEvent, partsOfConflictId } from "../conflicts.ts";
import { conflictNotFound, deadLetterNotFound, doubleNotFound } from "../errors.ts";
import type { Conflict, DeadLetter, EventFilter, EventList, EventPosition } from "../event-list.ts";
import { compareEvents } from "../event-pages.ts";
import type { DoublePaymentList, StoredDoublePayment } from "../types.ts";
import type { InboxQueue } from "./inbox-queue.ts";
import { type RedisClient, runAll } from "./pipeline.ts";
import { ReviewList } from "./review-list.ts";
import { DECIDED, deliveryOf, type StoredEvent } from "./stored-event.ts";

/** All queues, as soon as they can be used. */
type Queues = () => Promise<readonly InboxQueue[]>;

/** The first items of all queues that match. */
async function listAll<Item extends EventPosition>(
  queues: readonly InboxQueue[],
  filter: EventFilter,
  list: (queue: InboxQueue) => Promise<Item[]>,
): Promise<Item[]> {
  const all = await Promise.all(queues.map(list));
  return all.flat().sort(compareEvents).slice(0, filter.limit);
}

/** An item that a person decides on, and its queue. */
interface Found<Content> {
  readonly id: string;
  readonly queue: InboxQueue;
  readonly content: Content;
}

/** The items with these ids. @throws `notFound` for an id that is not in the list. */
async function findAll<Content>(
  queues: readonly InboxQueue[],
  ids: readonly string[],
  find: (queue: InboxQueue, id: string) => Promise<Content | undefined>,
  notFound: (id: string) => Error,
): Promise<Found<Content>[]> {
  const findOne = async (id: string): Promise<Found<Content>> => {
    const places = await Promise.all(
      queues.map(async (queue) => ({ id, queue, content: await find(queue, id) })),
    );
    const found = places.find(({ content }) => content !== undefined);
    if (found === undefined) throw notFound(id);
    return found as Found<Content>;
  };
  return Promise.all(ids.map(findOne));
}

const eachOf = async <Item>(items: readonly Item[], act: (item: Item) => Promise<unknown>) => {
  await Promise.all(items.map(act));
};

/** The dead letters. */
export function deadLetterList(open: Queues): EventList<DeadLetter> {
  const find = async (ids: readonly string[]) =>
    findAll(await open(), ids, ({ ledger }, id) => ledger.deadLetter(id), deadLetterNotFound);
  return {
    list: async (filter) =>
      listAll(await open(), filter, ({ ledger }) => ledger.deadLetters.list(filter)),
    read: async (id) => {
      const [found] = await find([id]);
      const { event, body, attempts, error, receivedAt, signature } = (found as Found<never>)
        .content as DeadLetter & { body: string };
      return { id, event, body, attempts, error, receivedAt, signature };
    },
    requeue: async (ids) =>
      eachOf(await find(ids), async ({ id, queue, content }) => {
        const { attempts: _, error: __, ...stored } = content;
        await queue.ledger.reopen(id, content.digest, content);
        await queue.addJob(deliveryOf(id, stored));
        await queue.ledger.deadLetters.removeRequeued(id, queue.ledger.keys.event(id));
      }),
    drop: async (ids) =>
      eachOf(await find(ids), ({ id, queue, content }) => queue.ledger.dropDeadLetter(id, content)),
  };
}

/** The conflicts. */
export function conflictList(open: Queues): EventList<Conflict> {
  const find = async (ids: readonly string[]) =>
    findAll(await open(), ids, ({ ledger }, id) => ledger.conflict(id), conflictNotFound);
  const requeue = async ({ id, queue, content }: Found<StoredEvent>) => {
    const own = asOwnEvent(deliveryOf(partsOfConflictId(id).key, content));
    const { needsJob } = await queue.ledger.reopen(own.key, own.digest);
    if (needsJob) await queue.addJob(own);
    await queue.ledger.decide(id, content);
  };
  return {
    list: async (filter) =>
      listAll(await open(), filter, ({ ledger }) => ledger.conflicts.list(filter)),
    read: async (id) => {
      const [found] = await find([id]);
      const { event, body, receivedAt, signature } = (found as Found<StoredEvent>).content;
      return { id, event, body, receivedAt, signature };
    },
    requeue: async (ids) => eachOf(await find(ids), requeue),
    drop: async (ids) =>
      eachOf(await find(ids), ({ id, queue, content }) => queue.ledger.decide(id, content)),
  };
}

/** The double payments, beside the events of one queue. */
export function doublePaymentList(
  redis: RedisClient,
  open: () => Promise<InboxQueue>,
  retentionMs: number,
): DoublePaymentList {
  const place = async () => {
    const { keys } = (await open()).ledger;
    return { keys, list: new ReviewList<StoredDoublePayment>(redis, keys.doublePayments) };
  };
  return {
    add: async (double) => {
      const { keys, list } = await place();
      const key = keys.doublePayment(double.id);
      const pipeline = redis.pipeline().set(key, JSON.stringify(double), "NX").get(key);
      const [added, stored] = await runAll(pipeline);
      if (stored === DECIDED) return false;
      // Again, if a crash came in between.
      const writes = redis.pipeline();
      list.add(writes, double.id, JSON.parse(stored as string) as StoredDoublePayment);
      await runAll(writes);
      return added === "OK";
    },
    list: async ({ kind: _, ...filter }) => {
      const { list } = await place();
      return list.list({ ...filter, kind: undefined });
    },
    drop: async (ids) => {
      const { keys, list } = await place();
      for (const id of ids) if (!(await list.has(id))) throw doubleNotFound(id);
      for (const id of ids) {
        const writes = redis.multi();
        writes.set(keys.doublePayment(id), DECIDED, "PX", retentionMs);
        list.remove(writes, id);
        await runAll(writes);
      }
    },
  };
}
