import type { Change, Sabotages } from "./harness/bundle.ts";
import { NEW_KIND } from "./inboxes/settings.ts";

/** Changes of the source that break a promise, by the subject whose campaign notices them. */
export const SABOTAGES = {
  prompts: {
    // An attempt is sent whenever its process wakes.
    "no-deadline": {
      file: "idempotency/deadline.ts",
      from: "const { wallMs, monotonicMs } = elapsed();",
      to: "const { wallMs, monotonicMs } = { wallMs: 0, monotonicMs: 0 };",
      breaks: "sent_late",
    },
    // An attempt is freed although it is too early for that.
    "early-resolve": {
      file: "idempotency/tables.ts",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a part of the source
      from: "WHERE ${isResolvable} AND ${isFreeable} AND",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a part of the source
      to: "WHERE ${isResolvable} AND",
      breaks: "freed_early",
    },
    // A process knows only what it has stored itself.
    "forgetful-store": {
      file: "idempotency/run-once.ts",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a part of the source
      from: "=> `${endpoint} ${key}`;",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a part of the source
      to: "=> `${endpoint} ${process.pid} ${key}`;",
      breaks: "prompts",
    },
  },
  orders: {
    "no time to send": {
      file: "checkout/orders/order-engine.ts",
      from: "        sendBefore,\n",
      to: "",
      breaks: "sent late",
    },
    "a lost response ends the attempt": {
      file: "checkout/orders/order-engine.ts",
      from: 'if (outcome === "unknown" || !isOwn) return { kind: "lost", number };',
      to: "",
      breaks: "a payment of no attempt",
    },
    "one key for all attempts": {
      file: "checkout/orders/order-engine.ts",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a part of the source
      from: "/${number}`;",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a part of the source
      to: "/${number * 0}`;",
      breaks: "attempts",
    },
    "payments are not read": {
      file: "checkout/orders/payment-reads.ts",
      from: "if (this.#waiting.has(reference)) return;",
      to: "return;",
      breaks: "never ended",
    },
    "what is unknown is not looked up": {
      file: "checkout/orders/order-engine.ts",
      from: 'const wasUnknown = found.state === "unknown";',
      to: "const wasUnknown = false;",
      breaks: "never ended",
    },
    "an effect is done twice": {
      file: "checkout/rules/rules.ts",
      from: '"an effect is done once",\n      [6],\n      ({ effect }) => effect?.state === "due",',
      to: '"an effect is done once",\n      [6],\n      ({ effect }) => effect !== undefined,',
      breaks: "goods",
    },
    "the goods before the transaction": {
      file: "storage/sqlite/sqlite-room.ts",
      from: "    const { database } = this.#room;\n    try {\n      const done = await",
      to: `    const { database } = this.#room;
    try {
      parts.work(this.#room.connection);
      const done = await`,
      breaks: "goods",
      on: "sqlite",
    },
    "a phone is asked for two orders": {
      file: "checkout/orders/order-steps.ts",
      from: "if (openUntil > now) return",
      to: "if (openUntil > now && openUntil === 0) return",
      breaks: "two prompts on one phone",
    },
    "an order outside of the merchant's transaction": {
      file: "checkout/orders/order-store.ts",
      from: "if (transaction !== undefined) return tables.within(transaction, steps);",
      to: "if (transaction !== undefined) return tables.transaction(steps);",
      breaks: "cart",
      on: "postgres",
    },
    "what onPaid rolled back counts as given": {
      file: "storage/sqlite/sqlite-room.ts",
      from: "throw /no such savepoint/.test(String(error)) ? rolledBack(parts.caller, error) : error;",
      to: "return { before, worked: { result: result as Worked } };",
      breaks: "goods",
      on: "sqlite",
    },
    "a review is decided by two people": {
      file: "checkout/rules/decision-rules.ts",
      from: "reviewWith(order, review) === undefined,\n    refused,",
      to: "reviewWith(order, review) === undefined,\n    (order) => order,",
      breaks: "decided twice",
    },
    "an order changes while its phone is asked": {
      file: "checkout/rules/rules.ts",
      from: "[13],\n      ({ attempts }) => attempts.some(isOpen),\n      refused,",
      to: "[13],\n      () => false,\n      refused,",
      breaks: "changed while asked",
    },
    "a part is not counted": {
      file: "checkout/rules/order-state.ts",
      from: "moreThan(order.amount, countedSum(order));",
      to: "order.amount;",
      breaks: "asked wrongly",
    },
    "a refusal is a success": {
      file: "checkout/orders/give-goods.ts",
      from: "    return this.#reason === undefined\n",
      to: "    return this.#reason !== ''\n",
      breaks: "refused",
    },
    "a refund is noted twice": {
      file: "checkout/rules/refund-rules.ts",
      from: "(order, { reference }) => knownRefund(order, reference) !== undefined,\n    unchanged,",
      to: "() => false,\n    unchanged,",
      breaks: "refunds",
    },
    // A defect of the code is no promise: it ends the campaign, which says what it is.
    "a name that is not defined": {
      file: "checkout/orders/order-maker.ts",
      from: "for (let salt = 0; ; salt++) {",
      to: "for (let salt = 0; ; salt++) {\nnotDefined();",
      breaks: "ReferenceError: notDefined is not defined",
    },
    "an order that is over is paid": {
      file: "checkout/rules/reported-rules.ts",
      from: '    reviewed("refund_due"),',
      to: `    ({ closed: _, ...order }, { update }, context) =>
      paidIfWhole(withCounted(order, update, context.now), context),`,
      breaks: "paid wrongly",
    },
  },
  inboxes: {
    // It acknowledges deliveries that it has not stored.
    "early-acknowledgement": {
      file: "webhooks/receiver/store-event.ts",
      from: "const receipt = await settings.inbox.accept(delivery);",
      to: `setTimeout(() => void settings.inbox.accept(delivery).catch(() => {}), 100);
      const receipt = receiptFor("accepted");`,
      breaks: "lost",
    },
    // It ends by itself, with its hundredth delivery.
    "early-end": {
      file: "webhooks/receiver/store-event.ts",
      from: "const receipt = await settings.inbox.accept(delivery);",
      to: `const receipt = await settings.inbox.accept(delivery);
      globalThis.deliveries = (globalThis.deliveries ?? 0) + 1;
      if (globalThis.deliveries === 100) process.exit();`,
      breaks: "died",
    },
  },
} as const satisfies Readonly<Record<string, Sabotages>>;

/** The times of the rules are those of a shop. A campaign has minutes. */
export const SHORTER: readonly Change[] = [
  {
    file: "checkout/rules/inputs.ts",
    from: "lookMs: [5_000, 10 * MINUTE_MS]",
    to: "lookMs: [1_000, 5_000]",
  },
  { file: "checkout/rules/inputs.ts", from: "effectMs: 90_000", to: "effectMs: 12_000" },
  {
    file: "checkout/orders/give-goods.ts",
    from: "MARGIN_MS = 15_000",
    to: "MARGIN_MS = 7_000",
  },
  { file: "checkout/rules/inputs.ts", from: "effectTries: 12", to: "effectTries: 3" },
  {
    file: "checkout/orders/give-goods.ts",
    from: "MAX_BACKOFF_MS = 300_000",
    to: "MAX_BACKOFF_MS = 4_000",
  },
];

/** Makes the package one that documents another kind of event. */
export const NEXT_VERSION: Change = {
  file: "contract/events.ts",
  from: "export const EVENT_KINDS = [",
  to: `export const EVENT_KINDS = [ ${JSON.stringify(NEW_KIND)},`,
};
