import type { Gateway } from "../client/gateway.ts";
import type { UnknownAttempt } from "../client/unknown-outcomes/operations.ts";
import type { Payment } from "../contract/payment.ts";
import { isObject } from "../internal/is-object.ts";
import { type Html, html, type Part } from "../sandbox/page/html.ts";
import type { Conflict, EventPage, WaitingEvent, WithBody } from "../webhooks/inbox/event-list.ts";
import type { StoredDoublePayment } from "../webhooks/inbox/types.ts";
import type { WebhookReceiver } from "../webhooks/receiver/webhook-receiver.ts";

/** What the page reads from. */
export interface Sources {
  readonly receiver: WebhookReceiver;
  readonly gateway: Gateway;
}

/** What waits for a person, as the page shows it. */
export interface Item {
  readonly id: string;
  readonly receivedAt: number;
  readonly title: Part;
  readonly about: Part;
  /** Why it failed. Equal failures are shown together. */
  readonly error?: string;
  /** The names of the payment of an event. */
  readonly names?: readonly unknown[];
  /** The buttons of an item whose buttons are its own: what each says, and the id that it sends. */
  readonly choices?: readonly (readonly [text: string, id: string])[] | undefined;
}

interface ItemPage {
  readonly items: readonly Item[];
  readonly hasMore: boolean;
}

/** A list of the page. */
export interface ItemList {
  readonly title: string;
  readonly hint: Part;
  /** What the story of a payment calls its events. */
  readonly state?: string;
  read(sources: Sources): Promise<ItemPage>;
  /** What its buttons do, each with its text. */
  readonly actions?: Readonly<
    Record<
      string,
      readonly [text: string, (sources: Sources, ids: readonly string[]) => Promise<void>]
    >
  >;
}

/** How many items of a list one page shows. */
export const LIMIT = 500;

