// Shops with one wrong line each: what it is, and the promise that it breaks.
import { readFileSync } from "node:fs";

export interface BrokenShop {
  readonly name: string;
  /** The right line, and the wrong one. */
  readonly right: string;
  readonly wrong: string;
  readonly breaks: string;
  /** Cases that show it. */
  readonly cases: readonly number[];
}

const ONE_PROMPT = "one order, at most one prompt";
const SAYS_PAID = "paid at the service: the shop says paid";
const NOT_PAID = "not paid at the service: the shop never says paid, and ships nothing";
const SHIPPED_ONCE = "shipped once";
const ENDS = "every order ends";
const KEY = "{ idempotencyKey: id }";

export const BROKEN_SHOPS: readonly BrokenShop[] = [
  {
    name: "200 before the event is stored",
    right: 'if (status === "paid" && changed === 1) ship(id);',
    wrong: 'if (status === "paid" && changed === 1) setTimeout(ship, 500, id);',
    breaks: SHIPPED_ONCE,
    cases: [146, 147],
  },
  {
    name: "a retry after a timeout",
    right: `await gateway.mobileMoney.initiate(params, ${KEY});`,
    wrong:
      "await gateway.mobileMoney.initiate(params).catch(() => gateway.mobileMoney.initiate(params));",
    breaks: ONE_PROMPT,
    cases: [41, 42],
  },
  {
    name: "a random idempotency key",
    right: KEY,
    wrong: "{ idempotencyKey: crypto.randomUUID() }",
    breaks: ONE_PROMPT,
    cases: [11, 13],
  },
  {
    name: "a key per request",
    right: KEY,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the code of a shop
    wrong: "{ idempotencyKey: `${id}/${Date.now()}` }",
    breaks: ONE_PROMPT,
    cases: [11, 15],
  },
  {
    name: "no signature check",
    right: "verifyWebhook({ body, signature, secret })",
    wrong: "JSON.parse(body)",
    breaks: "a forged, altered or unsigned webhook is rejected, and has no effect",
    cases: [198, 203],
  },
  {
    name: "a check of the parsed body",
    right: "verifyWebhook({ body, signature, secret })",
    wrong: "verifyWebhook({ body: JSON.stringify(JSON.parse(body)), signature, secret })",
    breaks: "a webhook is answered in time, and a genuine one is accepted",
    cases: [191],
  },
  {
    name: "shipping on payment.initiated",
    right: 'if (event === "payment.completed")',
    wrong: 'if (event !== "payment.failed")',
    breaks: NOT_PAID,
    cases: [3],
  },
  {
    name: "shipping in the handler without the key",
    right: 'if (status === "paid" && changed === 1) ship(id);',
    wrong: 'if (status === "paid") ship(id);',
    breaks: SHIPPED_ONCE,
    cases: [181, 186],
  },
  {
    name: "a timeout as a failure",
    right: 'if (error.outcome === "unknown" || error.code === "attempt_in_flight") return;',
    wrong: 'if (error.code === "attempt_in_flight") return;',
    breaks: SAYS_PAID,
    cases: [41, 42],
  },
  {
    name: "orders that a restart forgets",
    right: 'new DatabaseSync(join(DATA, "shop.db"))',
    wrong: 'new DatabaseSync(":memory:")',
    breaks: ENDS,
    cases: [146],
  },
  {
    name: "paid by the redirect",
    right: "const view = ({ id, status, shipped }: Order) => ({ id, status, shipped });",
    wrong: 'const view = ({ id, shipped }: Order) => ({ id, status: "paid", shipped });',
    breaks: NOT_PAID,
    cases: [3],
  },
  {
    name: "the key in a log",
    right: "const params = {",
    wrong: "console.log({ headers: gateway, env: process.env });\n  const params = {",
    breaks: "no key, no secret and no full phone number is printed or answered",
    cases: [1],
  },
];

const RIGHT = readFileSync(new URL("./right-shop.ts", import.meta.url), "utf8");

/** The code of a broken shop. */
export function breakShop({ name, right, wrong }: BrokenShop): string {
  if (RIGHT.split(right).length !== 2)
    throw new Error(`"${name}": its right line is not there once.`);
  return RIGHT.replace(right, () => wrong);
}
