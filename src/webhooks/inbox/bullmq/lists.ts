import type { Job } from "bullmq";
import { asOwnEvent, partsOfConflictId } from "../delivery.ts";
import {
  conflictNotFound,
  deadLetterNotFound,
  doubleNotFound,
  waitingNotFound,
} from "../errors.ts";
import type {
  Conflict,
  DeadLetter,
  EventFilter,
  EventList,
  EventPosition,
  WaitingEvent,
  WaitingList,
  WithBody,
} from "../event-list.ts";
import { compareEvents, matchesFilter } from "../event-pages.ts";
import type { DoublePaymentList, StoredDoublePayment } from "../types.ts";
import { conflictHeader, deadLetterHeader } from "./ledger.ts";
import { attemptsOf } from "./processor.ts";
import type { InboxQueue } from "./queue.ts";
import {
  deliveryOf,
  failureOf,
  type StoredDeadLetter,
  type StoredEvent,
  storedEventIn,
} from "./records.ts";
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

/** An item that a person decides on, and its queue. */
interface Found<Content> {
  readonly id: string;
  readonly queue: InboxQueue;
  readonly content: Content;
}

/** A list over all queues. */
interface QueueLists<Item extends Conflict, Content> {
  readonly list: (queue: InboxQueue, filter: EventFilter) => Promise<Item[]>;
  readonly find: (queue: InboxQueue, id: string) => Promise<Content | undefined>;
  readonly show: (content: Content) => Omit<WithBody<Item>, "id">;
  readonly notFound: (id: string) => Error;
  readonly requeue: (found: Found<Content>) => Promise<void>;
  readonly drop: (found: Found<Content>) => Promise<void>;
}

function eventList<Item extends Conflict, Content>(
  open: Queues,
  { list, find, show, notFound, requeue, drop }: QueueLists<Item, Content>,
): EventList<Item> {
  const findAll = async (ids: readonly string[]) => {
    const queues = await open();
    const findOne = async (id: string): Promise<Found<Content>> => {
      const contents = await Promise.all(queues.map((queue) => find(queue, id)));
      const at = contents.findIndex((content) => content !== undefined);
      if (at < 0) throw notFound(id);
      return { id, queue: queues[at] as InboxQueue, content: contents[at] as Content };
    };
    return Promise.all(ids.map(findOne));
  };
  return {
    list: (filter) => listAll(open, filter, (queue) => list(queue, filter)),
    read: async (id) => {
      const [found] = await findAll([id]);
      return { id, ...show((found as Found<Content>).content) } as WithBody<Item>;
    },
    requeue: async (ids) => void (await Promise.all((await findAll(ids)).map(requeue))),
    drop: async (ids) => void (await Promise.all((await findAll(ids)).map(drop))),
  };
}

/** The dead letters. */
export const deadLetterList = (open: Queues): EventList<DeadLetter> =>
  eventList<DeadLetter, StoredDeadLetter>(open, {
    list: ({ ledger }, filter) => ledger.deadLetters.list(filter),
    find: ({ ledger }, id) => ledger.deadLetter(id),
    show: (content) => ({ ...deadLetterHeader(content), body: content.body }),
    notFound: deadLetterNotFound,
    requeue: async ({ id, queue, content }) => {
      const { attempts: _, error: __, ...stored } = content;
      await queue.ledger.reopen(id, content);
      await queue.accept(deliveryOf(id, stored));
      await queue.ledger.deadLetters.removeRequeued(id, queue.ledger.keys.event(id));
    },
    drop: ({ id, queue, content }) => queue.ledger.dropDeadLetter(id, content),
  });

/** The conflicts. */
export const conflictList = (open: Queues): EventList<Conflict> =>
  eventList<Conflict, StoredEvent>(open, {
    list: ({ ledger }, filter) => ledger.conflicts.list(filter),
    find: ({ ledger }, id) => ledger.conflict(id),
    show: (content) => ({ ...conflictHeader(content), body: content.body }),
    notFound: conflictNotFound,
    requeue: async ({ id, queue, content }) => {
      await queue.accept(asOwnEvent(deliveryOf(partsOfConflictId(id).key, content)));
      await queue.ledger.decide(id, content);
    },
    drop: ({ id, queue, content }) => queue.ledger.decide(id, content),
  });

/** An event whose job BullMQ has. `undefined` for a job that something else has added. */
function waitingEventIn(job: Job | undefined): WithBody<WaitingEvent> | undefined {
  const stored = storedEventIn(job?.data);
  if (job === undefined || stored === undefined) return undefined;
  const tried = { attempts: attemptsOf(job), error: failureOf(job) };
  return { id: job.id ?? "", ...deadLetterHeader({ ...stored, ...tried }), body: stored.body };
}

const WAITING_STATES = ["waiting", "prioritized", "delayed", "active"] as const;

/** The events that are not processed yet: the jobs of BullMQ. */
export const waitingList = (open: Queues): WaitingList => ({
  list: ({ isRetrying, ...filter }) =>
    listAll(open, filter, async (queue) => {
      const jobs = await (await queue.open()).getJobs([...WAITING_STATES]);
      const events = jobs.flatMap((job) => waitingEventIn(job) ?? []);
      return events
        .filter(({ error }) => !isRetrying || error !== "")
        .filter((event) => matchesFilter(event, filter))
        .map(({ body: _, ...event }) => event);
    }),
  read: async (id) => {
    for (const queue of await open()) {
      const bull = await queue.open();
      const event = waitingEventIn(await bull.getJob(id));
      if (event !== undefined) return event;
    }
    throw waitingNotFound(id);
  },
});

/** The double payments, beside the events of one queue. The header of a dropped pair stays. */
export const doublePaymentList = (
  open: () => Promise<ReviewList<StoredDoublePayment>>,
): DoublePaymentList => ({
  add: async (double) => (await open()).addOnce(double.id, double),
  list: async (filter) => (await open()).list({ ...filter, kind: undefined }),
  drop: async (ids) => {
    const list = await open();
    for (const id of ids) if (!(await list.has(id))) throw doubleNotFound(id);
    await list.hide(ids);
  },
});
