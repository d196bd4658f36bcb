// Shops with one wrong line each: what it is, and the promise that it breaks.
import { readFileSync } from "node:fs";

export interface BrokenShop {
  readonly name: string;
  /** The right line, and the wrong one. */
  readonly right: string;
  readonly wrong: string;
  /** The promise that it breaks. */
  readonly breaks: string;
  /** What may follow from it in the same cases, by the moment at which a customer looks. */
  readonly follows?: readonly string[];
  /** Cases that show it. */
  readonly cases: readonly number[];
  readonly processes?: string;
  /** A part of the cause that a reader is told. */
  readonly cause?: string;
}

const PAID_ONCE = "one order, paid at most once";
const ONE_PROMPT = "one attempt, at most one prompt";
const SOON = "a prompt comes soon after the click, or never";
const SAYS_PAID = "paid at the service: the shop says paid, and delivers the goods";
const NOT_PAID = "not paid at the service: the shop never says paid, and delivers nothing";
const OWN_AMOUNT = "an order is paid by its own amount and currency only";
const GOODS_ONCE = "the goods are given once";
const NO_FALSE_FAILURE = 'no customer reads "failed" while the payment may still come';
const STAYS_PAID = "a paid order stays paid";
const ENDS = "every order ends";
const FORGED = "a forged, altered or unsigned webhook is rejected, and has no effect";
const ANSWERED = "a webhook is answered in time, and a genuine one is accepted";
const IN_STOCK = "no more is sold than there is";
const CANCELED = "a canceled order rings no phone, never becomes paid, and gives no goods";
const REFUNDED = "a refunded order rings no phone, and gives no goods";
const CHANGED = "an order asks for what is due, and is paid when all of it has come";
const OWN_PHONE = "the phone that was typed rings, and no other one";
const ALIVE = "the process does not die, and comes back after a kill";
const SECRET = "no key, no secret and no full phone number is printed or answered";

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: it is the code of a shop
const KEY = "{ idempotencyKey: key }";
const UNKNOWN = 'if (error.outcome === "unknown" || error.code === "attempt_in_flight") return;';
const COMPLETED =
  'if (event === "payment.completed" && isFor(order, data)) end(order, "paid", data);';
const CONTRADICTION =
  'if (event !== `payment.${"status" in data ? data.status : "initiated"}`) return 200;';
const ADDED = 'if (result === "added") await ask(';
const SHIPS = 'if (status === "paid" && changed === 1) ship(id);';

