import { globSync } from "node:fs";
import { rm } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { transform } from "esbuild";
import {
  type GetModuleInfo,
  type OutputOptions,
  type Plugin,
  type RenderedChunk,
  type RollupOutput,
  rollup,
} from "rollup";
import { indentWithTabs } from "./indent-with-tabs.ts";

/** The entry that the build only looks at: the class `Gateway` alone, which is what a page with a key loads. */
const PAGE_ENTRY = "only-in-build/gateway";

/** The folder of the entries that the build only looks at. They stand in no package. */
const isOnlyInBuild = (entry: string): boolean => entry.startsWith("only-in-build/");

/** What exists once in a process: an error has one class, and a row of the contract is told by its identity. */
const ONE_COPY = [...globSync("src/errors/*.ts"), "src/contract/endpoints.ts"];
const oneCopyEntry = (path: string) => `only-in-build/one-copy/${basename(path, ".ts")}`;

/** The command that is waited for most. */
const SANDBOX_COMMAND = "sandbox-command";

/** So that ky does not share a file with our own code. */
const KY = "only-in-build/ky";

/** The entries that the build looks at, and the file of each. */
export const ONLY_IN_BUILD: Readonly<Record<string, string>> = {
  [PAGE_ENTRY]: "src/client/gateway.ts",
  [KY]: "node_modules/ky/distribution/index.js",
  ...Object.fromEntries(ONE_COPY.map((path) => [oneCopyEntry(path), path])),
};

/** The modules with which a process starts that should start fast, by what it is started for. */
const LOADED_FAST = {
  client: ["index"],
  receiver: ["webhooks"],
  node: ["node"],
  sandbox: ["sandbox"],
  command: ["command"],
};

/** The entry points of the command line and of the page that it serves: no package exports them. */
const COMMAND_LINE = new Set(["cli", "command", "page", SANDBOX_COMMAND]);

/** What no payment and no webhook of a merchant goes through. */
const TOOLS = new Set([...COMMAND_LINE, "sandbox", "msw", "learn", "operator"]);

/** `malipo/types` holds no code, and the directive of `malipo/react` is written by hand. */
const EXPECTED = new Set(["EMPTY_BUNDLE", "MODULE_LEVEL_DIRECTIVE"]);

const withTabs: Plugin = {
  name: "with-tabs",
  renderChunk: (code) => ({ code: indentWithTabs(code), map: null }),
};

const withoutBuildEntries: Plugin = {
  name: "without-build-entries",
  generateBundle: (_, files) => {
    for (const file of Object.keys(files)) if (isOnlyInBuild(file)) delete files[file];
  },
};

/** Files that no program of a merchant runs in production, and bundled packages: see docs/decisions/0003. */
const minified = (isMinified: (chunk: RenderedChunk) => boolean): Plugin => ({
  name: "minified",
  renderChunk: async (code, chunk) => {
    if (!isMinified(chunk)) return null;
    const modules = [...code.matchAll(/^\/\/ node_modules\/.+$/gm)].map(([line]) => `${line}\n`);
    const { code: short } = await transform(code, {
      minify: true,
      lineLimit: 200,
      target: "es2023",
    });
    return { code: `${modules.join("")}${short}`, map: null };
  },
});

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

/** The chunks of which a page loads parts before its first line runs, and that the parts on demand share with it. */
const PAGE_CHUNKS = ["one-copy", "ky", "gateway"];

/** The entry points that a module belongs to, and how. */
interface Place {
  /** The entry points that load it at once. */
  readonly entries: ReadonlySet<string>;
  /** The package that it is a part of, if it is not our own. */
  readonly bundledPackage: string | undefined;
  /** Only commands of the command line load it, at once or on demand. */
  readonly isOfCommandLine: boolean;
  /** Whether a part that a page loads on demand needs it. */
  readonly isOnDemand: boolean;
  /** How many parts that are loaded on demand need it: a part is a command, for example. */
  readonly parts: number;
}

/** The name of the chunk that a module goes to, if it does not keep its own. */
function chunkOf({
  entries,
  bundledPackage,
  isOfCommandLine,
  isOnDemand,
  parts,
}: Place): string | undefined {
  const isIn = (entry: string) => entries.has(entry);
  if (bundledPackage !== undefined) return bundledPackage;
  if (ONE_COPY.some((path) => isIn(oneCopyEntry(path)))) return "one-copy";
  const uses = Object.entries(LOADED_FAST)
    .filter(([, starts]) => starts.some(isIn))
    .map(([name]) => name);
  // Of what a page with a key loads, nothing else that should start fast loads the transport.
  if (isIn(PAGE_ENTRY)) return isIn("status") || uses.length > 1 ? "base" : "gateway";
  if (isOfCommandLine && isIn(SANDBOX_COMMAND) && uses.length === 0 && parts > 1) return "commands";
  // What only the inboxes load may load an engine: it keeps its own chunk.
  if (uses.length === 0) return undefined;
  // What a page may load must not lead to the sandbox or the command line.
  if (isOnDemand && !uses.some((one) => ["client", "receiver"].includes(one)))
    return `on-demand-${uses.join("-")}`;
  if (uses.length === 1) return uses[0];
  // The tables of the sandbox, which no program of a merchant loads.
  if (uses.join() === "sandbox,command") return "sandbox-tables";
  // The check of a signature leads to node:crypto, for which Node.js takes as long as for all our code.
  return uses.includes("receiver") && !uses.includes("command") ? "verify" : "base";
}

