import { globSync } from "node:fs";
import { ENTRY_POINTS } from "./scripts/entry-points.ts";

/** The pages that a reader takes first, in this order. Every other page follows by its name. */
const READING_ORDER = [
  "get-started",
  "keys",
  "errors",
  "money-safety",
  "webhooks",
  "frontends",
  "sandbox",
  "testing",
  "cli",
  "going-to-production",
  "observability",
  "migrating",
].map((name) => `docs/${name}.md`);

const pages = globSync("docs/*.md").sort();
const documents = [
  ...READING_ORDER,
  ...pages.filter((page) => !READING_ORDER.includes(page)),
  "SECURITY.md",
  "CONTRIBUTING.md",
  "docs/decisions/*.md",
];

/** @type {import("typedoc").TypeDocOptions} */
const config = {
  name: "malipo",
  entryPoints: Object.values(ENTRY_POINTS),
  out: "docs/site",
  excludeInternal: true,
  excludePrivate: true,
  excludeExternals: true,
  validation: {
    notDocumented: true,
    notExported: true,
    invalidLink: true,
  },
  treatWarningsAsErrors: true,
  projectDocuments: documents,
  disableSources: true,
  requiredToBeDocumented: [
    "Class",
    "Function",
    "Interface",
    "TypeAlias",
    "Variable",
    "Method",
    "Accessor",
  ],
  intentionallyNotExported: [
    "API_ERROR_CODES",
    "Endpoints",
    "AnyKnownEvent",
    "SCOPES",
    "EVENT_KINDS",
    "CommonOptions",
    "Digest",
    "RedisClient",
    "For",
    "Fetch",
    "FetchInput",
  ],
};

export default config;
