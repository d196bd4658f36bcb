import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { build as buildWithEsbuild } from "esbuild";
import { build as buildWithVite } from "vite";
import webpack from "webpack";

/** A script that a user bundles, in the folder where its packages are installed. */
interface Script {
  readonly folder: string;
  readonly path: string;
}

/** What is loaded before the first line of a script runs: its bundle, and all that this imports statically. */
type FirstLoad = (script: Script) => Promise<readonly (string | Uint8Array)[]>;

/** A file and all that it imports, over any number of steps. */
function closure(file: string, importsOf: (file: string) => readonly string[]): Set<string> {
  const found = new Set<string>();
  const add = (one: string) => {
    if (found.has(one)) return;
    found.add(one);
    importsOf(one).forEach(add);
  };
  add(file);
  return found;
}

const byVite: FirstLoad = async ({ folder, path }) => {
  const bundle = await buildWithVite({
    root: folder,
    configFile: false,
    logLevel: "error",
    build: { write: false, rolldownOptions: { input: path } },
  });
  if (!("output" in bundle)) throw new Error("Vite returned no bundle.");
  const chunks = bundle.output.filter((one) => one.type === "chunk");
  const chunkOf = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  const entry = chunks.find(({ isEntry }) => isEntry)?.fileName ?? "";
  const files = closure(entry, (file) => chunkOf.get(file)?.imports ?? []);
  return [...files].map((file) => chunkOf.get(file)?.code ?? "");
};

const byWebpack: FirstLoad = async ({ folder, path }) => {
  const output = { path: join(folder, "webpack") };
  const compiler = webpack({ mode: "production", context: folder, entry: path, output });
  const stats = await promisify(compiler.run.bind(compiler))();
  await promisify(compiler.close.bind(compiler))();
  if (stats?.hasErrors() !== false) throw new Error(stats?.toString() ?? "webpack made nothing.");
  const { assets = [] } = stats.toJson().entrypoints?.main ?? {};
  return assets.map(({ name }) => readFileSync(join(output.path, name)));
};

const byEsbuild =
  (platform: "browser" | "node"): FirstLoad =>
  async ({ folder, path }) => {
    const { outputFiles, metafile } = await buildWithEsbuild({
      absWorkingDir: folder,
      entryPoints: [path],
      outdir: "esbuild",
      bundle: true,
      minify: true,
      splitting: true,
      format: "esm",
      platform,
      // Peers may import modules of Node.js that a bundle for browsers leaves out.
      external: platform === "browser" ? ["node:*", "crypto", "http", "https", "fs", "path"] : [],
      metafile: true,
      write: false,
      logLevel: "error",
    });
    const { outputs } = metafile;
    const [entry = ""] = Object.keys(outputs).filter(
      (file) => join(folder, outputs[file]?.entryPoint ?? "") === path,
    );
    const files = closure(entry, (file) =>
      (outputs[file]?.imports ?? []).flatMap((one) =>
        one.kind === "import-statement" && !one.external ? one.path : [],
      ),
    );
    const paths = new Set([...files].map((file) => join(folder, file)));
    return outputFiles.filter((one) => paths.has(one.path)).map(({ contents }) => contents);
  };

/** How a user may bundle a script. */
export const BUNDLERS = {
  Vite: byVite,
  webpack: byWebpack,
  "esbuild with splitting": byEsbuild("browser"),
  "esbuild for Node.js": byEsbuild("node"),
} as const;

export type Bundler = keyof typeof BUNDLERS;

/** The first load of a script in kB: bundled, minified, and each file compressed by itself. */
export async function firstLoadKb(bundler: Bundler, folder: string, code: string): Promise<number> {
  const path = join(folder, "script.js");
  writeFileSync(path, code);
  try {
    const files = await BUNDLERS[bundler]({ folder, path });
    return files.reduce((sum, file) => sum + gzipSync(file, { level: 9 }).length, 0) / 1_000;
  } finally {
    rmSync(path);
  }
}

/** Makes a folder with the packed `dist` in `node_modules`, as a user installs it. */
export function installTarball(): string {
  const folder = mkdtempSync(join(tmpdir(), "malipo-size-"));
  const options = { encoding: "utf8" } as const;
  const args = ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder];
  const tarball = join(folder, execFileSync("npm", args, options).trim());
  const installed = join(folder, "node_modules/malipo");
  mkdirSync(installed, { recursive: true });
  execFileSync("tar", ["-xzf", tarball, "-C", installed, "--strip-components=1"]);
  return folder;
}
