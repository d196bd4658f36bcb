import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { build } from "esbuild";
import { beforeAll, describe, expect, test } from "vitest";
import { installPacked } from "../support/installed.ts";

interface Manifest {
  readonly exports: Record<string, unknown>;
  readonly scripts: Record<string, string>;
  readonly dependencies: Record<string, string>;
  readonly peerDependencies: Record<string, string>;
  readonly peerDependenciesMeta: Record<string, { optional: boolean }>;
}
const manifest: Manifest = JSON.parse(readFileSync("package.json", "utf8"));

const npm = (...args: string[]): string =>
  execFileSync("npm", args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });

/** Entries that a bundler may take in; the others are data, or a program. */
const entries = Object.keys(manifest.exports)
  .filter((name) => !name.endsWith(".json"))
  .map((name) => name.replace(/^\./, "malipo"));

const peers = Object.keys(manifest.peerDependencies);

/** What is left of a program in a bundle that drops what nothing needs. */
async function bundled(code: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: process.cwd() },
    bundle: true,
    write: false,
    minify: true,
    format: "esm",
    platform: "node",
    external: peers,
    tsconfigRaw: {},
    logLevel: "silent",
  });
  return outputFiles[0]?.text ?? "";
}

describe("what would be published", () => {
  let files: { path: string; size: number }[];
  let unpackedSize: number;
  beforeAll(() => {
    const said = JSON.parse(npm("publish", "--dry-run", "--json", "--ignore-scripts"));
    ({ files, unpackedSize } = said.malipo ?? said);
  });

  test("is the build, the licences, the README, and nothing else", () => {
    const outside = files.map(({ path }) => path).filter((path) => !path.startsWith("dist/"));
    expect(outside.sort()).toEqual(["LICENSE", "README.md", "package.json"]);
    expect(
      files.filter(({ path }) => /\.(map|tsx?|snap)$/.test(path) && !/\.d\.ts$/.test(path)),
    ).toEqual([]);
  });

  test("holds every file that package.json names", () => {
    const paths = new Set(files.map(({ path }) => `./${path}`));
    const named = JSON.stringify(manifest.exports).match(/\.\/[^"]+\.\w+/g) ?? [];
    const keys = new Set(Object.keys(manifest.exports));
    expect(named.filter((path) => !keys.has(path) && !paths.has(path))).toEqual([]);
  });

  test("unpacks to 950 kB at most", () => {
    expect(unpackedSize).toBeLessThanOrEqual(950_000);
  });

  test("carries the licence of what is bundled in it", async () => {
    const { metafile } = await build({
      entryPoints: ["src/webhooks/hmac/web.ts", "src/cli/main.ts"],
      bundle: true,
      write: false,
      outdir: "unused",
      metafile: true,
      splitting: true,
      format: "esm",
      platform: "node",
      external: [...peers, "#page", "#openapi"],
    });
    const bundledIn = Object.keys(metafile.inputs).flatMap(
      (path) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? [],
    );
    const licences = files.map(({ path }) => path).filter((path) => /LICENSE\./.test(path));
    expect(new Set(bundledIn)).toEqual(new Set(["@noble/hashes", "zod"]));
    for (const name of new Set(bundledIn)) {
      const plain = name.replace(/^@/, "").replace("/", "-");
      expect(licences).toContain(`dist/LICENSE.${plain}.txt`);
    }
  });
});

test.each(globSync(".changeset/*.md"))("a release can read %s", (path) => {
  expect(readFileSync(path, "utf8")).toMatch(
    /^---\n"malipo": (?:major|minor|patch)\n---\n\n\S.*\n$/,
  );
});

describe("a package that is installed", () => {
  test("runs no script of ours", () => {
    for (const name of ["preinstall", "install", "postinstall", "prepare"]) {
      expect(manifest.scripts).not.toHaveProperty(name);
    }
  });

  test("brings zod, and nothing else by itself", () => {
    expect(Object.keys(manifest.dependencies)).toEqual(["zod"]);
    for (const name of peers) expect(manifest.peerDependenciesMeta[name]?.optional).toBe(true);
    const installed = installPacked();
    try {
      const { components } = JSON.parse(
        execFileSync("npm", ["sbom", "--sbom-format", "cyclonedx"], {
          cwd: installed.folder,
          encoding: "utf8",
          stdio: ["ignore", "pipe", "ignore"],
        }),
      );
      const names = components.map(({ name }: { name: string }) => name);
      expect(names.sort()).toEqual(["malipo", "zod"]);
    } finally {
      installed.remove();
    }
  });
});

test.each(entries)("an import of %s that is not used leaves nothing in a bundle", async (name) => {
  expect(await bundled(`import {} from "${name}"; import "${name}";`)).toBe("");
});
