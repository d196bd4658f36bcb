import { Redis } from "ioredis";
import { Gateway, verifyWebhook } from "malipo";
import { createObserver } from "malipo/learn";
import { gatewayHandlers } from "malipo/msw";
import { createSandbox, explore } from "malipo/sandbox";
import { createWebhookReceiver, signWebhook } from "malipo/webhooks";
import { afterEach, expect, test } from "vitest";
import { postgres } from "../src/engines/postgres.ts";
import { memoryIdempotency } from "../src/idempotency/memory/store.ts";
import { redisIdempotency } from "../src/idempotency/redis/store.ts";
import { memoryInbox } from "../src/webhooks/inbox/memory/inbox.ts";
import { sqliteIdempotency } from "./support/stores/sqlite-idempotency.ts";
import { sqliteInbox } from "./support/stores/sqlite-inbox.ts";

// Something that merges objects without care may add a name to Object.prototype. It must reach no
// option: not the address, not the key, not the secret.

const SECRET = "whsec_1";
const body = JSON.stringify({ event: "x", timestamp: "2026-01-31T09:00:00Z", data: {} });
const sandbox = createSandbox();
const settings = { apiKey: sandbox.keys.secret, baseUrl: sandbox.baseUrl, fetch: sandbox.fetch };
const order = { amount: 100, phone: "0712345678", account_reference: "ORDER-1" };

const gateway = new Gateway(settings);
const { reference } = await gateway.mobileMoney.initiate(order);
await sandbox.clock.advance("1m");

/** Every function that takes options, and options that it cannot work without. */
const ENTRANCES: Record<string, [call: (options: never) => unknown, required?: object]> = {
  Gateway: [(options) => new Gateway(options).payments.get(reference), settings],
  "hooks of a gateway": [(hooks) => new Gateway({ ...settings, hooks }).payments.get(reference)],
  "a call that reads": [(options) => gateway.payments.get(reference, options)],
  "a call that creates": [(options) => gateway.mobileMoney.initiate(order, options)],
  waitFor: [(options) => gateway.payments.waitFor(reference, options)],
  collect: [
    (options) => gateway.mobileMoney.collect(order, options).catch(isPending),
    { waitMs: 20 },
  ],
  reconcile: [
    async (options) => {
      for await (const _ of gateway.payments.reconcile([reference], options));
    },
  ],
  "idempotency.list": [(options) => gateway.idempotency.list(options)],
  "idempotency.resolve": [
    (options) => gateway.idempotency.resolve("none", "PAY-1", options).catch(isConflict),
  ],
  resolveUnknown: [(options) => gateway.idempotency.resolveUnknown(options), { lookBackMs: 1_000 }],
  memoryIdempotency: [(options) => memoryIdempotency(options)],
  sqliteIdempotency: [(options) => sqliteIdempotency(":memory:", options).close()],
  redisIdempotency: [(options) => redisIdempotency(new Redis({ lazyConnect: true }), options)],
  postgres: [(options) => postgres("postgres://localhost/shop", options)],
  verifyWebhook: [
    (options) => verifyWebhook(options),
    { body, signature: signWebhook(body, SECRET), secret: SECRET },
  ],
  createWebhookReceiver: [(options) => createWebhookReceiver(options), { secret: SECRET }],
  "hooks of a receiver": [(hooks) => createWebhookReceiver({ secret: SECRET, hooks })],
  "receiver.stop": [(options) => createWebhookReceiver({ secret: SECRET }).stop(options)],
  memoryInbox: [(options) => memoryInbox(options)],
  sqliteInbox: [(options) => sqliteInbox(":memory:", options)],
  createSandbox: [(options) => createSandbox(options)],
  "createSandbox, limits": [(limits) => createSandbox({ limits })],
  createKey: [(options) => sandbox.createKey(options), { kind: "public" }],
  "faults.add": [(options) => sandbox.faults.add(options), { effect: { kind: "reset" } }],
  chaos: [(options) => sandbox.chaos(options)],
  serve: [
    async (options) => (await sandbox.serve(options)).close(),
    { port: 0, host: "127.0.0.1", command: "test" },
  ],
  gatewayHandlers: [(options) => gatewayHandlers(sandbox, options)],
  explore: [
    (options) => explore(() => ({ handle: () => {}, state: () => 1 }), [body as never], options),
  ],
  createObserver: [(options) => createObserver(options)],
};

const isPending = (error: { code?: string }) => {
  if (error.code !== "payment_pending") throw error;
};
const isConflict = (error: { code?: string }) => expect(error.code).toBe("idempotency_conflict");

/** The names of the options, as the function itself lists them. */
async function optionNames(call: (options: never) => unknown, required: object): Promise<string[]> {
  const options = { ...required, misspelt: 1 };
  const error = await Promise.resolve()
    .then(() => call(options as never))
    .catch((thrown: Error) => thrown);
  const [, names = ""] = /options are: ([^.]+)\./.exec((error as Error).message) ?? [];
  return names.split(", ");
}

let polluted: string[] = [];
afterEach(() => {
  for (const name of polluted) Reflect.deleteProperty(Object.prototype, name);
  polluted = [];
});

test.each(Object.entries(ENTRANCES))(
  "nothing that was added to Object.prototype reaches an option of %s",
  async (_, [call, required = {}]) => {
    const names = await optionNames(call, required);
    expect(names.length).toBeGreaterThan(0);
    const options = { ...required };
    const reached: string[] = [];
    for (const name of names) {
      // As a plain assignment to the prototype would add it: to be read by everyone.
      Object.defineProperty(Object.prototype, name, {
        configurable: true,
        get() {
          if (this === options) reached.push(name);
          // No option may have it, so that any other reader fails.
          return isOurs(new Error().stack) ? Symbol.for("polluted") : undefined;
        },
        set(value: unknown) {
          const property = { value, writable: true, enumerable: true, configurable: true };
          Object.defineProperty(this, name, property);
        },
      });
      polluted.push(name);
    }
    await call(options as never);
    expect(reached).toEqual([]);
  },
);

/** Whether code of this package asks, and not a library or the platform. */
const isOurs = (stack = ""): boolean =>
  /\/src\/(?!.*node_modules)/.test(stack.split("\n")[2] ?? "");
