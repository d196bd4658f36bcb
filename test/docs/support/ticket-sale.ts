// A sale of the shop of `examples/tickets`: more customers than seats, who come at once to three processes.
import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { Gateway } from "malipo";
import {
  type Checkout,
  type CheckoutEngine,
  createCheckout,
  type Order,
  type OrderStatus,
} from "malipo/checkout";
import { mysql } from "malipo/mysql";
import { postgres } from "malipo/postgres";
import { createSandbox } from "malipo/sandbox";
import { sqlite } from "malipo/sqlite";
import { signWebhook } from "malipo/webhooks";
import { createPool, type RowDataPacket } from "mysql2/promise";
import { Pool } from "pg";
import { freePort } from "../../../src/drill/child.ts";
import { type ShopProcess, startShop } from "./shop-process.ts";

/** Where a shop keeps its seats and its orders. */
interface Place {
  /** The file of `examples/tickets`. */
  readonly example: string;
  readonly env: Readonly<Record<string, string>>;
  open(): CheckoutEngine & { close(): Promise<void> };
  seats(): Promise<readonly Seat[]>;
  close(): unknown;
}

interface Seat {
  readonly seat: number;
  readonly order_id: string | null;
  readonly sold: unknown;
}

const SEATS = "SELECT seat, order_id, sold FROM seats";

export const PLACES = {
  SQLite: (folder: string): Place => {
    const path = join(folder, "shop.db");
    return {
      example: "server.ts",
      env: { DATA: folder },
      open: () => sqlite(path),
      seats: async () => {
        const database = new DatabaseSync(path, { timeout: 5_000 });
        const rows = database.prepare(SEATS).all();
        database.close();
        return rows as unknown as Seat[];
      },
      close: () => {},
    };
  },
  PostgreSQL: (_: string, url: string): Place => {
    const pool = new Pool({ connectionString: url, max: 2 });
    return {
      example: "postgres.ts",
      env: { DATABASE_URL: url },
      open: () => postgres(url),
      seats: async () => (await pool.query<Seat>(SEATS)).rows,
      close: () => pool.end(),
    };
  },
  MariaDB: (_: string, url: string): Place => {
    const pool = createPool({ uri: url, connectionLimit: 2 });
    return {
      example: "mysql.ts",
      env: { DATABASE_URL: url },
      open: () => mysql(url),
      seats: async () => (await pool.query<(Seat & RowDataPacket)[]>(SEATS))[0],
      close: () => pool.end(),
    };
  },
};

/** What is changed in an example: a part that is there once, and what takes its place. */
type Change = readonly [part: string | RegExp, instead: string];

/** How a customer behaves. */
type Kind = "pays" | "pays_again" | "fails" | "ignores" | "is_canceled" | "is_late";
/** Each tenth customer is alike. */
const KINDS: readonly Kind[] = [
  ...(["pays", "fails", "pays_again", "is_late", "ignores", "is_canceled"] as const),
  ...(["pays", "pays_again", "fails", "is_late"] as const),
];

export interface SaleSettings {
  readonly customers: number;
  readonly seats: number;
  readonly changes?: readonly Change[];
}

/** What is there when every order has ended. */
export interface SaleEnd {
  readonly seats: readonly Seat[];
  readonly orders: readonly Order[];
  /** The orders whose money came when they were over. */
  readonly late: ReadonlySet<string>;
}

const PROCESSES = 3;
const POLL_MS = 200;
const TICK_MS = 500;
/** A prompt that nobody answers lives for a minute: the clock of the service is faster in steps of this. */
const PROMPT_STEP_S = 5;
/** How long an order lives in these sales, from its first click. */
const LIFE_MS = 3_000;
/** How long a seat is held whose order is not there. */
const HOLD_S = 4;

function changed(code: string, changes: readonly Change[]): string {
  return changes.reduce((text, [part, instead]) => {
    if (text.split(part).length !== 2) throw new Error(`The example has not once: ${part}`);
    return text.replace(part, () => instead);
  }, code);
}