export const BROKEN_SHOPS: readonly BrokenShop[] = [
  // First, since it takes longest: the service is away for 100 seconds.
  {
    name: "a prompt that is sent until it succeeds",
    right: UNKNOWN,
    wrong:
      'if (error.outcome === "unknown") return void setTimeout(ask, 2_000, { id, phone, asked, attempt: attempt + 1 });',
    breaks: SOON,
    follows: [NO_FALSE_FAILURE],
    cases: [285],
  },
  {
    name: "200 before the event is stored",
    right: SHIPS,
    wrong: 'if (status === "paid" && changed === 1) setTimeout(ship, 500, id);',
    breaks: SAYS_PAID,
    cases: [146, 147],
  },
  {
    name: "a retry after a timeout",
    right: `await gateway.mobileMoney.initiate(params, ${KEY});`,
    wrong:
      "await gateway.mobileMoney.initiate(params).catch(() => gateway.mobileMoney.initiate(params));",
    breaks: ONE_PROMPT,
    follows: [PAID_ONCE, NO_FALSE_FAILURE],
    cases: [41, 42],
  },
  {
    name: "a random idempotency key",
    right: KEY,
    wrong: "{ idempotencyKey: crypto.randomUUID() }",
    breaks: ONE_PROMPT,
    follows: [PAID_ONCE, NO_FALSE_FAILURE],
    cases: [11, 13],
  },
  {
    name: "a key per request",
    right: KEY,
    wrong: "{ idempotencyKey: `${id}/${Date.now()}` }",
    breaks: ONE_PROMPT,
    follows: [PAID_ONCE, NO_FALSE_FAILURE],
    cases: [11, 15],
  },
  {
    name: "no signature check",
    right: "verifyWebhook({ body, signature, secret })",
    wrong: "JSON.parse(body)",
    breaks: FORGED,
    follows: [NO_FALSE_FAILURE],
    cases: [198, 203],
  },
  {
    name: "a check of the parsed body",
    right: "verifyWebhook({ body, signature, secret })",
    wrong: "verifyWebhook({ body: JSON.stringify(JSON.parse(body)), signature, secret })",
    breaks: ANSWERED,
    cases: [191],
  },
  {
    name: "shipping on payment.initiated",
    right: CONTRADICTION,
    wrong: 'if (event !== "payment.failed") end(order, "paid", data as Paid);',
    breaks: NOT_PAID,
    cases: [3],
  },
  {
    name: "shipping in the handler without the key",
    right: SHIPS,
    wrong: 'if (status === "paid") ship(id);',
    breaks: GOODS_ONCE,
    cases: [181, 186],
  },
  {
    name: "a timeout as a failure",
    right: UNKNOWN,
    wrong: 'if (error.code === "attempt_in_flight") return;',
    breaks: SAYS_PAID,
    follows: [NO_FALSE_FAILURE],
    cases: [41, 42],
  },
  {
    name: "orders that a restart forgets",
    right: 'new DatabaseSync(join(DATA, "shop.db"))',
    wrong: 'new DatabaseSync(":memory:")',
    breaks: ENDS,
    follows: [SAYS_PAID],
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
    breaks: SECRET,
    cases: [1],
  },
  {
    name: "a failure that the webhook corrects",
    right: UNKNOWN,
    wrong: `if (error.outcome === "unknown") change("status = 'failed' WHERE id = ?", id);\n    ${UNKNOWN}`,
    breaks: NO_FALSE_FAILURE,
    follows: [SAYS_PAID, STAYS_PAID, GOODS_ONCE],
    cases: [319, 322, 324, 327, 333, 335],
  },
  {
    name: "a sweep that reads only the payments that it knows",
    right: "reference === null ? await gateway.payments.list({ per_page: 100 }) : undefined",
    wrong: "{ items: [] }",
    breaks: SAYS_PAID,
    follows: [NO_FALSE_FAILURE, ENDS],
    cases: [319, 324, 327, 329],
  },
  {
    name: "a restart that gives up what it does not know",
    right: "if (Date.now() - order.at < PROMPT_WITHIN_MS) void ask(order);",
    wrong: 'end(order, "failed");',
    breaks: NO_FALSE_FAILURE,
    follows: [SAYS_PAID],
    cases: [331],
  },
  {
    name: "a timeout that forgets what the webhook said",
    right: UNKNOWN,
    wrong: `if (error.outcome === "unknown") change("status = 'pending', at = ? WHERE id = ?", Date.now(), id);\n    ${UNKNOWN}`,
    breaks: STAYS_PAID,
    follows: [GOODS_ONCE],
    cases: [326],
  },
  {
    name: "a parcel for each paid attempt",
    right: COMPLETED,
    wrong: `${COMPLETED}\n    if (order.status === "paid" && order.reference !== data.reference) ship(order.id);`,
    breaks: GOODS_ONCE,
    cases: [297],
  },
  {
    name: "goods for any amount",
    right: "Number(payment.amount) === order.asked ||",
    wrong: "(payment.amount = order.asked) ||",
    breaks: OWN_AMOUNT,
    cases: [275, 283],
  },
  {
    name: "goods for any currency",
    right: ' && payment.currency === "KES";',
    wrong: "",
    breaks: OWN_AMOUNT,
    cases: [277],
  },
  {
    name: "the status inside a webhook instead of its kind",
    right: CONTRADICTION,
    wrong: 'if ("status" in data && data.status === "failed") return end(order, "failed"), 200;',
    breaks: NO_FALSE_FAILURE,
    follows: [SAYS_PAID],
    cases: [279],
  },
  {
    name: "a failure of an earlier attempt that ends the order",
    right: ' && order.reference === data.reference) end(order, "failed");',
    wrong: ') end(order, "failed");',
    breaks: NO_FALSE_FAILURE,
    cases: [360, 361, 362],
    cause: "a payment.failed of an earlier attempt",
  },
  {
    name: "a second attempt beside an open one",
    right: "WHERE id = ? AND status = 'failed'\"",
    wrong: 'WHERE id = ?"',
    breaks: ONE_PROMPT,
    follows: [NO_FALSE_FAILURE],
    cases: [291],
  },
  {
    name: "another phone under a known id",
    right: ADDED,
    wrong:
      'change("attempt = attempt + 1, phone = ? WHERE id = ? AND phone <> ?", phone, order, phone);\n    await ask(',
    breaks: ONE_PROMPT,
    follows: [PAID_ONCE],
    cases: [301],
  },
  {
    name: "another amount under a known id",
    right: "ON CONFLICT (id) DO NOTHING",
    wrong:
      "ON CONFLICT (id) DO UPDATE SET amount = excluded.amount, asked = excluded.asked, attempt = attempt + 1, status = 'pending' WHERE status = 'failed'",
    breaks: OWN_AMOUNT,
    follows: [NO_FALSE_FAILURE],
    cases: [304],
  },
  {
    name: "a failure that takes back a success",
    right: "NOT IN ('canceled', 'refunded', 'paid', ?)",
    wrong: "NOT IN ('canceled', 'refunded', ?)",
    breaks: STAYS_PAID,
    follows: [SAYS_PAID, NO_FALSE_FAILURE],
    cases: [196],
  },
  {
    name: "a page that sends the prompt, too",
    right: '  const [found] = rows("id = ?", id);',
    wrong:
      '  const [found] = rows("id = ?", id);\n  if (found && found.reference === null && found.attempt === 1) void ask({ ...found, attempt: 2 });',
    breaks: SAYS_PAID,
    follows: [NO_FALSE_FAILURE],
    cases: [311],
    processes: "2",
  },
  {
    name: "more pieces than there are",
    right: "WHERE id = ? AND pieces > 0",
    wrong: "WHERE id = ?",
    breaks: IN_STOCK,
    cases: [339, 340, 341],
    cause: "a stock that is read before the order is stored",
  },
  {
    name: "a double click that makes two attempts",
    right: "ON CONFLICT (id) DO NOTHING",
    wrong: "ON CONFLICT (id) DO UPDATE SET attempt = attempt + 1",
    breaks: ONE_PROMPT,
    follows: [PAID_ONCE, NO_FALSE_FAILURE],
    cases: [337, 338],
    cause: "a double click that is taken for two orders",
  },
  {
    name: "goods in a promise that nothing awaits",
    right: SHIPS,
    wrong:
      'if (status === "paid" && changed === 1) void Promise.reject(new Error("No courier.")).catch(() => {});',
    breaks: SAYS_PAID,
    cases: [1],
    cause: 'an "await" that was forgotten',
  },
  {
    name: "goods by a read, too",
    right: 'isFor(order, payment)) end(order, "paid", payment);',
    wrong: 'isFor(order, payment)) end(order, "paid", payment), ship(id);',
    breaks: GOODS_ONCE,
    cases: [166],
    cause: "an effect for each payment",
  },
  {
    name: "the phone in an answer",
    right: "const view = ({ id, status, shipped }: Order) => ({ id, status, shipped });",
    wrong:
      "const view = ({ id, status, shipped, phone }: Order) => ({ id, status, shipped, phone });",
    breaks: SECRET,
    cases: [1],
    cause: "a response that repeats the whole order",
  },
  {
    name: "the phone in a log",
    right: "const params = {",
    wrong: 'console.log("asks", phone);\n  const params = {',
    breaks: SECRET,
    cases: [1],
    cause: "a log of the order with its phone",
  },
  {
    name: "a signature that may be missing",
    right: "verifyWebhook({ body, signature, secret })",
    wrong:
      '(signature === "undefined" ? JSON.parse(body) : verifyWebhook({ body, signature, secret }))',
    breaks: FORGED,
    follows: [NO_FALSE_FAILURE],
    cases: [203],
    cause: "only if the header is there",
  },
  {
    name: "pay again without a prompt",
    right: "if (change(again, due(id), Date.now(), id) === 1)",
    wrong: 'if (change(again, due(id), "later", id) === 0)',
    breaks: ENDS,
    cases: [289],
    cause: "before its prompt is sent",
  },
  {
    name: "an error that nothing catches",
    right: UNKNOWN,
    wrong: `if (error.outcome === "unknown") setTimeout(() => { throw error; });\n    ${UNKNOWN}`,
    breaks: ALIVE,
    follows: [ANSWERED],
    cases: [41],
    cause: "an error that nothing catches",
  },
  {
    name: "an error for a webhook that came before",
    right: COMPLETED,
    wrong: `if (order.status === "paid") return 409;\n    ${COMPLETED}`,
    breaks: ANSWERED,
    cases: [181, 186],
    cause: "an error status for an event that the shop has stored before",
  },
  {
    name: "the last nine digits of any phone",
    right: "const params = { phone,",
    wrong: "const params = { phone: `0${phone.slice(-9)}`,",
    breaks: OWN_PHONE,
    cases: [342],
    cause: "the last nine digits",
  },
  {
    name: "cancel and give",
    right: "NOT IN ('canceled', 'refunded', 'paid', ?)",
    wrong: "NOT IN ('refunded', 'paid', ?)",
    breaks: CANCELED,
    cases: [345, 346, 348],
    cause: "whatever has become of it",
  },
  {
    name: "a canceled order that is paid again",
    right: "reference = NULL, asked = ?, at = ? WHERE id = ? AND status = 'failed'",
    wrong: "reference = NULL, asked = ?, at = ? WHERE id = ? AND status IN ('failed', 'canceled')",
    breaks: CANCELED,
    cases: [343, 344],
    cause: "canceled ones included",
  },
  {
    name: "cancel as a switch",
    right: "status = 'canceled' WHERE id = ? AND status IN ('pending', 'failed')",
    wrong:
      "status = iif(status = 'canceled', 'failed', 'canceled') WHERE id = ? AND status IN ('pending', 'failed', 'canceled')",
    breaks: CANCELED,
    cases: [358],
    cause: "a second click on cancel that takes the first one back",
  },
  {
    name: "refund as a switch",
    right: `["status = 'refunded' WHERE id = ? AND status = 'paid'"]`,
    wrong: `(action === "refund" && database.prepare("DELETE FROM money WHERE id = ?").run(id),
      ["status = iif(status = 'refunded', 'failed', 'refunded') WHERE id = ? AND status IN ('paid', 'refunded')"])`,
    breaks: REFUNDED,
    follows: [ONE_PROMPT, PAID_ONCE, GOODS_ONCE],
    cases: [359],
    cause: "a second click on refund that takes the first one back",
  },
  {
    name: "refund and give",
    right: "NOT IN ('canceled', 'refunded', 'paid', ?)",
    wrong: "NOT IN ('canceled', 'paid', ?)",
    breaks: REFUNDED,
    follows: [GOODS_ONCE],
    cases: [349],
    cause: "look like one that was never paid",
  },
  {
    name: "a refunded order that is asked for again",
    right: "reference = NULL, asked = ?, at = ? WHERE id = ? AND status = 'failed'",
    wrong:
      "reference = NULL, asked = coalesce(nullif(?, 0), amount), at = ? WHERE id = ? AND status IN ('failed', 'refunded')",
    breaks: REFUNDED,
    follows: [ONE_PROMPT, PAID_ONCE, GOODS_ONCE],
    cases: [350],
    cause: "refunded ones included",
  },
  {
    name: "an order that grows and is paid by the old price",
    right: 'const isPart = result === "paid" && due(id) > 0;',
    wrong: "const isPart = Number(payment?.amount) < rows('id = ?', id)[0].asked;",
    breaks: CHANGED,
    cases: [353],
    cause: "an amount that was stored with the attempt",
  },
  {
    name: "an order that grows and is asked for the old price",
    right: "if (change(again, due(id), Date.now(), id) === 1)",
    wrong: "if (change(again, rows('id = ?', id)[0]?.asked, Date.now(), id) === 1)",
    breaks: CHANGED,
    cases: [351, 352, 354],
    cause: "the price that the order had when it was made",
  },
  {
    name: "a change that asks the phone at once",
    right: "  const managed = manage(",
    wrong: `  if (request.method === "PUT") {
    change("amount = ?, attempt = attempt + 1 WHERE id = ?", JSON.parse(body).amount, id);
    await ask({ ...rows("id = ?", id)[0], asked: due(id) });
  }
  const managed = manage(`,
    breaks: ONE_PROMPT,
    follows: [CHANGED, PAID_ONCE, NO_FALSE_FAILURE, GOODS_ONCE],
    cases: [353, 354],
    cause: "begins a new attempt while a phone is still asked",
  },
  {
    name: "a part payment that is not counted",
    right: "isOther(order, payment)) &&",
    wrong: "order.former.includes(`${payment.reference}`)) &&",
    breaks: CHANGED,
    cases: [355, 357],
    cause: "that nothing adds to what has come",
  },
  {
    name: "a part payment that is taken for the whole",
    right: 'const isPart = result === "paid" && due(id) > 0;',
    wrong: "const isPart = false;",
    breaks: CHANGED,
    follows: [NO_FALSE_FAILURE],
    cases: [355, 357],
    cause: "taken for the whole price",
  },
];
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: it is the code of a shop

