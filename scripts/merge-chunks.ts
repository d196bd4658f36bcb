import { rm } from "node:fs/promises";
import { type GetModuleInfo, type OutputOptions, type Plugin, rollup } from "rollup";
import { indentWithTabs } from "./indent-with-tabs.ts";

/** The entry points that should load fast, by what a process uses them for. */
const LOADED_FAST = {
  client: ["index"],
  receiver: ["webhooks", "inbox/sqlite", "inbox/bullmq", "inbox/pg-boss"],
  sandbox: ["sandbox"],
};

/** `malipo/types` holds no code, and the directive of `malipo/react` is written by hand. */
const EXPECTED = new Set(["EMPTY_BUNDLE", "MODULE_LEVEL_DIRECTIVE"]);

const withTabs: Plugin = {
  name: "with-tabs",
  renderChunk: (code) => ({ code: indentWithTabs(code), map: null }),
};

/**
 * CommonJS requires what the ES modules import on demand: Jest allows no `import()` without a flag, and
 * nobody downloads a CommonJS package.
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

/** The name of the chunk that a module goes to, if it does not stay alone. */
function chunkOf(importers: ReadonlySet<string>): string | undefined {
  // A page that follows one payment downloads this, and no more.
  if (importers.has("status")) return "page";
  const uses = Object.entries(LOADED_FAST).filter(([, entries]) =>
    entries.some((entry) => importers.has(entry)),
  );
  // What only the inboxes load may load an engine: it stays alone.
  const isLoadedFirst = ["index", "webhooks", "sandbox"].some((entry) => importers.has(entry));
  if (!isLoadedFirst) return undefined;
  return uses.length > 1 ? "shared" : uses[0]?.[0];
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
  const bundleOf = (names: readonly string[]) =>
    rollup({
      input: Object.fromEntries(names.map((name) => [name, pathOf(name)])),
      external: (id) => !/^[./]/.test(id),
      treeshake: { moduleSideEffects: false },
      onLog: (level, log, print) => {
        if (!EXPECTED.has(log.code ?? "")) print(level, log);
      },
    });
  const options = (extension: string): OutputOptions => ({
    dir: "dist",
    entryFileNames: `[name].${extension}`,
    chunkFileNames: `chunks/[hash].${extension}`,
    // React needs it in the first line (https://react.dev/reference/rsc/use-client), and Rollup drops it.
    banner: ({ name, isEntry }) => (isEntry && name === "react" ? '"use client";' : ""),
    hoistTransitiveImports: false,
    interop: "auto",
    manualChunks: (id, { getModuleInfo }) =>
      entryOf.has(id)
        ? undefined
        : chunkOf(
            new Set([...importersOf(id, getModuleInfo)].map((path) => entryOf.get(path) ?? "")),
          ),
  });
  const modules = await bundleOf(entries);
  const commonJs = await bundleOf(commonJsEntries);
  await rm("dist/chunks", { recursive: true });
  await modules.write({ ...options("js"), format: "es", plugins: [withTabs] });
  await commonJs.write({
    ...options("cjs"),
    format: "cjs",
    exports: "named",
    plugins: [withTabs, requireOnDemand],
  });
}
