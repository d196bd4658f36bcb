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
      ["ways-to-take-payments", "Which way?", 200],
      ["checkout", "Sell something: the checkout", 560],
      ["pay-page", "Send a customer a link to pay", 420],
      ["shop", "Build a shop", 600],
      ["shop-express", "Build a shop in Express", 200],
      ["shop-next", "Build a shop in Next.js", 320],
      ["shop-nest", "Build a shop in Nest", 300],
      ["shop-fastify", "Build a shop in Fastify", 220],
      ["daraja", "Move from Daraja, or from your own client", 560],
      ["charge-once", "Charge a customer only once", 430],
      ["timeouts", "Handle an error or a timeout", 400],
      ["browser", "Follow a payment in a browser or in React", 420],
      ["receive-webhooks", "Receive webhooks without losing one", 520],
      ["verify-webhook", "Verify a webhook in your own route", 260],
      ["webhook-frameworks", "Receive webhooks in your framework", 480],
      ["webhook-functions", "Receive webhooks in a function", 430],
      ["test", "Test your integration", 450],
      ["drill", "Rehearse before you go live", 480],
      ["learn", "Make the sandbox behave like your gateway", 440],
      ["any-language", "Use malipo from PHP, Python or any language", 480],
    ],
  },
  {
    title: "Concepts",
    folder: "concepts",
    pages: [["keys", "Choose an API key and keep it safe", 300]],
  },
  {
    title: "Reference",
    folder: "reference",
    pages: [
      ["service", "Look up a rule of the service", 1050],
      ["options", "Configure a gateway, a call or a receiver", 740],
      ["error-messages", "Find an error message", 440],
      ["sandbox", "Build against a sandbox gateway", 980],
      ["cli", "Use the command line", 480],
    ],
  },
  {
    title: "Operations",
    folder: "operations",
    pages: [
      ["storage", "Choose an inbox", 350],
      ["redis", "Keep webhooks in Redis", 430],
      ["postgresql", "Keep webhooks in PostgreSQL", 380],
      ["scale", "How many webhooks can one receiver take?", 300],
      ["failed-webhooks", "Look after stored webhooks", 480],
      ["nightly-books", "Does every shilling belong to an order?", 360],
      ["observability", "Log, trace and alert", 560],
      ["upgrade", "Upgrade and go back", 350],
    ],
  },
];

/** Every page of a part: its path in `docs` without `.md`, its title, and its limit. */
export const PAGES = PARTS.flatMap(({ folder, pages }) =>
  pages.map(([name, title, words]) => ({ path: `${folder}/${name}`, title, words })),
);