/** The processes of a shop, the service, and the office of the merchant. */
async function openShop(name: keyof typeof PLACES, url: string, settings: SaleSettings) {
  // Below this project, where the packages of the shop are found.
  mkdirSync("test/docs/bundles", { recursive: true });
  const folder = mkdtempSync(join("test/docs/bundles", "tickets-"));
  const data = mkdtempSync(join(tmpdir(), "malipo-tickets-"));
  const place = PLACES[name](data, url);
  const program = join(folder, "shop.ts");
  const code = changed(readFileSync(join("examples/tickets", place.example), "utf8"), [
    [/(?<=seat <= |series\(1, |length: )50/, `${settings.seats}`],
    ["15 * 60_000", `${LIFE_MS}`],
    [/60(?="| s'| SECOND)/, `${HOLD_S}`],
    [/(?<=catch\(console\.error\), )5_000/, `${POLL_MS}`],
    ...(settings.changes ?? []),
  ]);
  writeFileSync(program, code);

  const ports: number[] = [];
  const somePort = () => ports[Math.floor(Math.random() * ports.length)];
  const sandbox = createSandbox({
    ...{ seed: name, clock: "real", auto: "none" },
    deliver: async (request) => {
      const { method, headers } = request;
      const body = await request.arrayBuffer();
      return fetch(`http://127.0.0.1:${somePort()}/webhooks`, { method, headers, body });
    },
  });
  const service = await sandbox.serve({ port: 0 });
  const gateway = new Gateway({ apiKey: sandbox.keys.secret, baseUrl: service.baseUrl });
  const events = ["payment.initiated", "payment.completed", "payment.failed"];
  await gateway.webhooks.register({ name: "shop", url: "https://shop.example/webhooks", events });
  const env = {
    ...place.env,
    MALIPO_API_KEY: sandbox.keys.secret,
    MALIPO_BASE_URL: service.baseUrl,
    MALIPO_WEBHOOK_SECRET: sandbox.webhookSecret,
  };
  const shops: ShopProcess[] = [];
  // One after another: the first one makes the tables.
  for (let count = 0; count < PROCESSES; count++) {
    const port = await freePort();
    shops.push(await startShop({ args: [program] }, { ...env, PORT: `${port}` }));
    ports.push(port);
  }
  const engine = place.open();
  const office = createCheckout({
    store: engine,
    gateway: { apiKey: sandbox.keys.secret, baseUrl: service.baseUrl },
    secret: sandbox.webhookSecret,
    onPaid: () => Promise.reject(new Error("The office gives no seats.")),
  });
  return {
    sandbox,
    office,
    late: new Set<string>(),
    seats: place.seats,
    address: () => `http://127.0.0.1:${somePort()}`,
    /** What the processes have printed. */
    printed: () => shops.map((shop) => shop.printed()).join(""),
    close: async () => {
      await office.stop();
      await engine.close();
      for (const shop of shops) await shop.end("SIGKILL");
      await service.close();
      await place.close();
      for (const path of [folder, data]) rmSync(path, { recursive: true });
    },
  };
}

/** As browsers do, asks again if the server has just closed a connection that was idle. */
const ask = (url: string, init?: RequestInit): Promise<Response> =>
  fetch(url, init).catch(() => fetch(url, init));

type Shop = Awaited<ReturnType<typeof openShop>>;

/** Signs an event as the service does, and sends it to a process of the shop. */
async function completeLate({ address, sandbox, late }: Shop, order: Order): Promise<void> {
  late.add(order.id);
  const { accountReference: account_reference, amount, currency } = order;
  const { reference = "" } = order.attempts.at(-1) ?? {};
  const data = { reference, status: "completed", amount, currency, account_reference };
  const event = { event: "payment.completed", timestamp: new Date().toISOString(), data };
  const body = JSON.stringify(event);
  const headers = { "X-Service-Signature": signWebhook(body, sandbox.webhookSecret) };
  const response = await ask(`${address()}/webhooks`, { method: "POST", headers, body });
  if (!response.ok) throw new Error(`The shop did not take a late payment: ${response.status}.`);
}

/** A customer, until he has paid or has had enough, or everything is sold. */
class Customer {
  readonly #shop: Shop;
  readonly #kind: Kind;
  readonly #phone: string;
  readonly #id = randomUUID();

  constructor(shop: Shop, at: number) {
    this.#shop = shop;
    this.#kind = KINDS[at % KINDS.length] ?? "pays";
    this.#phone = `0712${String(at).padStart(6, "0")}`;
  }

  async buy(isOver: () => boolean): Promise<void> {
    // A double click, which reaches two processes.
    const first = await Promise.all([this.#click(0), this.#click(0)]);
    let isAsked = first.some((order) => order !== undefined);
    while (!isAsked && !isOver()) {
      await sleep(1_000 + Math.random() * 5_000);
      isAsked = (await this.#click(0)) !== undefined;
    }
    if (isAsked) await this.#act();
  }

  /** Resolves with the order; `undefined` if all seats are held or sold. */
  async #click(after: number): Promise<Order | undefined> {
    const body = JSON.stringify({ order: this.#id, item: "concert", phone: this.#phone, after });
    const headers = { "Content-Type": "application/json" };
    const url = `${this.#shop.address()}/orders`;
    const response = await ask(url, { method: "POST", headers, body });
    const text = await response.text();
    if (response.status !== 200 && response.status !== 409) throw new Error(text);
    return response.status === 200 ? JSON.parse(text) : undefined;
  }

  async #order(): Promise<Order> {
    const response = await ask(`${this.#shop.address()}/orders/${this.#id}`);
    return response.json();
  }

  /** The order, when it is as it should be, or at least over. */
  async #until(isReached: (order: Order) => boolean): Promise<Order> {
    for (;;) {
      const order = await this.#order();
      if (isReached(order) || ["paid", "canceled", "expired"].includes(order.status)) return order;
      await sleep(POLL_MS);
    }
  }

  async #act(): Promise<void> {
    const phone = this.#shop.sandbox.phone(this.#phone);
    const asked = () => this.#until(() => phone.prompt !== undefined);
    await asked();
    if (phone.prompt === undefined) return;
    if (this.#kind === "pays") phone.approve();
    else if (this.#kind === "fails") phone.enterWrongPin();
    else if (this.#kind === "ignores") phone.ignore();
    else if (this.#kind === "pays_again") {
      phone.cancel();
      const { status } = await this.#until((order) => order.status === "open");
      if (status !== "open") return;
      await this.#click(1);
      await asked();
      if (phone.prompt !== undefined) phone.approve();
    } else if (this.#kind === "is_canceled") {
      await this.#shop.office.cancel(this.#id);
      phone.approve();
    } else {
      phone.cancel();
      const order = await this.#until(() => false);
      if (order.status === "expired") await completeLate(this.#shop, order);
    }
  }
}

/** All orders of a shop, or those of one status. */
async function allOrders(office: Checkout, status?: OrderStatus): Promise<Order[]> {
  const orders: Order[] = [];
  for (let after: string | undefined; ; ) {
    const { items, next } = await office.list({ status, limit: 1_000, after });
    orders.push(...items);
    if (next === undefined) return orders;
    after = next;
  }
}

const isOpenOrder = ({ status, effect }: Order): boolean =>
  status === "open" || status === "pending" || effect === "due";

/** A person accepts all late money: while there are seats it buys one, and later it is refused. */
async function acceptLate(office: Checkout): Promise<void> {
  for (const { id, kind } of await office.reviews.list())
    if (kind === "late_payment") await office.reviews.resolve(id, "accept", { by: "Amina" });
}

/** Customers buy until all seats are sold. Some wait for them who had a seat before, and pay then. */
async function sellAll(shop: Shop, { customers, seats }: SaleSettings): Promise<void> {
  const { office, sandbox } = shop;
  let isSoldOut = false;
  const watch = async () => {
    while (!isSoldOut) {
      await sleep(TICK_MS);
      await sandbox.clock.advance(`${PROMPT_STEP_S}s`);
      await acceptLate(office);
      const sold = (await allOrders(office, "paid")).filter(({ effect }) => effect === "done");
      isSoldOut = sold.length >= seats;
    }
  };
  const buy = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, at) =>
      new Customer(shop, from + at).buy(() => isSoldOut),
    );
  // The first ones are of each kind, and hold all seats before the others come.
  const first = buy(0, seats);
  const isFree = async () => (await shop.seats()).some(({ order_id }) => order_id === null);
  for (let polls = 0; polls < 100 && (await isFree()); polls++) await sleep(POLL_MS / 2);
  const all = [watch(), ...first, ...buy(seats, customers)];
  try {
    await Promise.all(all);
  } finally {
    // If one fails, the others stop.
    isSoldOut = true;
  }
  const isLost = ({ status, attempts }: Order) => status === "expired" && attempts.length > 0;
  const lost = (await allOrders(office, "expired")).filter(isLost).slice(0, 5);
  for (const order of lost) await completeLate(shop, order);
}

/** What is there when each order has ended, and none holds a seat that is not sold. */
async function endOf({ office, sandbox, seats, late }: Shop): Promise<SaleEnd> {
  for (;;) {
    await sandbox.clock.advance(`${PROMPT_STEP_S}s`);
    await acceptLate(office);
    const end = { orders: await allOrders(office), seats: await seats(), late };
    const isHeld = end.seats.some(({ order_id, sold }) => order_id !== null && !sold);
    if (!isHeld && !end.orders.some(isOpenOrder)) return end;
    await sleep(POLL_MS);
  }
}

/** Sells all seats, and waits until each order has ended. */
export async function sellTickets(
  name: keyof typeof PLACES,
  url: string,
  settings: SaleSettings,
): Promise<SaleEnd & { readonly printed: string }> {
  const shop = await openShop(name, url, settings);
  try {
    await sellAll(shop, settings);
    const end = await endOf(shop);
    return { ...end, printed: shop.printed() };
  } finally {
    await shop.close();
  }
}
