// The shop of `examples/medusa` as processes, and what its customers and its staff do by its own two APIs.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Gateway, type Payment } from "malipo";
import { createCheckout } from "malipo/checkout";
import { postgres } from "malipo/postgres";
import { createSandbox } from "malipo/sandbox";
import pg from "pg";
import { expect } from "vitest";
import { freePort } from "../../../src/drill/child.ts";
import { type ShopProcess, startShop } from "../../docs/support/shop-process.ts";

type Json = Record<string, unknown>;
/** A call of an API of the shop. Without a body it is a GET. */
type Call = <Data = Json>(path: string, body?: Json) => Promise<Data>;

/** What Medusa says of an order to its staff. */
export interface ShopOrder {
  readonly id: string;
  readonly status: string;
  readonly payment_status: string;
  readonly summary: { readonly paid_total: number };
  readonly items: readonly { readonly variant_id: string }[];
  readonly payment_collections: readonly {
    readonly payments: readonly {
      readonly id: string;
      readonly captures: readonly { readonly amount: number }[];
      readonly refunds: readonly { readonly id: string; readonly amount: number }[];
    }[];
  }[];
}

/** What the route `phone-payments` returns. */
interface PhonePayment {
  readonly status: string;
  readonly message: string;
  readonly amount: string;
  readonly canPay: boolean;
}

const CLI = "node_modules/@medusajs/cli/cli.js";
const SERVER = ".medusa/server";
const STAFF = { email: "staff@shop.example", password: "of the tests" };

function run(cwd: string, program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const options = { cwd, encoding: "utf8", env: { ...process.env, ...env } } as const;
  const { status, stdout, stderr } = spawnSync(program, args, options);
  if (status !== 0) throw new Error(`${program} ${args.join(" ")}\n${stdout}${stderr}`);
}

/** Does what a merchant types. Returns the folder, below this project, where the package is found. */
export function installMedusa(): string {
  mkdirSync("test/docs/bundles", { recursive: true });
  const folder = mkdtempSync(join(process.cwd(), "test/docs/bundles", "medusa-"));
  cpSync("examples/medusa", folder, {
    recursive: true,
    filter: (path) => !/node_modules|\.medusa/.test(path),
  });
  const quiet = ["--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"];
  run(folder, "npm", ["ci", ...quiet]);
  symlinkSync(process.cwd(), join(folder, "node_modules/malipo"));
  run(folder, "npm", ["run", "build"]);
  return folder;
}

