import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";
import { phoneMetadata } from "../../../scripts/phone-metadata.ts";
import type { EngineName } from "./databases.ts";

/** A change of the source, which is made while a process of a shop is bundled. */
export interface Change {
  /** Under `src`. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** A change that breaks a promise. A campaign must notice it. */
export interface Sabotage extends Change {
  /** The kind of breach that says so. */
  readonly breaks: string;
  /** The only store on which it can be noticed: the change is of its files, or waits for itself elsewhere. */
  readonly on?: EngineName;
}

export type Sabotages = Readonly<Record<string, Sabotage>>;

const fromRoot = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

/** Changes the source while it is bundled. A change that finds nothing to change is an error. */
function changing(changes: readonly Change[]): Plugin {
  const left = new Set(changes);
  return {
    name: "changes",
    setup: (bundler) => {
      bundler.onLoad({ filter: /[/\\]src[/\\].*\.ts$/ }, async ({ path }) => {
        let contents = await readFile(path, "utf8");
        for (const change of changes) {
          if (path !== fromRoot(`src/${change.file}`) || !contents.includes(change.from)) continue;
          contents = contents.replace(change.from, () => change.to);
          left.delete(change);
        }
        return { contents, loader: "ts" };
      });
      bundler.onEnd(() => {
        const errors = [...left].map(({ file, from }) => ({
          text: `src/${file} has no ${JSON.stringify(from)}: change the row of the change, too.`,
        }));
        return { errors };
      });
    },
  };
}

/** Every package stays outside of the bundle, but this one. */
const PACKAGES: Plugin = {
  name: "packages",
  setup: (bundler) => {
    bundler.onResolve({ filter: /^[@a-z]/ }, ({ path }) =>
      /^malipo(?:\/|$)/.test(path) ? undefined : { external: true },
    );
  },
};

let folder: string | undefined;

/** A folder beside node_modules, so that packages are found from it. It is removed when this process ends. */
function newFolder(): string {
  if (folder === undefined) {
    const cache = fromRoot("node_modules/.cache");
    mkdirSync(cache, { recursive: true });
    const made = mkdtempSync(join(cache, "malipo-stress-"));
    process.on("exit", () => rmSync(made, { recursive: true, force: true }));
    folder = made;
  }
  return mkdtempSync(join(folder, "bundle-"));
}

/**
 * Bundles the file that processes of a subject run, so that they start fast. Resolves with its path.
 *
 * @param changes - Of the sources, from which it is bundled then. `undefined`: it uses the built package.
 */
export async function bundle(entry: string, changes?: readonly Change[]): Promise<string> {
  const outdir = newFolder();
  await build({
    entryPoints: { worker: fromRoot(`test/stress/${entry}`) },
    ...{ outdir, bundle: true, splitting: true, platform: "node", format: "esm" },
    ...{ outExtension: { ".js": ".mjs" }, logLevel: "error", define: phoneMetadata },
    // The names of the package lead to the sources there.
    ...(changes === undefined ? { tsconfigRaw: "{}" } : { tsconfig: fromRoot("tsconfig.json") }),
    plugins: [PACKAGES, changing(changes ?? [])],
  });
  return join(outdir, "worker.mjs");
}
