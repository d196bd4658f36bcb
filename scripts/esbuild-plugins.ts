import { fileURLToPath } from "node:url";
import type { Options } from "tsup";

type Plugin = NonNullable<Options["esbuildPlugins"]>[number];

const PART = fileURLToPath(new URL("../src/client/on-demand-part.ts", import.meta.url));

/** What the client loads on demand is one part: a page waits once for it. */
export const onePartOnDemand: Plugin = {
  name: "one-part-on-demand",
  setup: ({ onResolve }) =>
    onResolve({ filter: /\.ts$/ }, ({ kind, importer }) =>
      kind === "dynamic-import" && importer.includes("/src/client/")
        ? { path: PART, sideEffects: false }
        : undefined,
    ),
};

/** The orders of `memory()` are in the entry point `malipo/sqlite`, of which it has no copy. */
export const sqliteByItsEntry: Plugin = {
  name: "sqlite-by-its-entry",
  setup: ({ onResolve }) =>
    onResolve({ filter: /\/sqlite\.ts$/ }, ({ kind }) =>
      kind === "dynamic-import" ? { path: "./sqlite.js", external: true } : undefined,
    ),
};
