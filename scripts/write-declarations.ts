import { writeFile } from "node:fs/promises";
import { basename, relative } from "node:path";
import { type GetModuleInfo, rollup } from "rollup";
import { dts } from "rollup-plugin-dts";
import { ENTRY_POINTS } from "./entry-points.ts";

/** The name of the file for what several entry points declare, by the folder of `src` that it is in. */
const SHARED: Readonly<Record<string, string>> = {
  "webhooks/inbox": "inbox",
  openapi: "contract",
  storage: "engines",
};

/** Its types for ES modules are others than those for CommonJS. What mentions them is declared for each. */
const TWICE_TYPED = "msw";

/** The entry points that import a module, over any number of steps. */
function entriesOf(id: string, info: GetModuleInfo, seen = new Set<string>()): Set<string> {
  if (seen.has(id)) return new Set();
  seen.add(id);
  const path = pathOf(id);
  const own = Object.entries(ENTRY_POINTS).flatMap(([entry, file]) => (file === path ? entry : []));
  const importers = info(id)?.importers ?? [];
  return new Set([...own, ...importers.flatMap((one) => [...entriesOf(one, info, seen)])]);
}

const pathOf = (id: string): string => relative(process.cwd(), id);

/** `client` for `src/client/hooks.ts`; `redis` for what only `malipo/redis` declares. */
function fileOf(id: string, info: GetModuleInfo): string {
  const [entry = "", other] = entriesOf(id, info);
  // An entry point that needs a peer must not lead others to the declarations of that peer.
  if (other === undefined && entry !== "index" && entry !== "types") return entry.replace("/", "-");
  const folders = pathOf(id).split("/").slice(1);
  const [folder = ""] = folders;
  return SHARED[folders.slice(0, 2).join("/")] ?? SHARED[folder] ?? folder.replace(/\.ts$/, "");
}

/**
 * Writes the declarations, once and for CommonJS: those of one entry point into its file, those of several
 * into `dist/types`. The file of an ES module names what it exports. An ES module may take its types from CommonJS, but not the other way round; and a
 * class that was declared twice would be two types, since its private fields are its own.
 */
export async function writeDeclarations(): Promise<void> {
  const bundle = await rollup({
    input: ENTRY_POINTS,
    external: (id) => !/^[./]/.test(id),
    plugins: [dts({ compilerOptions: { stripInternal: true } })],
  });
  const { output } = await bundle.write({
    dir: "dist",
    entryFileNames: "[name].d.cts",
    chunkFileNames: "types/[name].d.cts",
    manualChunks: (id, { getModuleInfo }) => fileOf(id, getModuleInfo),
    hoistTransitiveImports: false,
    minifyInternalExports: false,
  });
  for (const chunk of output) {
    if (chunk.type !== "chunk" || !chunk.isEntry) continue;
    const target = `./${basename(chunk.fileName, ".d.cts")}.cjs`;
    const names = `export { ${chunk.exports.join(", ")} } from "${target}";\n`;
    const path = `dist/${chunk.fileName.replace(/\.cts$/, ".ts")}`;
    await writeFile(path, chunk.imports.includes(TWICE_TYPED) ? chunk.code : names);
  }
}
