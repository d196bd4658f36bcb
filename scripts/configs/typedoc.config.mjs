import { fileURLToPath } from "node:url";
import { ENTRY_POINTS } from "../entry-points.ts";

/** TypeDoc reads paths from the folder of this file. */
const fromRoot = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** @type {import("typedoc").TypeDocOptions & import("typedoc-plugin-markdown").PluginOptions} */
const config = {
  name: "malipo",
  entryPoints: Object.values(ENTRY_POINTS).map(fromRoot),
  // The API reference as pages of the manual: docs/.vitepress builds both into one site.
  plugin: ["typedoc-plugin-markdown", "typedoc-vitepress-theme", "../typedoc-throws.mjs"],
  preservedTypeAnnotationTags: ["@throws"],
  out: fromRoot("docs/api"),
  docsRoot: fromRoot("docs"),
  readme: "none",
  hidePageHeader: true,
  hideBreadcrumbs: true,
  useCodeBlocks: true,
  parametersFormat: "table",
  typeDeclarationFormat: "table",
  enumMembersFormat: "table",
  excludeInternal: true,
  excludePrivate: true,
  excludeExternals: true,
  validation: {
    notDocumented: true,
    notExported: true,
    invalidLink: true,
  },
  treatWarningsAsErrors: true,
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
    "Endpoints",
    "AnyKnownEvent",
    "SCOPES",
    "EVENT_KINDS",
    "Digest",
    "For",
    "Fetch",
    "FetchInput",
    "ErrorCause",
    "MESSAGES",
    "REASONS",
    "ROWS",
  ],
};

export default config;
