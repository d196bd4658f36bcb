/** A page of the manual: its file, its title (the first heading), and the most words that it may have. */
type Page = readonly [name: string, title: string, words: number];

/** The parts of the manual, each with its folder, in the order in which a new reader takes them. */
export const PARTS: readonly {
  readonly title: string;
  readonly folder: string;
  readonly pages: readonly Page[];
}[] = [
  {
    title: "Guides",
    folder: "guides",
    pages: [
      ["get-started", "Take a first payment", 430],
      ["ways-to-take-payments", "Checkout, collect or initiate? Choose a way", 120],
      ["checkout", "Sell something: a shop on the checkout", 600],
      ["own-orders", "Take payments for the orders that you have", 470],
      ["vendure", "Take payments in a Vendure or Medusa shop", 300],
      ["charge-once", "Charge a customer only once, with the client and webhooks", 570],
      ["test", "Test your integration", 460],
      ["drill", "Rehearse: run the fire drill on your shop", 480],
      ["pay-page", "Send a customer a link to pay", 390],
      ["stock", "Sell seats or stock without overselling", 250],
      ["shop", "Build a shop with pages in Express, Next.js, Nest or Fastify", 420],
      ["timeouts", "Handle an error or a timeout", 480],
      ["receive-webhooks", "Receive webhooks without losing one", 420],
      ["webhook-frameworks", "Receive webhooks in Express, Next.js, Nest, Fastify, Hono, Koa", 600],
      ["webhook-functions", "Receive webhooks in Lambda, Vercel or Cloudflare Workers", 420],
      ["verify-webhook", "Verify a webhook in your own route", 290],
      ["browser", "Follow a payment in a browser or in React", 400],
      ["invoices", "Create and send an invoice", 190],
      ["daraja", "Move from Daraja (STK push, C2B, paybill, till)", 380],
      ["any-language", "Use malipo from PHP, Python or any language", 510],
      ["ci", "Run the sandbox in CI or in a container", 320],
      ["durable", "Pay in a workflow: DBOS, Restate, Temporal, Inngest", 300],
      ["learn", "Make the sandbox behave like your gateway", 370],
      ["many-merchants", "Serve many merchants with one receiver", 240],
    ],
  },
  {
    title: "Concepts",
    folder: "concepts",
    pages: [
      ["payment", "The life of a payment", 360],
      ["idempotency", "How one key makes one prompt", 400],
      ["webhooks", "How a webhook is stored, processed and recognised", 330],
      ["promises", "What is promised, and what is not", 660],
      ["on-paid", "What may go wrong in onPaid, and what happens then", 510],
      ["keys", "Accounts and API keys: from sandbox to live, till and paybill", 430],
    ],
  },
  {
    title: "Reference",
    folder: "reference",
    pages: [
      ["service", "The service: endpoints, fields, keys, limits", 710],
      ["events", "Webhook events, each with its JSON", 300],
      ["undocumented", "Pagination, ids, statuses: what the service leaves open", 450],
      ["checkout", "The checkout: order, statuses, reviews, settings", 760],
      ["options", "Options of a gateway, a call, a wait, a receiver", 630],
      ["errors", "Error classes and codes", 400],
      ["error-messages", "Find an error message", 340],
      ["result-codes", "Why a payment failed: result codes 1032, 1037, 2001", 450],
      ["sandbox", "The sandbox: phone, faults, chaos, clock", 930],
      ["sandbox-assumptions", "What the sandbox assumes", 590],
      ["cli", "The command line: settings, exit codes, scripts", 540],
      ["cli-sandbox", "Commands of the sandbox", 930],
      ["cli-webhooks", "malipo trigger, sign, verify, doctor", 190],
      ["cli-service", "malipo payments, webhooks, invoices, merchant", 370],
      ["cli-learn", "malipo probe, learn", 330],
      ["cli-stores", "malipo attempts, inbox, checkout", 950],
      ["cli-drill", "malipo drill, explain", 550],
    ],
  },
  {
    title: "Operations",
    folder: "operations",
    pages: [
      ["go-live", "Go live: the checklist", 370],
      ["deploy", "Deploy: processes, shutdown, health, backups", 310],
      ["storage", "Choose an engine: SQLite, PostgreSQL, MariaDB or Redis", 440],
      ["sqlite", "Use SQLite", 310],
      ["postgresql", "Use PostgreSQL, with Prisma, Drizzle, Kysely, Knex or TypeORM", 540],
      ["mysql", "Use MariaDB or MySQL, with Prisma, Drizzle, Kysely, Knex or TypeORM", 330],
      ["redis", "Use Redis", 440],
      ["failed-webhooks", "Failed webhooks: dead letters and conflicts", 370],
      ["operator-page", "A page for operators", 210],
      ["refunds", "Refunds and double payments", 420],
      ["unknown-outcomes", "Resolve an attempt of unknown outcome", 250],
      ["nightly-books", "Nightly books: does every shilling belong to an order?", 400],
      ["observability", "Log, trace and alert", 450],
      ["upgrade", "Upgrade and go back", 270],
      ["questions", "Questions and answers", 180],
    ],
  },
];

/** Every page of a part: its path in `docs` without `.md`, its title, and its limit. */
export const PAGES = PARTS.flatMap(({ folder, pages }) =>
  pages.map(([name, title, words]) => ({ path: `${folder}/${name}`, title, words })),
);
