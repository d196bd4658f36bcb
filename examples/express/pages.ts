// The two pages. They need no JavaScript: an open order is loaded again every two seconds.
import type { Try } from "./orders.ts";
import { newOrderId, PRICES, SENT, STATES } from "./shop.ts";

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

export const startPage = (): string =>
  page(`<form method="post" action="/orders">
<input type="hidden" name="order" value="${newOrderId()}">
${Object.entries(PRICES).map(itemOption).join("\n")}
<label>Mobile-money number <input name="phone" type="tel" value="0712345678" required></label>
<button>Pay</button>
</form>`);

export function orderPage(current: Try): string {
  const { order_id, item, amount, state, message, again, shipped } = current;
  const isOpen = state === "starting" || state === "waiting";
  const button = `<form method="post" action="/orders/${order_id}/again"><button>Pay again</button></form>`;
  return page(
    `<p>${item}, KES ${amount}, order ${order_id}</p>
<p role="status">${`${STATES[state]} ${escapeHtml(message)}`.trim()}</p>
<p>${SENT.repeat(shipped)}</p>
${again === 1 ? button : ""}
<p><a href="/">Order something else</a></p>`,
    isOpen ? '<meta http-equiv="refresh" content="2">\n' : "",
  );
}
