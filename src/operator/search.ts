import { internationalDigits } from "../contract/phone-number.ts";
import type { Entry, Sources } from "./entry.ts";
import { withKnown } from "./event-entries.ts";
import { knownOfOrder, withOrders } from "./money-entries.ts";
import { LISTS } from "./queue-lists.ts";
import { phoneText } from "./wording.ts";

/** What was found, and where. */
export interface Found {
  /** `order` for an order of the checkout that does not have to wait. */
  readonly list: string;
  readonly entry: Entry;
}

/** How many entries of a list are searched. */
const SEARCHED = 500;

const plain = (text: string) => text.replaceAll(/[\s,]/g, "").toLowerCase();

/** Whether a row says what is searched for: its order, a reference, the amount or the phone. */
function matcher(query: string): (entry: Entry) => boolean {
  const wanted = plain(query);
  const phone = internationalDigits(query) === undefined ? undefined : phoneText(query);
  const amount = /^(?:[a-z]{3})?(\d+)(?:\.(\d{1,2}))?$/.exec(wanted);
  const amountWanted = amount && `${amount[1]}.${(amount[2] ?? "").padEnd(2, "0")}`;
  return ({ known, orderId }) => {
    const names = [known?.order, orderId, ...(known?.references ?? [])];
    if (names.some((one) => one !== undefined && plain(one).includes(wanted))) return true;
    if (phone !== undefined && known?.phone === phone) return true;
    return amountWanted !== null && plain(known?.amount ?? "").replace(/^\D+/, "") === amountWanted;
  };
}

/** Searches what waits, and the orders. `isWhole`: whether everything that waits was searched. */
export async function search(
  sources: Sources,
  query: string,
): Promise<{ found: readonly Found[]; isWhole: boolean }> {
  const matches = matcher(query);
  let isWhole = true;
  const waiting = Object.entries(LISTS).map(async ([list, { read }]) => {
    const page = await read(sources, SEARCHED).catch(() => undefined);
    if (page === undefined || page.hasMore) isWhole = false;
    const { entries, unread } = await withKnown(await withOrders(sources, page?.entries ?? []));
    if (unread > 0) isWhole = false;
    return entries.filter(matches).map((entry): Found => ({ list, entry }));
  });
  const orders = (await sources.checkout?.find(query)) ?? [];
  const found = (await Promise.all(waiting)).flat();
  for (const order of orders) {
    const entry: Entry = {
      id: order.id,
      at: Date.parse(order.createdAt),
      cause: `${order.status}, ${order.received} received, goods: ${order.effect}`,
      orderId: order.id,
      known: knownOfOrder(order),
      choices: [],
    };
    found.push({ list: "order", entry });
  }
  return { found, isWhole };
}
