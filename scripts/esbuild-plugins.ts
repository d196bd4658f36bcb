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

/** What reads phone numbers is minified in each build: it is not ours, and most of its text is names and comments. */
export const phonesMinified: Plugin = {
  name: "phones-minified",
  setup: ({ onLoad, esbuild }) =>
    onLoad({ filter: /libphonenumber-js[\\/]core[\\/]index\.js$/ }, async ({ path }) => {
      const contents = `export { parsePhoneNumberFromString } from ${JSON.stringify(path)};`;
      const { outputFiles } = await esbuild.build({
        ...{ stdin: { contents, resolveDir: "." }, bundle: true, write: false, minify: true },
        ...{ format: "esm", lineLimit: 200 },
      });
      return { contents: outputFiles.map(({ text }) => text).join("") };
    }),
};
