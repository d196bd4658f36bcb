import type { Gateway } from "../client/gateway.ts";
import type { UnknownAttempt } from "../client/unknown-outcomes/operations.ts";
import type { Payment } from "../contract/payment.ts";
import { isObject } from "../internal/is-object.ts";
import type { Conflict, EventPage, WaitingEvent, WithBody } from "../webhooks/inbox/event-list.ts";
import type { InboxStats, StoredDoublePayment } from "../webhooks/inbox/types.ts";
import type { WebhookReceiver } from "../webhooks/receiver/webhook-receiver.ts";

/** What the page reads from. */
export interface Sources {
  readonly receiver: WebhookReceiver;
  readonly gateway: Gateway;
}

/** An event as a person recognises it. */
export interface Work extends WaitingEvent {
  readonly data: Readonly<Record<string, unknown>>;
}

/** The first items of a list, and whether there are more. */
export interface Part<Item> {
  readonly items: readonly Item[];
  readonly hasMore: boolean;
  /** Why the list could not be read; the other parts are shown nevertheless. */
  readonly error: string;
}

/** What the page shows at first. */
export interface State {
  readonly stats: InboxStats | undefined;
  readonly failing: Part<Work>;
  readonly deadLetters: Part<Work>;
  readonly conflicts: Part<Work>;
  readonly doublePayments: Part<StoredDoublePayment>;
  readonly unknown: Part<UnknownAttempt>;
}

/** How many items of a list one page shows. */
const LIMIT = 50;

async function part<Item>(read: () => Promise<Omit<Part<Item>, "error">>): Promise<Part<Item>> {
  try {
    return { ...(await read()), error: "" };
  } catch (error) {
    return { items: [], hasMore: false, error: String((error as Error)?.message ?? error) };
  }
}

function dataOf(body: string): Work["data"] {
  try {
    const event: unknown = JSON.parse(body);
    return isObject(event) && isObject(event.data) ? event.data : {};
  } catch {
    return {};
  }
}

/** The items of a page with their data. One that was processed meanwhile is left out. */
async function withData<Item extends Conflict>(
  page: EventPage<Item>,
  read: (id: string) => Promise<WithBody<Item>>,
): Promise<Omit<Part<Work>, "error">> {
  const found = await Promise.all(page.map(({ id }) => read(id).catch(() => undefined)));
  const items = found
    .filter((one) => one !== undefined)
    .map(({ body, ...item }) => ({ attempts: 0, error: "", ...item, data: dataOf(body) }));
  return { items, hasMore: page.next !== undefined };
}

/** Everything that waits for a person now. */
export async function readState({ receiver, gateway }: Sources): Promise<State> {
  const { waiting, deadLetters, conflicts, doublePayments } = receiver;
  const query = { limit: LIMIT };
  return {
    stats: await receiver.stats().catch(() => undefined),
    failing: await part(async () =>
      withData(await waiting.list({ ...query, isRetrying: true }), waiting.read),
    ),
    deadLetters: await part(async () => withData(await deadLetters.list(query), deadLetters.read)),
    conflicts: await part(async () => withData(await conflicts.list(query), conflicts.read)),
    doublePayments: await part(async () => {
      const items = await doublePayments.list(query);
      return { items, hasMore: items.next !== undefined };
    }),
    unknown: await part(async () => {
      const { items: payments } = await gateway.payments.list();
      const items = await gateway.idempotency.unknownBeside(payments, LIMIT);
      return { items, hasMore: items.length === LIMIT };
    }),
  };
}

/** One payment, and what the inbox still has of it, in order. */
export interface Story {
  readonly reference: string;
  readonly payment: Payment | undefined;
  readonly error: string;
  readonly events: readonly (Work & { readonly state: string })[];
}

const names = ({ data }: Work, reference: string) =>
  data.reference === reference || String(data.payment_id) === reference;

export async function readStory(sources: Sources, reference: string): Promise<Story> {
  const { failing, deadLetters, conflicts } = await readState(sources);
  const rows = [
    ["the handler failed", failing],
    ["dead letter", deadLetters],
    ["conflict", conflicts],
  ] as const;
  const events = rows.flatMap(([state, { items }]) =>
    items.filter((one) => names(one, reference)).map((one) => ({ ...one, state })),
  );
  const read = await part(async () => ({
    items: [await sources.gateway.payments.get(reference)],
    hasMore: false,
  }));
  return {
    reference,
    payment: read.items[0],
    error: read.error,
    events: events.sort((a, b) => a.receivedAt - b.receivedAt),
  };
}
