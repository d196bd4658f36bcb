/** One layer of `src`, and what its files may import beside each other. */
export interface Layer {
  /** The folder or the file, relative to `src`. The longest that fits a file is its layer. */
  readonly path: string;
  /** The folders and files of `src` that it may import. */
  readonly imports: readonly string[];
  /** The packages that it may import, types included. Node's own modules are allowed everywhere. */
  readonly packages: readonly string[];
}

const GROUND = ["internal", "errors"];
/** The room for storage knows no key, no event and no order. */
const STORES = [...GROUND, "storage"];
const CONTRACT = [...GROUND, "contract"];
const SERVICE = [...CONTRACT, "openapi", "profile"];
/** What reads phone numbers: no page of a customer loads it. */
const PHONES = [...CONTRACT, "phones"];
const CLIENT = [...CONTRACT, "storage", "idempotency", "profile", "client"];
/** What receivers load of the contract: nothing that needs schemas. */
const EVENTS = ["contract/events.ts", "contract/double-payment.ts", "contract/payment-state.ts"];
const INBOX = [...STORES, ...EVENTS, "webhooks"];
/** The sandbox signs deliveries; it shares nothing else with receivers. */
const SANDBOX = [...SERVICE, "phones", "html", "sandbox", "webhooks/verification/signature.ts"];
/** An order stands on the calls that ask for money and on the events that say what became of it. */
const CHECKOUT = [...CLIENT, "phones", "webhooks", "checkout"];
/** An engine puts the stores of the layers below it together. */
const ENGINES = [...CHECKOUT, "engines"];
const ALL = [
  ...SANDBOX,
  "storage",
  "idempotency",
  "client",
  "webhooks",
  "learn",
  "checkout",
  "engines",
];

const layer = (path: string, imports: readonly string[], ...packages: string[]): Layer => ({
  path,
  imports,
  packages,
});

/** Imports go down only: a row for each layer, from the lowest to the highest. */
export const LAYERS: readonly Layer[] = [
  layer("internal", GROUND),
  layer("internal/redis", GROUND, "ioredis"),
  layer("internal/hmac", GROUND, "@noble/hashes"),
  layer("errors", GROUND),
  layer("html", GROUND),
  layer("storage", STORES),
  layer("storage/mysql", STORES, "mysql2/promise"),
  layer("storage/postgres", STORES, "pg"),
  layer("contract", CONTRACT, "zod/mini"),
  layer("openapi", CONTRACT, "zod/mini"),
  layer("profile", CONTRACT, "zod/mini"),
  layer("phones", PHONES, "libphonenumber-js/core"),
  layer("idempotency", [...STORES, "idempotency"]),
  layer("idempotency/redis", [...STORES, "idempotency"], "ioredis"),
  layer("client", CLIENT),
  layer("client/http", CLIENT, "ky"),
  layer("client/wakeups", CLIENT, "ioredis", "pg"),
  layer("webhooks", INBOX),
  layer("webhooks/adapters/fastify.ts", INBOX, "fastify"),
  layer("webhooks/inbox/bullmq", INBOX, "bullmq", "ioredis"),
  layer("sandbox", SANDBOX),
  layer("sandbox/state/stored.ts", SANDBOX, "zod/mini"),
  layer("sandbox/msw.ts", SANDBOX, "msw"),
  layer("learn", [...SERVICE, "phones", "learn"]),
  layer("learn/probe", [...SERVICE, "client", "learn"]),
  layer("learn/proxy.ts", [...SERVICE, "client", "learn"]),
  layer("checkout", CHECKOUT),
  // The rules of an order are pure: of the layers below, they know what a payment and an event are.
  layer("checkout/rules", [...CONTRACT, "webhooks"]),
  layer("checkout/orders", [...CLIENT, "phones", "webhooks", "checkout/rules"]),
  layer("checkout/books", [...CHECKOUT, "html"]),
  layer("checkout/page", [...CHECKOUT, "html"], "uqr"),
  layer("engines", ENGINES),
  layer("engines/mysql.ts", ENGINES, "mysql2/promise"),
  layer("engines/postgres.ts", ENGINES, "pg"),
  layer("engines/redis.ts", ENGINES, "ioredis"),
  layer("integrations", ALL),
  layer("integrations/react.ts", ALL, "react"),
  layer("integrations/otel", ALL, "@opentelemetry/api"),
  // A page for production stands on nothing that is made for tests.
  layer("operator", [...CHECKOUT, "html"]),
  // The process of `--goods` uses the package as a shop does.
  layer("drill", ALL, "malipo"),
  layer("cli", [...ALL, "drill"], "@modelcontextprotocol/sdk", "ioredis", "mysql2/promise", "pg"),
  layer("index.ts", ALL),
  layer("types.ts", ALL),
];
