// The two pages. They need no JavaScript: an open order is loaded again every two seconds.
import type { CustomerOrder } from "malipo/checkout";
import { newOrderId, PRICES, SENT, saysOf } from "./shop.ts";

/** No cache and no other site's frame may hold a page of a customer. */
export const HEADERS = {
  "cache-control": "no-store",
  "content-security-policy": "frame-ancestors 'none'",
  "content-type": "text/html; charset=utf-8",
};

const CHARACTERS: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", '"': "&quot;" };

/** What the shop did not write itself, such as the service's text for the customer, may hold HTML. */
const escapeHtml = (text: string) => text.replace(/[&<"]/g, (found) => CHARACTERS[found] ?? "");

const STYLE =
  "body { font: 1.1em system-ui; max-width: 22em; margin: 2em auto } label, button { display: block; margin: 1em 0 }";

const page = (body: string, head = "") => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
${head}<title>Duka</title>
<style>${STYLE}</style>
<h1>Duka</h1>
${body}
</html>`;

const itemOption = ([item, price]: [string, number]) =>
  `<label><input type="radio" name="item" value="${item}" required> ${item}, KES ${price}</label>`;

const payForm = (
  id: string,
  fields: string,
  button: string,
) => `<form method="post" action="/orders">
<input type="hidden" name="order" value="${id}">
${fields}
<label>Mobile-money number <input name="phone" type="tel" value="0712345678" required></label>
<button>${button}</button>
</form>`;

/** The last attempt that the customer saw, 0 for none: two tabs with one `after` make one attempt. */
const afterField = (attempts: number) => `<input type="hidden" name="after" value="${attempts}">`;

export const startPage = (): string =>
  page(
    payForm(
      newOrderId(),
      [afterField(0), ...Object.entries(PRICES).map(itemOption)].join("\n"),
      "Pay",
    ),
  );

const payAgain = ({ id, metadata, attempts }: CustomerOrder) =>
  payForm(
    id,
    `<input type="hidden" name="item" value="${escapeHtml(`${metadata?.item}`)}">
${afterField(attempts.length)}`,
    "Pay again",
  );

export function orderPage(order: CustomerOrder, parcels: number): string {
  const { id, metadata, amount, currency, status, canPay } = order;
  return page(
    `<p>${escapeHtml(`${metadata?.item}`)}, ${currency} ${amount}, order ${id}</p>
<p role="status">${escapeHtml(saysOf(order))}</p>
<p>${SENT.repeat(parcels)}</p>
${canPay ? payAgain(order) : ""}
<p><a href="/">Order something else</a></p>`,
    status === "pending" ? '<meta http-equiv="refresh" content="2">\n' : "",
  );
}