/** @throws {Error} with the message of the shop. */
function caller(urlOf: () => string, headers: Readonly<Record<string, string>>): Call {
  return async <Data>(path: string, body?: Json) => {
    const response = await fetch(`${urlOf()}/${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { "content-type": "application/json", ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const said = (await response.json()) as Data & { message?: string };
    if (!response.ok) throw new Error(`${response.status} ${said.message}`);
    return said;
  };
}

/** What every shop has that sells: a place, a region, a way to ship, a way to pay. */
async function furnishShop(admin: Call) {
  const make = async (path: string, body: Json): Promise<string> => {
    const said = await admin<Record<string, { id: string }>>(`admin/${path}`, body);
    const [made] = Object.values(said);
    return made?.id ?? "";
  };
  const { stores } = await admin<{ stores: { id: string }[] }>("admin/stores");
  const currencies = [{ currency_code: "kes", is_default: true }];
  await make(`stores/${stores[0]?.id}`, { supported_currencies: currencies });
  const region = await make("regions", {
    ...{ name: "Kenya", currency_code: "kes", countries: ["ke"] },
    payment_providers: ["pp_malipo"],
  });
  const channel = await make("sales-channels", { name: "Shop" });
  const location = await make("stock-locations", { name: "Nairobi" });
  await make(`stock-locations/${location}/sales-channels`, { add: [channel] });
  await make(`stock-locations/${location}/fulfillment-providers`, { add: ["manual_manual"] });
  const profile = await make("shipping-profiles", { name: "All", type: "default" });
  await make(`stock-locations/${location}/fulfillment-sets`, { name: "Riders", type: "shipping" });
  const { stock_location } = await admin<{
    stock_location: { fulfillment_sets: { id: string }[] };
  }>(`admin/stock-locations/${location}?fields=*fulfillment_sets`);
  const set = stock_location.fulfillment_sets[0]?.id;
  const { fulfillment_set } = await admin<{
    fulfillment_set: { service_zones: { id: string }[] };
  }>(`admin/fulfillment-sets/${set}/service-zones`, {
    ...{ name: "Kenya", geo_zones: [{ type: "country", country_code: "ke" }] },
  });
  const shipping = await make("shipping-options", {
    ...{ name: "Rider", service_zone_id: fulfillment_set.service_zones[0]?.id },
    ...{ shipping_profile_id: profile, provider_id: "manual_manual", price_type: "flat" },
    type: { label: "Rider", description: "A rider", code: "rider" },
    prices: [{ currency_code: "kes", amount: 300 }],
  });
  const { api_key } = await admin<{ api_key: { id: string; token: string } }>("admin/api-keys", {
    ...{ title: "Storefront", type: "publishable" },
  });
  await make(`api-keys/${api_key.id}/sales-channels`, { add: [channel] });
  return { region, channel, location, profile, shipping, key: api_key.token };
}

type Furniture = Awaited<ReturnType<typeof furnishShop>>;

interface Goods {
  readonly variant: string;
  readonly inventory: string;
}

/** Puts something into the shop that no other order takes. */
async function addProduct(admin: Call, { channel, location, profile }: Furniture): Promise<Goods> {
  const sku = crypto.randomUUID();
  const { product } = await admin<{
    product: { variants: { id: string; inventory_items: { inventory_item_id: string }[] }[] };
  }>("admin/products?fields=variants.id,variants.inventory_items.inventory_item_id", {
    ...{ title: `Beans ${sku}`, status: "published", shipping_profile_id: profile },
    sales_channels: [{ id: channel }],
    options: [{ title: "Size", values: ["1 kg"] }],
    variants: [
      {
        ...{ title: "1 kg", sku, options: { Size: "1 kg" }, manage_inventory: true },
        prices: [{ currency_code: "kes", amount: 1500.5 }],
      },
    ],
  });
  const [variant] = product.variants;
  const inventory = variant?.inventory_items[0]?.inventory_item_id ?? "";
  await admin(`admin/inventory-items/${inventory}/location-levels`, {
    ...{ location_id: location, stocked_quantity: 10 },
  });
  return { variant: variant?.id ?? "", inventory };
}

const ADDRESS = {
  ...{ first_name: "A", last_name: "B", address_1: "Moi Avenue" },
  ...{ city: "Nairobi", country_code: "ke" },
};

/** A customer with a cart. */
async function newCustomer(
  urlOf: () => string,
  store: Call,
  { region, shipping }: Furniture,
  { variant }: Goods,
) {
  const { cart } = await store<{ cart: { id: string } }>("store/carts", {
    ...{ region_id: region, email: "a@shop.example", shipping_address: ADDRESS },
    items: [{ variant_id: variant, quantity: 1 }],
  });
  await store(`store/carts/${cart.id}/shipping-methods`, { option_id: shipping });
  const { payment_collection } = await store<{ payment_collection: { id: string } }>(
    "store/payment-collections",
    { cart_id: cart.id },
  );
  const choosePhone = async () => {
    const { payment_collection: chosen } = await store<{
      payment_collection: { payment_sessions: { id: string }[] };
    }>(`store/payment-collections/${payment_collection.id}/payment-sessions`, {
      provider_id: "pp_malipo",
    });
    return chosen.payment_sessions[0]?.id ?? "";
  };
  const complete = async () => {
    const { order } = await store<{ order?: { id: string } }>(
      `store/carts/${cart.id}/complete`,
      {},
    );
    return order?.id ?? "";
  };
  /** Says in every way that a storefront has that the money has come. */
  const forge = async (session: string) => {
    const order = { id: session, amount: "1.00", currency: "KES" };
    const data = { status: "captured", order, session_id: session };
    const said = { event: "payment.completed", data: { ...data, action: "captured" } };
    await caller(urlOf, {})("hooks/payment/malipo", said).catch(() => {});
    await expect(caller(urlOf, {})("webhooks", said)).rejects.toThrow("401");
  };
  return {
    choosePhone,
    complete,
    forge,
    take: () => store(`store/carts/${cart.id}/line-items`, { variant_id: variant, quantity: 1 }),
    payByPhone: (session: string, phone: string, after?: number) =>
      store<PhonePayment>(`store/phone-payments/${session}`, { phone, after }),
    phonePayment: (session: string) => store<PhonePayment>(`store/phone-payments/${session}`),
  };
}

const ORDER =
  "status,payment_status,summary,items.variant_id,payment_collections.payments.captures.amount,payment_collections.payments.refunds.amount";

/** How many wait for what `holdOrder` holds. */
const WAITING = `SELECT count(*)::int AS count FROM pg_stat_activity
  WHERE wait_event_type = 'Lock' AND datname = current_database()`;

/** Holds the payment collection of an order, so that others wait for it. */
async function holdOrder(databaseUrl: string, id: string) {
  // A transaction sees the same activity until it ends, so another connection looks.
  const [holder, looker] = [new pg.Client(databaseUrl), new pg.Client(databaseUrl)];
  await Promise.all([holder.connect(), looker.connect()]);
  await holder.query("BEGIN");
  const held = `SELECT 1 FROM payment_collection WHERE id =
    (SELECT payment_collection_id FROM order_payment_collection WHERE order_id = $1) FOR NO KEY UPDATE`;
  await holder.query(held, [id]);
  return {
    untilWaiting: async (expected: number) => {
      for (let seen = 0; seen < expected; ) {
        seen = (await looker.query<{ count: number }>(WAITING)).rows[0]?.count ?? 0;
        await sleep(20);
      }
    },
    release: async () => {
      await holder.query("COMMIT");
      await Promise.all([holder.end(), looker.end()]);
    },
  };
}

/** A served sandbox, and two processes of the shop, whose callers take turns. The first one gets the webhooks. */
export async function openMedusa(folder: string, databaseUrl: string) {
  const sandbox = createSandbox({ clock: "real" });
  const service = await sandbox.serve({ port: 0 });
  const gateway = { apiKey: sandbox.keys.secret, baseUrl: service.baseUrl };
  const { payments, webhooks } = new Gateway(gateway);
  const ports = [await freePort(), await freePort()] as const;
  const events = ["payment.initiated", "payment.completed", "payment.failed"];
  await webhooks.register({ name: "shop", url: `http://127.0.0.1:${ports[0]}/webhooks`, events });
  const env = {
    ...{ DATABASE_URL: databaseUrl, COOKIE_SECRET: "of the tests", JWT_SECRET: "of the tests" },
    ...{ NODE_ENV: "production", MEDUSA_DISABLE_TELEMETRY: "true" },
    MALIPO_API_KEY: sandbox.keys.secret,
    MALIPO_BASE_URL: service.baseUrl,
    MALIPO_WEBHOOK_SECRET: sandbox.webhookSecret,
  };
  const server = join(folder, SERVER);
  const cli = join(folder, CLI);
  run(server, process.execPath, [cli, "db:migrate"], env);
  run(server, process.execPath, [cli, "user", "-e", STAFF.email, "-p", STAFF.password], env);
  const start = (port: number) =>
    startShop({ args: [cli, "start"], folder: server }, { ...env, PORT: `${port}` });
  let shops: readonly ShopProcess[] = await Promise.all(ports.map(start));
  let turn = 0;
  const urlOf = () => `http://127.0.0.1:${ports[turn++ % ports.length]}`;
  const { token } = await caller(urlOf, {})<{ token: string }>("auth/user/emailpass", STAFF);
  const admin = caller(urlOf, { authorization: `Bearer ${token}` });
  const furniture = await furnishShop(admin);
  const store = caller(urlOf, { "x-publishable-api-key": furniture.key });
  const engine = postgres(databaseUrl);
  // It never starts: only the shop gives goods.
  const onPaid = () => Promise.reject(new Error("The office gives no goods."));
  const office = createCheckout({ store: engine, gateway, secret: sandbox.webhookSecret, onPaid });
  return {
    sandbox,
    admin,
    /** Somebody without any key. */
    stranger: caller(urlOf, {}),
    /** What the checkout has stored, for staff. */
    office,
    printed: () => shops.map((shop) => shop.printed()).join(""),
    customer: async () => {
      const goods = await addProduct(admin, furniture);
      return { ...(await newCustomer(urlOf, store, furniture, goods)), goods };
    },
    /** What the shop says of an order to its staff. */
    order: async (id: string): Promise<ShopOrder> =>
      (await admin<{ order: ShopOrder }>(`admin/orders/${id}?fields=${ORDER}`)).order,
    /** How many pieces are reserved. */
    reserved: async ({ inventory }: Goods): Promise<number> =>
      (
        await admin<{ inventory_item: { reserved_quantity: number } }>(
          `admin/inventory-items/${inventory}`,
        )
      ).inventory_item.reserved_quantity,
    orders: async ({ variant }: Goods): Promise<readonly ShopOrder[]> =>
      (
        await admin<{ orders: ShopOrder[] }>(`admin/orders?fields=${ORDER}&limit=200`)
      ).orders.filter(({ items }) => items.some((item) => item.variant_id === variant)),
    /** The payments of an order, by the service's own list. */
    payments: async (id: string): Promise<Payment[]> => {
      const label = (await office.get(id))?.accountReference;
      const { items } = await payments.list();
      return items.filter(({ account_reference }) => account_reference === label);
    },
    hold: (id: string) => holdOrder(databaseUrl, id),
    cancel: (id: string) => admin(`admin/orders/${id}/cancel`, {}),
    refund: async (id: string, amount: number) => {
      const { order } = await admin<{ order: ShopOrder }>(`admin/orders/${id}?fields=${ORDER}`);
      const [payment] = order.payment_collections.flatMap((one) => one.payments);
      return admin(`admin/payments/${payment?.id}/refund`, { amount });
    },
    end: (signal: NodeJS.Signals) => Promise.all(shops.map((shop) => shop.end(signal))),
    restart: async () => {
      shops = await Promise.all(ports.map(start));
    },
    close: async () => {
      await office.stop();
      await engine.close();
      for (const shop of shops) await shop.end("SIGKILL");
      await service.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export type MedusaStage = Awaited<ReturnType<typeof openMedusa>>;
