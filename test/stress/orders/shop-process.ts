// A process of the shop: it takes clicks, carts and webhooks, and does what is due. It stops where the
// campaign says, as a suspended machine does, until the campaign kills it or lets it go on.
import { AsyncLocalStorage } from "node:async_hooks";
import { DatabaseSync } from "node:sqlite";
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
import { postgres } from "malipo/postgres";
import { sqlite } from "malipo/sqlite";
import pg from "pg";
import { receiveSetup, record, serve, stop, takeJobs } from "../harness/worker.ts";
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

/** The click in which the current code runs. */
const currentClick = new AsyncLocalStorage<{ readonly order: string; readonly at: number }>();

/** Stops here if the campaign says so for this order. Nothing of this process goes on meanwhile. */
function reach(point: Point, order = currentClick.getStore()?.order): void {
  if (order !== undefined && setup.stops[order] === point) stop({ key: order, point });
}

const goods = "INSERT INTO goods (order_id) VALUES";
const carts = "INSERT INTO carts (order_id) VALUES";

/** Reports a transaction that another process was faster with. */
async function noted(order: string, giving: Promise<unknown>): Promise<void> {
  try {
    await giving;
  } catch (error) {
    if (String(error).includes("are not due any more")) report({ what: "rejected", order });
    throw error;
  }
}

/** The merchant's own transaction. */
type InTransaction = (work: (transaction: unknown) => Promise<boolean>) => Promise<void>;

function onSqlite() {
  const own = new DatabaseSync(setup.store);
  own.exec("PRAGMA busy_timeout = 20000");
  // The log is opened with the first read. It must not be made while the file is away.
  own.prepare("SELECT count(*) FROM carts").get();
  const inTransaction: InTransaction = async (work) => {
    own.exec("BEGIN IMMEDIATE");
    own.exec((await work(own).catch(() => false)) ? "COMMIT" : "ROLLBACK");
  };
  return {
    store: sqlite(setup.store).checkout(),
    inTransaction,
    addCart: async (id: string) => void own.prepare(`${carts} (?)`).run(id),
    sql: (db: unknown, text: string) => (db as DatabaseSync).exec(text),
    give: (db: unknown, id: string) => void (db as DatabaseSync).prepare(`${goods} (?)`).run(id),
    onPaid: ({ id }: Order, { transaction }: PaidContext) =>
      transaction((db: DatabaseSync) => {
        db.prepare(`${goods} (?)`).run(id);
        reach("goods", id);
      }),
  };
}

function onPostgres() {
  const pool = new pg.Pool({ connectionString: setup.store });
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  const inTransaction: InTransaction = async (work) => {
    const client = await pool.connect();
    await client.query("BEGIN");
    await client.query((await work(client).catch(() => false)) ? "COMMIT" : "ROLLBACK");
    client.release();
  };
  return {
    store: postgres(pool).checkout(),
    inTransaction,
    addCart: (id: string, client: unknown) =>
      (client as pg.PoolClient).query(`${carts} ($1)`, [id]),
    sql: (client: unknown, text: string) => (client as pg.PoolClient).query(text),
    give: (client: unknown, id: string) => (client as pg.PoolClient).query(`${goods} ($1)`, [id]),
    onPaid: ({ id }: Order, { transaction }: PaidContext) =>
      transaction(async (client: pg.PoolClient) => {
        await client.query(`${goods} ($1)`, [id]);
        reach("goods", id);
      }),
  };
}

const shop = setup.store.startsWith("postgres") ? onPostgres() : onSqlite();
const { inTransaction, addCart } = shop;
const store = shop.store as unknown as CheckoutStore;

async function onPaid(order: Order, context: PaidContext): Promise<void> {
  const { id } = order;
  reach("paid", id);
  const wrong = setup.wrong[id];
  if (wrong === undefined || !isWrongTry(wrong, order, context.attempt)) {
    return noted(id, shop.onPaid(order, context));
  }
  report({ what: "wrong", order: id });
  await goWrong(wrong, {
    ...{ context, sql: shop.sql },
    give: (connection) => shop.give(connection, id),
    read: () => checkout.get(id),
  });
}

/** The store, which stops as soon as an attempt is written. */
const stopping: CheckoutStore = {
  ...store,
  commit: async (change, within) => {
    const committed = await store.commit(change, within);
    const isReserved = change.prompts.some(({ state }) => state === "new");
    if (isReserved && committed.state === "done") reach("reserved");
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
  const click = currentClick.getStore();
  if (click === undefined || !url.endsWith("/payment/initiate")) return underpaidFetch(url, init);
  report({ what: "sending", order: click.order, sinceMs: Date.now() - click.at });
  try {
    const response = await fetch(url, init);
    if (response.ok) reach("accepted");
    return response;
  } finally {
    reach("response");
  }
}

const checkout = createCheckout({
  store: stopping,
  secret: setup.secret,
  gateway: new Gateway({
    ...{ apiKey: setup.apiKey, baseUrl: setup.baseUrl, fetch: recordedFetch },
    idempotency: store.idempotency,
    ...{ timeoutMs: 1_000, totalTimeoutMs: 2_000 },
    hooks: { request: ({ method }) => (method === "POST" ? reach("request") : undefined) },
  }),
  promptWithinMs: 5_000,
  notSentAfterMs: 5_000,
  phoneLimit: 1_000,
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
    await inTransaction(async (transaction) => {
      await addCart(id, transaction);
      await checkout.create({ id, amount: 100 }, { transaction });
      reach("created", id);
      return !isRolledBack;
    });
    return true;
  },
  async pay({ params, after }: Click) {
    const click = { order: params.id, at: Date.now() };
    const order = await currentClick.run(click, () => checkout.pay(params, { after }));
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
