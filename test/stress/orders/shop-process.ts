// A process of the shop: it takes clicks, carts and webhooks, and does what is due. It stops where the
// campaign says, as a suspended machine does, until the campaign kills it or lets it go on.
import { Gateway } from "malipo";
import {
  type CheckoutStore,
  createCheckout,
  type NewOrder,
  type Order,
  OrderPaidError,
  type PaidContext,
  ReviewDecidedError,
} from "malipo/checkout";
import { nodeHandler } from "malipo/node";
import { all, DATABASES, tablesIn } from "../harness/databases.ts";
import {
  currentCall,
  receiveSetup,
  record,
  serve,
  reach as stopAt,
  takeJobs,
} from "../harness/worker.ts";
import {
  type Answer,
  type Cart,
  type Click,
  type Decision,
  type Jobs,
  type OrderHappening,
  type Setup,
  UNDERPAID,
} from "./messages.ts";
import type { Point } from "./plan.ts";
import { goWrong, isWrongTry } from "./wrong-on-paid.ts";

const setup = await receiveSetup<Setup>();
const report = (happening: OrderHappening) => record(happening);

/** Stops here if the campaign says so for this order. Nothing of this process goes on meanwhile. */
const reach = (point: Point, order: string) =>
  void stopAt(point, { key: order, stopAt: setup.stops[order] });

/** Reports a transaction that another process was faster with. */
async function noted(order: string, giving: Promise<unknown>): Promise<void> {
  try {
    await giving;
  } catch (error) {
    if (String(error).includes("are not due any more")) report({ what: "rejected", order });
    throw error;
  }
}

const { place } = setup;
const tables = await tablesIn(place);
// The log of a SQLite file is opened with the first read. It must not be made while the file is away.
await tables.rows("carts");
const store = (await DATABASES[place.engine].stores(place)).checkout?.() as CheckoutStore;

/** Gives the goods as it is written in the manual. */
const give = ({ id }: Order, { transaction }: PaidContext) =>
  transaction((connection: unknown) =>
    all(
      () => tables.insert(connection, "goods", id),
      () => reach("goods", id),
    ),
  );

async function onPaid(order: Order, context: PaidContext): Promise<void> {
  const { id } = order;
  reach("paid", id);
  const wrong = setup.wrong[id];
  if (wrong === undefined || !isWrongTry(wrong, order, context.attempt)) {
    return noted(id, give(order, context));
  }
  report({ what: "wrong", order: id });
  await goWrong(wrong, {
    ...{ context, sql: tables.run },
    give: (connection) => tables.insert(connection, "goods", id),
    read: () => checkout.get(id),
  });
}

/** The store, which stops as soon as an attempt is written. */
const stopping: CheckoutStore = {
  ...store,
  commit: async (change, within) => {
    const committed = await store.commit(change, within);
    const isReserved = change.prompts.some(({ state }) => state === "new");
    if (isReserved && committed.state === "done") stopAt("reserved");
    return committed;
  },
};

/** The service says of some payments that less was paid. Their webhooks say the same. */
async function underpaidFetch(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  if (!response.ok || !/\/payments\/[^/?]+$/.test(url)) return response;
  const text = await response.text();
  const { status, headers } = response;
  const isUnderpaid = setup.underpaid.some((id) => text.includes(`"${id}"`));
  const said = isUnderpaid
    ? text.replace(/"amount":\s*"?[\d.]+"?/g, `"amount":"${UNDERPAID}"`)
    : text;
  return new Response(said, { status, headers });
}

async function recordedFetch(url: string, init: RequestInit): Promise<Response> {
  const click = currentCall.getStore();
  if (click === undefined || !url.endsWith("/payment/initiate")) return underpaidFetch(url, init);
  report({ what: "sending", order: click.key, sinceMs: Date.now() - (click.at ?? 0) });
  try {
    const response = await fetch(url, init);
    if (response.ok) stopAt("accepted");
    return response;
  } finally {
    stopAt("response");
  }
}

const checkout = createCheckout({
  store: stopping,
  secret: setup.secret,
  gateway: new Gateway({
    ...{ apiKey: setup.apiKey, baseUrl: setup.baseUrl, fetch: recordedFetch },
    idempotency: store.idempotency,
    ...{ timeoutMs: 1_000, totalTimeoutMs: 2_000 },
    hooks: { request: ({ method }) => (method === "POST" ? void stopAt("request") : undefined) },
  }),
  promptWithinMs: 5_000,
  notSentAfterMs: 5_000,
  phoneLimit: 1_000,
  // Orders are underpaid by hand, for a person to see.
  partPayments: "review",
  onError: (error: unknown) => {
    const [, order] =
      /^Error: onPaid failed for the order "([^"]+)".* It is tried again/.exec(String(error)) ?? [];
    if (order !== undefined) report({ what: "failed", order });
  },
  onChange: ({ order: { id, status, attempts }, by }) =>
    report({
      ...{ what: "changed", order: id, by, status },
      attempts: attempts.map((attempt) => attempt.status),
    }),
  onPaid,
} as Parameters<typeof createCheckout>[0]);
if (setup.works) await checkout.start();

const jobs: Jobs = {
  /** A cart and its order, which commit together or not at all. */
  async makeCart({ id, isRolledBack }: Cart) {
    await tables.transaction(async (transaction) => {
      await tables.insert(transaction, "carts", id);
      await checkout.create({ id, amount: 100 }, { transaction });
      reach("created", id);
      return !isRolledBack;
    });
    return true;
  },
  async pay({ params, after }: Click) {
    const { id } = params;
    const click = { key: id, at: Date.now(), stopAt: setup.stops[id] };
    const order = await currentCall.run(click, () => checkout.pay(params, { after }));
    if (/^Another payment request/.test(order.message)) report({ what: "busy", order: order.id });
    return true;
  },
  /** Decides a review as one of two people, who do it at the same moment. */
  async decide({ review, decision, by }: Decision): Promise<Answer> {
    try {
      await checkout.reviews.resolve(review, decision, { by });
      return { outcome: "won" };
    } catch (error) {
      if (error instanceof ReviewDecidedError)
        return { outcome: error.code, ended: error.decision };
      if (error instanceof OrderPaidError) return { outcome: error.code };
      return { outcome: "failed" };
    }
  },
  async create(params: NewOrder) {
    await checkout.create(params);
    return true;
  },
};
// An order that is rejected is a part of the campaign.
takeJobs(jobs, () => {});

const receive = nodeHandler(checkout.receiver);
await serve((request, response) => void receive(request, response));
