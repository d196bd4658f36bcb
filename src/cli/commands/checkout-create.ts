import type { ManagedOrders } from "../../checkout/orders/manage-orders.ts";
import { OrderMaker } from "../../checkout/orders/order-maker.ts";
import { checkUrl } from "../../checkout/page/page-options.ts";
import { linkKeys, linkSecrets, linkTo } from "../../checkout/page/pay-link.ts";
import type { FlagsOf } from "../../internal/flags.ts";
import { DAY_MS } from "../../internal/units.ts";
import { usageError } from "../cli-error.ts";
import type { Input } from "../command.ts";
import type { CHECKOUT_CREATE } from "../flags/stores.ts";
import { readWholeNumber, requireValue } from "../input/flag-values.ts";
import { formatOrder, onOrders, orderWith } from "./checkout-orders.ts";

/** How often the customer of an order may be asked, as a checkout has it without the option. */
const ATTEMPT_LIMIT = 3;
const MAX_DAYS = 3_650;

type CreateFlags = FlagsOf<typeof CHECKOUT_CREATE>;

/** Makes links like the page of the shop, which has the same secret, address and prefix. */
function linkMaker({ flags, io: { env } }: Input<CreateFlags>): (id: string) => string {
  const url = checkUrl(flags["page-url"] ?? env.MALIPO_PAGE_URL);
  if (url === undefined) {
    throw usageError(
      "The address of the pay page is missing. Pass --page-url https://shop.example/pay, or set MALIPO_PAGE_URL.",
    );
  }
  const secrets = linkSecrets(env.MALIPO_PAGE_SECRET);
  const keys = linkKeys(secrets, flags.prefix ?? "");
  const days = flags.days === undefined ? 30 : readWholeNumber(flags, "days", 1, MAX_DAYS);
  const expiresAt = new Date(Date.now() + days * DAY_MS);
  return (id) => linkTo(id, { url, keys }, expiresAt);
}

/** The currency of a shop that has sold before: an order in another one would keep its id for ever. */
async function currencyOf(orders: ManagedOrders): Promise<string> {
  const { items } = await orders.list({ limit: 1 });
  return items[0]?.currency ?? "KES";
}

/** `malipo checkout create` */
export const create = onOrders(async (orders, input: Input<CreateFlags>, writer) => {
  const { flags, io } = input;
  const [id = ""] = input.args;
  const { prefix = "", currency = await currencyOf(orders), description } = flags;
  const link = flags.link ? linkMaker(input)(id) : undefined;
  const settings = {
    prefix,
    currency,
    attemptLimit: ATTEMPT_LIMIT,
    partPayments: "count",
    publicMetadata: [],
  } as const;
  const maker = new OrderMaker(writer, settings);
  const amount = requireValue(flags, "amount");
  const params = { id, amount, ...(description !== undefined && { description }) };
  await maker.create(params);
  const order = await orderWith(orders, id);
  const value = { ...order, ...(link !== undefined && { link }) };
  return { value, text: () => link ?? formatOrder(order, io.stdout) };
});