/** Whole shops that pass where one thing goes wrong, with what a drill must find in them. */
export const FORMER_SHOPS: readonly {
  readonly file: string;
  readonly breaks: readonly string[];
  readonly follows: readonly string[];
  readonly processes: string;
  /** The groups of cases that show it. */
  readonly groups: readonly string[];
  /** Whether it shows only while the service is away for 100 seconds. */
  readonly isAway: boolean;
}[] = [
  {
    file: "former-shop.ts",
    breaks: [OWN_AMOUNT, SOON, GOODS_ONCE],
    // The second process asks again in the moment of a rejection: not in each drill.
    follows: [SAYS_PAID, NO_FALSE_FAILURE, ONE_PROMPT],
    processes: "2",
    groups: ["service", "people"],
    isAway: true,
  },
  {
    file: "quick-shop.ts",
    breaks: [OWN_AMOUNT, GOODS_ONCE, ONE_PROMPT],
    follows: [PAID_ONCE],
    processes: "1",
    groups: ["service", "people"],
    isAway: false,
  },
];

/** A right shop that stores a webhook, responds 200, and handles it a moment later. */
export const INBOX_SHOP: Pick<BrokenShop, "name" | "right" | "wrong"> = {
  name: "an inbox",
  right: COMPLETED,
  wrong: COMPLETED.replace('end(order, "paid", data)', 'setTimeout(end, 40, order, "paid", data)'),
};

/** A right shop that learns late what the service has responded. */
export const SLOW_SHOP: typeof INBOX_SHOP = {
  name: "a slow network",
  right: "  timeoutMs: 2_000,\n",
  wrong: `  timeoutMs: 2_000,
  fetch: async (...sent) => {
    const response = await fetch(...sent);
    await new Promise((resolve) => setTimeout(resolve, 800));
    return response;
  },
`,
};

const RIGHT = readFileSync(new URL("./right-shop.ts", import.meta.url), "utf8");

/** The code of a broken shop. */
export function breakShop({ name, right, wrong }: typeof INBOX_SHOP): string {
  if (RIGHT.split(right).length !== 2)
    throw new Error(`"${name}": its right line is not there once.`);
  return RIGHT.replace(right, () => wrong);
}
