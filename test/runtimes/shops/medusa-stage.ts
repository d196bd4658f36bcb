// The shop of `examples/medusa` as processes, and what its customers and its staff do by its own two APIs.
import { join } from "node:path";
import { expect } from "vitest";
import { installShop, openShopPair, run } from "../../docs/support/shop-pair.ts";
import { installedVersion } from "../../support/shop-rows.ts";

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

export const installMedusa = (): string => installShop("medusa");

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

/** Finds the payment collection of an order. */
const COLLECTION = `SELECT 1 FROM payment_collection WHERE id =
  (SELECT payment_collection_id FROM order_payment_collection WHERE order_id = $1)`;

/** A served sandbox, and two processes of the shop, whose callers take turns. The first one gets the webhooks. */
export async function openMedusa(
  folder: string,
  { databaseUrl, redisUrl }: { readonly databaseUrl: string; readonly redisUrl: string },
) {
  const server = join(folder, SERVER);
  const cli = join(folder, CLI);
  const own = {
    ...{ NODE_ENV: "production", MEDUSA_DISABLE_TELEMETRY: "true" },
    REDIS_URL: redisUrl,
  };
  const program = { args: [cli, "start"], folder: server, env: own };
  const pair = await openShopPair(program, databaseUrl);
  const { urlOf } = pair;
  const env = { ...pair.env, ...own };
  run(server, process.execPath, [cli, "db:migrate"], env);
  run(server, process.execPath, [cli, "user", "-e", STAFF.email, "-p", STAFF.password], env);
  await pair.restart();
  const { token } = await caller(urlOf, {})<{ token: string }>("auth/user/emailpass", STAFF);
  const admin = caller(urlOf, { authorization: `Bearer ${token}` });
  const furniture = await furnishShop(admin);
  const store = caller(urlOf, { "x-publishable-api-key": furniture.key });
  return {
    ...pair,
    version: installedVersion(folder, "@medusajs/medusa"),
    /** Somebody without any key. */
    stranger: caller(urlOf, {}),
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
    hold: (id: string) => pair.holdRow(COLLECTION, id),
    cancel: (id: string) => admin(`admin/orders/${id}/cancel`, {}),
    refund: async (id: string, amount: number) => {
      const { order } = await admin<{ order: ShopOrder }>(`admin/orders/${id}?fields=${ORDER}`);
      const [payment] = order.payment_collections.flatMap((one) => one.payments);
      return admin(`admin/payments/${payment?.id}/refund`, { amount });
    },
    close: () => pair.close(folder),
  };
}

export type MedusaStage = Awaited<ReturnType<typeof openMedusa>>;
