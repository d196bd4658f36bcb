import { rm } from "node:fs/promises";
import { basename, resolve } from "node:path";
import {
  type GetModuleInfo,
  type OutputOptions,
  type Plugin,
  type RollupOutput,
  rollup,
} from "rollup";
import { indentWithTabs } from "./indent-with-tabs.ts";

/** The entry that the build only looks at: the class `Gateway` alone. */
export const PAGE_ENTRY = "gateway";

/** Where a process starts that should start fast, by what it is started for. */
const LOADED_FAST = {
  client: ["index"],
  receiver: ["webhooks", "node"],
  sandbox: ["sandbox"],
  command: ["command"],
};

/** `malipo/types` holds no code, and the directive of `malipo/react` is written by hand. */
const EXPECTED = new Set(["EMPTY_BUNDLE", "MODULE_LEVEL_DIRECTIVE"]);

const withTabs: Plugin = {
  name: "with-tabs",
  renderChunk: (code) => ({ code: indentWithTabs(code), map: null }),
};

const withoutPageEntry: Plugin = {
  name: "without-page-entry",
  generateBundle: (_, files) => {
    for (const file of Object.keys(files)) if (/^gateway\.c?js$/.test(file)) delete files[file];
  },
};

/**
 * CommonJS requires what the ES modules import on demand: Jest allows no `import()` without a flag, and
 * no browser downloads a CommonJS package.
 */
const requireOnDemand: Plugin = {
  name: "require-on-demand",
  renderChunk: (code) => ({
    code: code.replace(
      /\bimport\((["']\.{1,2}\/[^"']+["'])\)/g,
      "Promise.resolve().then(() => require($1))",
    ),
    map: null,
  }),
};

/** A module and all that import it statically, over any number of steps. */
function importersOf(id: string, info: GetModuleInfo, found = new Set<string>()): Set<string> {
  if (found.has(id)) return found;
  found.add(id);
  for (const importer of info(id)?.importers ?? []) importersOf(importer, info, found);
  return found;
}

/** The chunks of which a page loads parts before its first line runs. */
const PAGE_CHUNKS = ["page", "shared", "gateway"];

/** The name of the chunk that a module goes to, if it does not keep its own. */
function chunkOf(importers: ReadonlySet<string>, isOnDemand: boolean): string | undefined {
  const isIn = (entry: string) => importers.has(entry);
  // A page that follows one payment downloads this, and no more.
  if (isIn("status")) return "page";
  // Of what a page with a key loads, the transport is loaded by nothing else that should start fast.
  if (isIn(PAGE_ENTRY)) {
    return ["webhooks", "sandbox", "command"].some(isIn) ? "shared" : "gateway";
  }
  const uses = Object.entries(LOADED_FAST)
    .filter(([, entries]) => entries.some(isIn))
    .map(([name]) => name);
  // What only the inboxes load may load an engine: it keeps its own chunk.
  if (uses.length === 0) return undefined;
  if (isOnDemand) return `on-demand-${uses.join("-")}`;
  if (isIn("webhooks")) return "receiver";
  return uses.length > 1 ? "common" : uses[0];
}

const bundleOf = (input: Record<string, string>, external: (id: string) => boolean) =>
  rollup({
    input,
    external: (id) => !/^[./]/.test(id) || external(id),
    treeshake: { moduleSideEffects: false },
    onLog: (level, log, print) => {
      if (!EXPECTED.has(log.code ?? "")) print(level, log);
    },
  });

const outputOf = (extension: string): OutputOptions => ({
  dir: "dist",
  entryFileNames: `[name].${extension}`,
  chunkFileNames: `chunks/[name]-[hash].${extension}`,
  // React needs it in the first line (https://react.dev/reference/rsc/use-client), and Rollup drops it.
  banner: ({ name, isEntry }) => (isEntry && name === "react" ? '"use client";' : ""),
  hoistTransitiveImports: false,
  interop: "auto",
});

/**
 * Gives the parts that a page loads on demand a copy of what they share with other modules than those that
 * the page loads at first. A bundler keeps all of a module that any part uses, and esbuild loads it at first
 * if `malipo` imports it for another export.
 */
async function copySharedParts({ output }: RollupOutput): Promise<void> {
  const chunks = output.filter((one) => one.type === "chunk");
  const importsOf = new Map(chunks.map(({ fileName, imports }) => [fileName, imports]));
  const closure = (file: string, found = new Set<string>()): Set<string> => {
    if (found.has(file)) return found;
    found.add(file);
    for (const one of importsOf.get(file) ?? []) closure(one, found);
    return found;
  };
  const first = chunks.filter(({ name }) => PAGE_CHUNKS.includes(name));
  const isFirst = (file: string) => first.some(({ fileName }) => fileName === file);
  const ofMalipo = closure("index.js");
  // A file that leads to none of what `malipo` imports for its other exports needs no copy.
  const isKept = (file: string) =>
    isFirst(file) || ![...closure(file)].some((one) => ofMalipo.has(one) && !isFirst(one));
  const kept = new Set([...importsOf.keys()].filter(isKept).map((file) => resolve("dist", file)));
  const parts = new Set(first.flatMap(({ dynamicImports }) => dynamicImports));
  const input = Object.fromEntries(
    [...parts].map((file) => [basename(file, ".js"), resolve("dist", file)]),
  );
  const bundle = await bundleOf(input, (id) => kept.has(id));
  await bundle.write({
    ...outputOf("js"),
    dir: "dist/chunks",
    chunkFileNames: "[name]-[hash].js",
    format: "es",
    plugins: [withTabs],
  });
}

/**
 * Writes the ES modules of `dist` again, as fewer files, and in CommonJS. tsup makes a file for each set
 * of entry points that share code, commands of the command line included: `malipo/webhooks` was 24 files,
 * and Node.js takes longer to find a file than to run it.
 */
export async function mergeChunks(
  entries: readonly string[],
  commonJsEntries: readonly string[],
): Promise<void> {
  const pathOf = (entry: string) => `${process.cwd()}/dist/${entry}.js`;
  const entryOf = new Map(entries.map((entry) => [pathOf(entry), entry]));
  const inputOf = (names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, pathOf(name)]));
  const manualChunks: NonNullable<OutputOptions["manualChunks"]> = (
    id,
    { getModuleInfo: info },
  ) => {
    if (entryOf.has(id)) return undefined;
    const importers = [...importersOf(id, info)];
    const isOfPage = (one: string) => importersOf(one, info).has(pathOf(PAGE_ENTRY));
    const isOnDemand = importers.some((one) => info(one)?.dynamicImporters.some(isOfPage));
    return chunkOf(new Set(importers.map((path) => entryOf.get(path) ?? "")), isOnDemand);
  };
  const never = () => false;
  const modules = await bundleOf(inputOf(entries), never);
  const commonJs = await bundleOf(inputOf(commonJsEntries), never);
  await rm("dist/chunks", { recursive: true });
  await rm(pathOf(PAGE_ENTRY));
  const written = await modules.write({
    ...outputOf("js"),
    manualChunks,
    format: "es",
    plugins: [withTabs, withoutPageEntry],
  });
  await copySharedParts(written);
  await commonJs.write({
    ...outputOf("cjs"),
    manualChunks,
    format: "cjs",
    exports: "named",
    plugins: [withTabs, requireOnDemand, withoutPageEntry],
  });
}
