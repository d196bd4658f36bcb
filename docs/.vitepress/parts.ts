/** The parts of the manual in the order in which a new reader takes them, each with its pages. */
export const PARTS: readonly (readonly [title: string, ...pages: string[]])[] = [
  ["Start", "get-started", "how-to", "daraja", "migrating"],
  ["Take payments", "keys", "options", "errors", "money-safety", "result-codes", "frontends"],
  [
    "Receive webhooks",
    "webhooks",
    "webhooks/express",
    "webhooks/next",
    "webhooks/nest",
    "webhooks/fastify",
    "webhooks/fetch",
    "webhooks/lambda",
    "webhooks/workers",
    "webhooks/node",
    "webhooks/inboxes",
    "webhooks/failures",
  ],
  ["Build and test", "sandbox", "testing", "open-parts", "cli"],
  ["Operate", "going-to-production", "observability", "troubleshooting"],
  ["Look up", "service", "glossary", "runtimes", "benchmarks", "mutation"],
  [
    "Decisions",
    "decisions/0001-ky-is-the-transport",
    "decisions/0002-no-transport-of-our-own-on-node",
    "decisions/0003-what-the-tarball-weighs",
    "decisions/0004-the-manual-is-built-by-vitepress",
  ],
];
