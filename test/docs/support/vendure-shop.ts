// The shop of `examples/vendure` as a process, and what its customers and its staff do by its own two APIs.
import { installedVersion } from "../../support/shop-rows.ts";
import { installShop, openShopPair } from "./shop-pair.ts";

type Json = Record<string, unknown>;
/** A call of an API of the shop, which keeps the session. */
type Call = <Data = Json>(query: string, variables?: Json) => Promise<Data>;

/** What Vendure says of an order to its staff. */
export interface ShopOrder {
  readonly id: string;
  readonly state: string;
  readonly payments: readonly ShopPayment[];
  readonly lines: readonly {
    readonly quantity: number;
    readonly productVariant: {
      readonly stockLevels: readonly { readonly stockAllocated: number }[];
    };
  }[];
  readonly history: { readonly items: readonly { readonly data: { readonly to?: string } }[] };
}

interface ShopPayment {
  readonly id: string;
  readonly method: string;
  readonly state: string;
  readonly amount: number;
  readonly transactionId: string | null;
  readonly refunds: readonly { readonly state: string; readonly total: number }[];
}

/** What `payByPhone` and `phonePayment` return. */
interface PhonePayment {
  readonly status: string;
  readonly message: string;
  readonly amount: string;
  readonly attempts: readonly { readonly status: string }[];
}

/** The shop of the example, for several processes, with a second method: a payment of as many cents as its metadata says. */
const WITH_GIFT_CARDS = `
import { bootstrap, LanguageCode, NoopSessionCacheStrategy, PaymentMethodHandler } from "@vendure/core";
import { config } from "./vendure-config.ts";

const giftCard = new PaymentMethodHandler({
  code: "gift-card",
  description: [{ languageCode: LanguageCode.en, value: "Gift card" }],
  args: {},
  createPayment: (_, __, due, ___, { cents }) => ({ amount: Math.min(due, cents), state: "Settled" }),
  settlePayment: () => ({ success: true }),
});
config.paymentOptions.paymentMethodHandlers.push(giftCard);
config.authOptions.sessionCacheStrategy = new NoopSessionCacheStrategy(); // two processes
bootstrap(config);
`;

export const installVendure = (): string =>
  installShop("vendure", { "with-gift-cards.ts": WITH_GIFT_CARDS });

/** @throws {Error} for an error of GraphQL, and for a result that is one. */
function caller(urlOf: () => string): Call {
  let token: string | undefined;
  return async <Data>(query: string, variables: Json = {}) => {
    const response = await fetch(urlOf(), {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify({ query, variables }),
    });
    token = response.headers.get("vendure-auth-token") ?? token;
    const { data, errors } = (await response.json()) as { data: Data; errors?: Json[] };
    if (errors !== undefined) throw new Error(errors.map(({ message }) => message).join(" "));
    const [wrong] = Object.values(Object(data)).filter((one) => Object(one).errorCode);
    if (wrong !== undefined) throw new Error(JSON.stringify(wrong));
    return data;
  };
}

const WRONG = "... on ErrorResult { errorCode message }";
const WHY = "... on OrderStateTransitionError { transitionError }";
const named = (name: string) => [{ languageCode: "en", name }];
const described = (name: string) => [{ languageCode: "en", name, description: name }];
const operation = (code: string, values: Readonly<Record<string, string>> = {}) => ({
  code,
  arguments: Object.entries(values).map(([name, value]) => ({ name, value })),
});

/** What every shop has that sells: a country, a tax, a way to ship, ways to pay. */
async function furnishShop(admin: Call): Promise<void> {
  const create = async (what: string, input: Json): Promise<string> => {
    const call = `mutation($input: Create${what}Input!) { create${what}(input: $input) { id } }`;
    const data = await admin<Record<string, { id: string }>>(call, { input });
    return data[`create${what}`]?.id ?? "";
  };
  const country = await create("Country", {
    ...{ code: "KE", enabled: true, translations: named("Kenya") },
  });
  const zoneId = await create("Zone", { name: "Kenya", memberIds: [country] });
  await admin(
    "mutation($input: UpdateChannelInput!) { updateChannel(input: $input) { __typename } }",
    {
      input: {
        ...{ id: "1", defaultTaxZoneId: zoneId, defaultShippingZoneId: zoneId },
        ...{ availableCurrencyCodes: ["KES"], defaultCurrencyCode: "KES", pricesIncludeTax: true },
      },
    },
  );
  const categoryId = await create("TaxCategory", { name: "All", isDefault: true });
  await create("TaxRate", { name: "VAT", enabled: true, value: 16, categoryId, zoneId });
  await create("ShippingMethod", {
    code: "rider",
    checker: operation("default-shipping-eligibility-checker", { orderMinimum: "0" }),
    calculator: operation("default-shipping-calculator", {
      ...{ rate: "30000", includesTax: "include", taxRate: "16" },
    }),
    fulfillmentHandler: "manual-fulfillment",
    translations: described("Rider"),
  });
  for (const code of ["malipo", "gift-card"]) {
    const handler = operation(code);
    await create("PaymentMethod", { code, enabled: true, handler, translations: described(code) });
  }
}

