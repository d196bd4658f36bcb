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
      ["get-started", "Take a first payment", 580],
      ["ways-to-take-payments", "Checkout, collect or initiate? Choose a way", 160],
      ["checkout", "Sell something: a shop on the checkout", 600],
      ["own-orders", "Take payments for the orders that you have", 480],
      ["vendure", "Take payments in a Vendure or Medusa shop", 350],
      ["test", "Test your integration", 480],
      ["drill", "Rehearse: run the fire drill on your shop", 500],
      ["pay-page", "Send a customer a link to pay", 515],
      ["shop", "Build a shop with pages", 540],
      ["shop-express", "Build a shop in Express", 200],
      ["shop-next", "Build a shop in Next.js", 315],
      ["shop-nest", "Build a shop in Nest", 190],
      ["shop-fastify", "Build a shop in Fastify", 155],
      ["charge-once", "Charge a customer only once", 440],
      ["timeouts", "Handle an error or a timeout", 400],
      ["failed-payment", "Tell the customer why a payment failed", 210],
      ["receive-webhooks", "Receive webhooks without losing one", 540],
      ["webhook-frameworks", "Receive webhooks in Express, Next.js, Nest, Fastify, Hono, Koa", 580],
      ["webhook-functions", "Receive webhooks in Lambda, Vercel or Cloudflare Workers", 470],
      ["verify-webhook", "Verify a webhook in your own route", 310],
      ["browser", "Follow a payment in a browser or in React", 570],
      ["invoices", "Create and send an invoice", 250],
      ["daraja", "Move from Daraja (STK push, C2B, paybill, till)", 580],
      ["any-language", "Use malipo from PHP, Python or any language", 570],
      ["ci", "Run the sandbox in CI or in a container", 390],
      ["durable", "Pay in a workflow: DBOS, Restate, Temporal, Inngest", 400],
      ["learn", "Make the sandbox behave like your gateway", 510],
      ["many-merchants", "Serve many merchants with one receiver", 320],
    ],
  },
  {
    title: "Concepts",
    folder: "concepts",
    pages: [
      ["payment", "The life of a payment", 400],
      ["outcomes", "Outcomes: not sent, rejected, unknown", 400],
      ["idempotency", "How one key makes one prompt", 510],
      ["webhooks", "How a webhook is stored, processed and recognised", 510],
      ["promises", "What is promised, and what is not", 760],
      ["on-paid", "What may go wrong in onPaid, and what happens then", 1_135],
      ["keys", "API keys: public, secret, sandbox", 380],
    ],
  },
  {
    title: "Reference",
    folder: "reference",
    pages: [
      ["service", "The service: endpoints, fields, keys, limits", 720],
      ["events", "Webhook events, each with its JSON", 330],
      ["undocumented", "Pagination, ids, statuses: what the service leaves open", 510],
      ["checkout", "The checkout: order, statuses, reviews, settings", 1_000],
      ["options", "Options of a gateway, a call, a wait, a receiver", 690],
      ["errors", "Error classes and codes", 430],
      ["error-messages", "Find an error message", 480],
      ["result-codes", "Result codes: 1032, 1037, 2001 and others", 310],
      ["sandbox", "The sandbox: phone, faults, chaos, clock", 1025],
      ["test-numbers", "Phone numbers to test with", 160],
      ["sandbox-assumptions", "What the sandbox assumes", 760],
      ["cli", "The command line: settings, exit codes, scripts", 640],
      ["cli-sandbox", "Commands of the sandbox", 980],
      ["cli-webhooks", "malipo trigger, sign, verify, doctor", 190],
      ["cli-service", "malipo payments, webhooks, invoices, merchant", 370],
      ["cli-learn", "malipo probe, learn", 330],
      ["cli-stores", "malipo attempts, inbox, checkout", 1_070],
      ["cli-drill", "malipo drill, explain", 550],
    ],
  },
  {
    title: "Operations",
    folder: "operations",
    pages: [
      ["go-live", "Go live: the checklist", 510],
      ["accounts", "Accounts, keys, till and paybill: from sandbox to live", 280],
      ["deploy", "Deploy: processes, shutdown, health, backups", 350],
      ["storage", "Choose an engine: SQLite, PostgreSQL, MariaDB or Redis", 510],
      ["redis", "Use Redis", 480],
      ["postgresql", "Use PostgreSQL, with Prisma, Drizzle, Kysely, Knex or TypeORM", 430],
      ["scale", "How many webhooks can one receiver take?", 350],
      ["failed-webhooks", "Failed webhooks: dead letters and conflicts", 480],
      ["operator-page", "A page for operators", 310],
      ["refunds", "Refunds and double payments", 430],
      ["unknown-outcomes", "Resolve an attempt of unknown outcome", 390],
      ["nightly-books", "Nightly books: does every shilling belong to an order?", 470],
      ["observability", "Log, trace and alert", 720],
      ["upgrade", "Upgrade and go back", 450],
      ["evidence", "Evidence", 600],
      ["questions", "Questions and answers", 180],
    ],
  },
];

/** Every page of a part: its path in `docs` without `.md`, its title, and its limit. */
export const PAGES = PARTS.flatMap(({ folder, pages }) =>
  pages.map(([name, title, words]) => ({ path: `${folder}/${name}`, title, words })),
);