const time = (ms: number): Html => {
  const iso = new Date(ms).toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 19).replace("T", " ")} UTC</time>`;
};

const storyLink = (reference: unknown): Part =>
  typeof reference === "string" && reference !== ""
    ? html`<a href="?payment=${encodeURIComponent(reference)}">${reference}</a>`
    : "No reference";

const DECIMALS = { minimumFractionDigits: 2 };

/** `KES 1,500.00`. An amount that is not a number is shown unchanged. */
function amountOf({ amount = "", currency = "" }: Readonly<Record<string, unknown>>): string {
  const isNumber = /^\d+(\.\d+)?$/.test(String(amount));
  const text = isNumber ? Number(amount).toLocaleString("en", DECIMALS) : amount;
  return `${currency} ${text}`.trim();
}

function dataOf(body: string): Readonly<Record<string, unknown>> {
  try {
    const event: unknown = JSON.parse(body);
    return isObject(event) && isObject(event.data) ? event.data : {};
  } catch {
    return {};
  }
}

function eventItem(found: WithBody<Conflict & Partial<WaitingEvent>>): Item {
  const { id, event, receivedAt, attempts = 0, error = "", body } = found;
  const data = dataOf(body);
  const order = String(data.account_reference ?? "not named");
  const tried = attempts === 1 ? "1 attempt · " : `${attempts} attempts · `;
  return {
    id,
    receivedAt,
    title: html`<strong>${storyLink(data.reference)}</strong> ${amountOf(data)} <span class="tag">order ${order}</span>`,
    about: html`${event} · received ${time(receivedAt)} · ${attempts > 0 && tried}event <code>${id.slice(0, 12)}</code>`,
    error,
    names: [data.reference, String(data.payment_id)],
  };
}

/** Events with their data. One that was processed meanwhile is left out. */
async function readEvents<Event extends Conflict>(
  list: { read(id: string): Promise<WithBody<Event>> },
  page: Promise<EventPage<Event>>,
): Promise<ItemPage> {
  const events = await page;
  const found = await Promise.all(events.map(({ id }) => list.read(id).catch(() => undefined)));
  const items = found.filter((one) => one !== undefined).map(eventItem);
  return { items, hasMore: events.next !== undefined };
}

const doublePaymentItem = (double: StoredDoublePayment): Item => ({
  id: double.id,
  receivedAt: double.receivedAt,
  title: html`${double.references.map((one, index) => html`${index > 0 && " and "}<strong>${storyLink(one)}</strong>`)}`,
  about: html`the same ${double.by.replace("_", " ")} <code>${double.value}</code> · found ${time(double.receivedAt)}`,
});

const paymentText = (payment: Payment): Html =>
  html`${storyLink(payment.reference)} ${amountOf(payment)} ${payment.status} `;

function choicesOf({ attempt: found, payments }: UnknownAttempt): Item["choices"] {
  const { attempt, notSentFrom } = found;
  if (payments.length > 0) {
    return payments.map(({ reference }) => [`It made ${reference}`, `${attempt} ${reference}`]);
  }
  return notSentFrom.getTime() > Date.now() ? [] : [["It was not sent", `${attempt} not_sent`]];
}

const attemptItem = ({ attempt, payments }: UnknownAttempt): Item => ({
  id: attempt.idempotencyKey,
  receivedAt: attempt.begunAt.getTime(),
  title: html`<strong>${attempt.idempotencyKey}</strong> <span class="tag">${attempt.endpoint}</span>`,
  about: html`<p>Payments that match: ${payments.length > 0 ? payments.map(paymentText) : "none among the newest payments"}</p>begun ${time(attempt.begunAt.getTime())} · may be resolved as not sent from ${time(attempt.notSentFrom.getTime())}`,
  choices: choicesOf({ attempt, payments }),
});

const query = { limit: LIMIT };

/** Events that can be processed again or dropped. */
const eventsOf = (
  name: "deadLetters" | "conflicts",
  requeue: string,
): Pick<ItemList, "read" | "actions"> => ({
  read: ({ receiver }) => readEvents(receiver[name], receiver[name].list(query)),
  actions: {
    requeue: [requeue, ({ receiver }, ids) => receiver[name].requeue(ids)],
    drop: ["Drop", ({ receiver }, ids) => receiver[name].drop(ids)],
  },
});

/** What waits for a person, list by list. */
export const LISTS: Readonly<Record<string, ItemList>> = {
  failing: {
    title: "Failing now",
    hint: "The handler threw an error. These events are tried again automatically.",
    state: "the handler failed",
    read: ({ receiver: { waiting } }) =>
      readEvents(waiting, waiting.list({ ...query, isRetrying: true })),
  },
  deadLetters: {
    title: "Dead letters",
    hint: "All attempts failed. These events are not tried again.",
    state: "dead letter",
    ...eventsOf("deadLetters", "Process again"),
  },
  conflicts: {
    title: "Conflicts",
    hint: "The service sent an event a second time with other data. Compare it with the payment.",
    state: "conflict",
    ...eventsOf("conflicts", "Process as a new event"),
  },
  doublePayments: {
    title: "Double payments",
    hint: "Two payments of one order, or with one transaction. Refund one of them if the customer paid twice.",
    read: async ({ receiver }) => {
      const found = await receiver.doublePayments.list(query);
      return { items: found.map(doublePaymentItem), hasMore: found.next !== undefined };
    },
    actions: { drop: ["Done", ({ receiver }, ids) => receiver.doublePayments.drop(ids)] },
  },
  unknown: {
    title: "Unknown attempts",
    hint: html`It is not known whether these calls started a payment. By the command line: <code>npx malipo attempts resolve</code>`,
    read: async ({ gateway }) => {
      const found = await gateway.idempotency.unknownBeside(LIMIT);
      return { items: found.map(attemptItem), hasMore: found.length === LIMIT };
    },
    actions: {
      resolve: [
        "Resolve",
        ({ gateway }, [id = ""]) => {
          const [attempt = "", outcome = ""] = id.split(" ");
          return gateway.idempotency.decide(attempt, outcome);
        },
      ],
    },
  },
};