const never = () => false;

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
 * Copies, for the parts that a page loads on demand, what they share with other modules, the transport and
 * what exists once excepted. A bundler keeps all of a module that any part uses, and esbuild loads it at first
 * if `malipo` imports it for another export.
 */
async function copySharedParts({ output }: RollupOutput): Promise<void> {
  const chunks = output.filter((one) => one.type === "chunk");
  const first = chunks.filter(({ name }) => PAGE_CHUNKS.includes(name));
  const kept = new Set(
    chunks.flatMap(({ name, fileName }) =>
      [...PAGE_CHUNKS, "zod"].includes(name) ? resolve("dist", fileName) : [],
    ),
  );
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
 * Writes `malipo/webhooks` as one file, with copies of what it shares with other entry points: a process that
 * receives webhooks often starts for one delivery, and each further file costs it more than all the code.
 */
async function writeWebhooksAsOneFile(): Promise<void> {
  const bundle = await bundleOf({ webhooks: resolve("dist/webhooks.js") }, never);
  await bundle.write({ ...outputOf("js"), format: "es", plugins: [withTabs] });
}

/** Who imports the modules that tsup made. */
class Importers {
  readonly #info: GetModuleInfo;
  readonly #entryOf: ReadonlyMap<string, string>;

  constructor(info: GetModuleInfo, entryOf: ReadonlyMap<string, string>) {
    this.#info = info;
    this.#entryOf = entryOf;
  }

  /** A module and all that import it, over any number of steps. */
  #above(id: string, how: "at once" | "ever", found = new Set<string>()): Set<string> {
    if (found.has(id)) return found;
    found.add(id);
    const { importers = [], dynamicImporters = [] } = this.#info(id) ?? {};
    for (const one of importers) this.#above(one, how, found);
    if (how === "ever") for (const one of dynamicImporters) this.#above(one, how, found);
    return found;
  }

  #entries(ids: Iterable<string>): Set<string> {
    return new Set([...ids].flatMap((id) => this.#entryOf.get(id) ?? []));
  }

  /** Whether nothing but a command of the command line ever loads a module. */
  isOfCommandLine(id: string): boolean {
    return [...this.#entries(this.#above(id, "ever"))].every((one) => COMMAND_LINE.has(one));
  }

  isOfTools(id: string): boolean {
    return [...this.#entries(this.#above(id, "ever"))].every((one) => TOOLS.has(one));
  }

  placeOf(id: string): Place {
    const above = this.#above(id, "at once");
    // esbuild names each module above its code.
    const [, bundledPackage] =
      /^\/\/ (?:src|node_modules\/(\w+))\//m.exec(this.#info(id)?.code ?? "") ?? [];
    const parts = [...above].flatMap((one) => this.#info(one)?.dynamicImporters ?? []);
    const isOfPage = (one: string) => this.#entries(this.#above(one, "at once")).has(PAGE_ENTRY);
    return {
      entries: this.#entries(above),
      bundledPackage,
      isOfCommandLine: this.isOfCommandLine(id),
      isOnDemand: parts.some(isOfPage),
      parts: [...above].filter((one) => this.#info(one)?.dynamicImporters.length).length,
    };
  }
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
  const modules = await bundleOf(inputOf(entries), never);
  const commonJs = await bundleOf(inputOf(commonJsEntries), never);
  await rm("dist/chunks", { recursive: true });
  await rm("dist/only-in-build", { recursive: true });
  const minifiedFiles = new Set<string>();
  const manualChunks: NonNullable<OutputOptions["manualChunks"]> = (id, { getModuleInfo }) => {
    const importers = new Importers(getModuleInfo, entryOf);
    const place = importers.placeOf(id);
    const chunk = entryOf.has(id) ? undefined : chunkOf(place);
    const isTool = importers.isOfTools(id) || /sandbox|command/.test(chunk ?? "");
    if (isTool || place.bundledPackage !== undefined) minifiedFiles.add(id);
    return chunk;
  };
  // Rollup puts a module without a name into the chunk of a module that imports it: the library would load
  // chunks of the command line.
  const namedChunks: typeof manualChunks = (id, api) => {
    const isNamed =
      !entryOf.has(id) && !new Importers(api.getModuleInfo, entryOf).isOfCommandLine(id);
    return manualChunks(id, api) ?? (isNamed ? basename(id, ".js") : undefined);
  };
  const plugins = [
    withTabs,
    minified(({ moduleIds }) => moduleIds.every((id) => minifiedFiles.has(id))),
    withoutBuildEntries,
  ];
  const written = await modules.write({
    ...outputOf("js"),
    manualChunks: namedChunks,
    format: "es",
    plugins,
  });
  await copySharedParts(written);
  await writeWebhooksAsOneFile();
  await commonJs.write({
    ...outputOf("cjs"),
    manualChunks,
    format: "cjs",
    exports: "named",
    plugins: [requireOnDemand, ...plugins],
  });
}
