// A process of the shop: it takes clicks, carts and webhooks, and does what is due. It stops where the
// campaign says, as a suspended machine does, until the campaign kills it or lets it go on.
import { Gateway, isGatewayError } from "malipo";
import { type CheckoutStore, createCheckout, type Order, type PaidContext } from "malipo/checkout";
import { nodeHandler } from "malipo/node";
import { all, DATABASES, tablesIn } from "../harness/databases.ts";
import {
  currentCall,
  receiveSetup,
  record,
  reportDefect,
  serve,
  reach as stopAt,
  takeJobs,
} from "../harness/worker.ts";
import {
  type Answer,
  type Jobs,
  type OrderHappening,
  REJECTIONS,
  type Setup,
  UNDERPAID,
} from "./messages.ts";
import type { Point } from "./plan.ts";
import { goWrong, isWrongTry } from "./wrong-on-paid.ts";

const DAY_MS = 24 * 3_600_000;
/** The call that reads the books. */
const BOOKS = "books";

const setup = await receiveSetup<Setup>();
const planned = new Map(setup.orders.map((order) => [order.id, order]));
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

/** Refuses the money, and writes that down in the same transaction. */
const refuseMoney = ({ id }: Order, { transaction, refuse }: PaidContext) =>
  transaction((connection: unknown) =>
    all(
      () => tables.insert(connection, "effects", id),
      () => refuse("The seat is gone"),
      () => reach("refused", id),
    ),
  );

async function onPaid(order: Order, context: PaidContext): Promise<void> {
  const { id } = order;
  reach("paid", id);
  const { refuses, wrong } = planned.get(id) ?? {};
  if (refuses) return noted(id, refuseMoney(order, context));
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

const AMOUNTS = /"amount":"[\d.]+"(?=[^{}]*"account_reference":"([^"]*)")/g;

/** The service says of some payments that less was paid. Their webhooks say the same. */
async function underpaidFetch(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  // What was asked for is searched in the list.
  const isList = currentCall.getStore()?.key === BOOKS;
  const isRead = isList ? /\/payments(?:[/?]|$)/ : /\/payments\/[^/?]+$/;
  if (!response.ok || !isRead.test(url)) return response;
  const { status, headers } = response;
  const said = (await response.text()).replace(AMOUNTS, (amount, label) =>
    planned.get(label)?.isUnderpaid ? `"amount":"${UNDERPAID}"` : amount,
  );
  return new Response(said, { status, headers });
}

async function recordedFetch(url: string, init: RequestInit): Promise<Response> {
  const click = currentCall.getStore();
  if (click === undefined || !url.endsWith("/payment/initiate")) return underpaidFetch(url, init);
  const amount = Number(JSON.parse(String(init.body)).amount).toFixed(2);
  report({ what: "sending", order: click.key, sinceMs: Date.now() - (click.at ?? 0), amount });
  try {
    const response = await fetch(url, init);
    const text = await response
      .clone()
      .text()
      .catch(() => "");
    if (response.ok && text.includes('"reference"')) stopAt("accepted");
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
  onError: (error: unknown) => {
    const [, order] =
      /^Error: onPaid failed for the order "([^"]+)".* It is tried again/.exec(String(error)) ?? [];
    if (order === undefined) reportDefect(error);
    else report({ what: "failed", order });
  },
  onChange: ({ order: { id, status, amount, attempts, payments, reviews }, by }) =>
    report({
      ...{ what: "changed", order: id, by, status, amount },
      attempts: attempts.map((attempt) => attempt.status),
      money: payments.map(({ reference }) => reference),
      reviews: reviews.map(({ kind }) => kind),
    }),
  onPaid,
} as Parameters<typeof createCheckout>[0]);
if (setup.works) await checkout.start();

/** What became of something that a person or the merchant asks for. */
async function answerOf(call: Promise<unknown>): Promise<Answer> {
  try {
    await call;
    return { outcome: "won" };
  } catch (error) {
    const code = REJECTIONS.find((one) => isGatewayError(error) && error.code === one);
    if (code === undefined) reportDefect(error);
    return { outcome: code ?? "failed", ended: Object(error).decision };
  }
}

const jobs: Jobs = {
  /** A cart and its order, which commit together or not at all. */
  async makeCart({ id, isRolledBack }) {
    await tables.transaction(async (transaction) => {
      await tables.insert(transaction, "carts", id);
      await checkout.create({ id, amount: 100 }, { transaction });
      reach("created", id);
      return !isRolledBack;
    });
    return true;
  },
  async pay({ params, after }) {
    const { id } = params;
    const click = { key: id, at: Date.now(), stopAt: setup.stops[id] };
    const order = await currentCall.run(click, () => checkout.pay(params, { after }));
    if (/^Another payment request/.test(order.message)) report({ what: "busy", order: order.id });
    return true;
  },
  /** Decides a review as one of two people, who do it at the same moment. */
  decide: ({ review, decision, by }) =>
    answerOf(checkout.reviews.resolve(review, decision, { by })),
  update: ({ id, amount }) => answerOf(checkout.update(id, { amount })),
  refund: ({ id, ...refund }) => answerOf(checkout.refunds.add(id, refund)),
  async create(params) {
    await checkout.create(params);
    return true;
  },
  report: (from) =>
    currentCall.run({ key: BOOKS }, () =>
      checkout.report({ from, to: new Date(Date.now() + DAY_MS) }),
    ),
};
// An order that is rejected is a part of the campaign.
takeJobs(jobs, reportDefect);

const receive = nodeHandler(checkout.receiver);
await serve((request, response) => void receive(request, response));
