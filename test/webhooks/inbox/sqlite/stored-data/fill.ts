import type { NewDelivery, StoredDoublePayment } from "malipo/types";
import type { Inbox } from "malipo/webhooks";
import { newDelivery } from "../../../../suites/inbox-stage.ts";

// In 2096, so that no test forgets it.
const RECEIVED_AT = 4_000_000_000_000;

const delivery = (number: number, given: Partial<NewDelivery> = {}) =>
  newDelivery(number, { receivedAt: RECEIVED_AT, signedAt: RECEIVED_AT - 1_000, ...given });

const digestOf = (number: number) => newDelivery(number).digest;

/** One record of each kind. */
export const ALL = {
  waiting: delivery(1, {
    source: "read",
    traceContext: { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" },
  }),
  /** Of a kind that no version knew when it was stored. */
  newKind: delivery(4, { event: "payment.reversed" }),
  done: delivery(2),
  dead: delivery(3, { event: "refund.created", deadLetterReason: "too old" }),
  open: delivery(1, { digest: digestOf(11), event: "invoice.paid" }),
  requeued: delivery(1, { digest: digestOf(12) }),
  dropped: delivery(1, { digest: digestOf(13), signedAt: undefined }),
  double: {
    id: "pair-1",
    by: "transaction_id",
    value: "SGL31H4X9K",
    references: ["PAY-1", "PAY-2"],
    merchant: "duka",
    receivedAt: RECEIVED_AT,
  } satisfies StoredDoublePayment,
} as const;

/** Stores all of them. */
export async function fill(inbox: Inbox): Promise<void> {
  await inbox.accept(ALL.done);
  await inbox.drain?.(
    { run: async () => {}, concurrency: 1, onError: () => {} },
    { timeoutMs: 10_000, limit: 10 },
  );
  const idOf = (one: NewDelivery) => `${one.key}-${one.digest}`;
  for (const one of [ALL.waiting, ALL.dead, ALL.open, ALL.requeued, ALL.dropped, ALL.newKind]) {
    await inbox.accept(one);
  }
  await inbox.conflicts?.requeue([idOf(ALL.requeued)]);
  await inbox.conflicts?.drop([idOf(ALL.dropped)]);
  await inbox.doublePayments?.add(ALL.double);
}