/** Puts something into the shop that no other order takes. Returns its id. */
async function addProduct(admin: Call): Promise<string> {
  const sku = crypto.randomUUID();
  const { createProduct } = await admin<{ createProduct: { id: string } }>(
    "mutation($input: CreateProductInput!) { createProduct(input: $input) { id } }",
    {
      input: { translations: [{ languageCode: "en", name: "Beans", slug: sku, description: "" }] },
    },
  );
  const variant = {
    ...{ productId: createProduct.id, sku, translations: named("Beans") },
    ...{ price: 150_050, stockOnHand: 10, trackInventory: "TRUE" },
  };
  const { createProductVariants } = await admin<{ createProductVariants: { id: string }[] }>(
    "mutation($input: [CreateProductVariantInput!]!) { createProductVariants(input: $input) { id } }",
    { input: [variant] },
  );
  return createProductVariants[0]?.id ?? "";
}

const ORDER = `id state
  payments { id method state amount transactionId refunds { state total } }
  lines { quantity productVariant { stockLevels { stockAllocated } } }
  history(options: { take: 50 }) { items { data } }`;

/** A customer with an order. */
async function newCustomer(call: Call, variant: string) {
  const does = (what: string, { why = "", variables = {}, declared = "" } = {}) =>
    call<{ result: { code: string; state: string } }>(
      `mutation${declared} { result: ${what} { ... on Order { code state } ${WRONG} ${why} } }`,
      variables,
    ).then(({ result }) => result);
  const to = (state: string) => does(`transitionOrderToState(state: "${state}")`, { why: WHY });
  const { code } = await does(`addItemToOrder(productVariantId: ${variant}, quantity: 1)`);
  const email = `${code.toLowerCase()}@shop.example`;
  await does(
    `setCustomerForOrder(input: { firstName: "A", lastName: "B", emailAddress: "${email}" })`,
  );
  await does('setOrderShippingAddress(input: { streetLine1: "Moi Avenue", countryCode: "KE" })');
  const { eligibleShippingMethods } = await call<{ eligibleShippingMethods: { id: string }[] }>(
    "{ eligibleShippingMethods { id } }",
  );
  await does(`setOrderShippingMethod(shippingMethodId: [${eligibleShippingMethods[0]?.id}])`);
  await to("ArrangingPayment");
  return {
    code,
    to,
    payByPhone: (phone: string, after?: number) =>
      call<{ payByPhone: PhonePayment }>(
        "mutation($phone: String!, $after: Int) { payByPhone(phone: $phone, after: $after) }",
        { phone, after },
      ).then(({ payByPhone }) => payByPhone),
    phonePayment: () =>
      call<{ phonePayment: PhonePayment }>(`{ phonePayment(code: "${code}") }`).then(
        ({ phonePayment }) => phonePayment,
      ),
    pay: (method: string, metadata: Json) =>
      does("addPaymentToOrder(input: $input)", {
        variables: { input: { method, metadata } },
        declared: "($input: PaymentInput!)",
      }),
    take: async (quantity: number) => {
      const { activeOrder } = await call<{ activeOrder: { lines: { id: string }[] } }>(
        "{ activeOrder { lines { id } } }",
      );
      return does(
        `adjustOrderLine(orderLineId: ${activeOrder.lines[0]?.id}, quantity: ${quantity})`,
      );
    },
  };
}

/** A served sandbox, and two processes of the shop, whose callers take turns. The first one gets the webhooks. */
export async function openVendure(folder: string, databaseUrl: string) {
  const program = { args: ["dist/with-gift-cards.js"], folder };
  const pair = await openShopPair(program, databaseUrl);
  await pair.start(0);
  const api = (name: string) => () => `${pair.urlOf()}/${name}`;
  const admin = caller(api("admin-api"));
  const login = () =>
    admin(
      `mutation { login(username: "superadmin", password: "superadmin") { ... on CurrentUser { id } } }`,
    );
  return {
    ...pair,
    version: installedVersion(folder, "@vendure/core"),
    admin,
    furnish: async () => {
      await login();
      await furnishShop(admin);
      // A process remembers for a while what it has read of zones and taxes.
      await pair.start(1);
    },
    customer: async () => newCustomer(caller(api("shop-api")), await addProduct(admin)),
    /** What the shop says of an order to its staff. */
    order: async (code: string): Promise<ShopOrder> => {
      const { orders } = await admin<{ orders: { items: ShopOrder[] } }>(
        `query($code: String!) { orders(options: { filter: { code: { eq: $code } } }) { items { ${ORDER} } } }`,
        { code },
      );
      return orders.items[0] as ShopOrder;
    },
    hold: (code: string) => pair.holdRow('SELECT 1 FROM "order" WHERE code = $1', code),
    /** Cancels an order, as staff do. */
    cancel: async (code: string) => {
      const { items } = (
        await admin<{ orders: { items: { id: string }[] } }>(
          "query($code: String!) { orders(options: { filter: { code: { eq: $code } } }) { items { id } } }",
          { code },
        )
      ).orders;
      return admin(
        `mutation($id: ID!) { cancelOrder(input: { orderId: $id }) { ... on Order { state } ${WRONG} ${WHY} } }`,
        { id: items[0]?.id },
      );
    },
    restart: async () => {
      await pair.restart();
      await login();
    },
    close: () => pair.close(folder),
  };
}

export type VendureStage = Awaited<ReturnType<typeof openVendure>>;
