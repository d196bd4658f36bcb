import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { beforeAll, describe, expect, test } from "vitest";
import { MANUAL_PAGES } from "../../scripts/manual-pages.ts";

interface Manifest {
  readonly exports: Record<string, unknown>;
  readonly scripts: Record<string, string>;
  readonly dependencies?: Record<string, string>;
  readonly peerDependencies: Record<string, string>;
  readonly peerDependenciesMeta: Record<string, { optional: boolean }>;
}
const manifest: Manifest = JSON.parse(readFileSync("package.json", "utf8"));

const npm = (...args: string[]): string =>
  execFileSync("npm", args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });

/** The entry points that hold code: the others are data. */
const entries = Object.keys(manifest.exports)
  .filter((name) => !name.endsWith(".json"))
  .map((name) => name.replace(/^\./, "malipo"));

const peers = Object.keys(manifest.peerDependencies);

/** What is left of a program after bundling and tree-shaking. */
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

/** The relative links and images of a page, and the links of the home page. */
function linksOf(page: string): string[] {
  const text = readFileSync(page, "utf8").replaceAll(/^```[\s\S]*?^```/gm, "");
  const found = text.matchAll(/\]\(([^)\s]+)\)|<img\s[^>]*?src="([^"]+)"|^ +link: \/(\S+)$/gm);
  return [...found]
    .map(([, link, image, home]) => link ?? image ?? `${home}.md`)
    .filter((target) => !/^[a-z]+:/.test(target));
}

/** The anchors of a page's headings, as code hosts make them. */
const anchorsOf = (page: string): string[] =>
  [...readFileSync(page, "utf8").matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replace(/[^\w\s-]/g, "")
      .replace(/\s/g, "-"),
  );

describe("what would be published", () => {
  let files: { path: string; size: number }[];
  let unpackedSize: number;
  beforeAll(() => {
    const printed = JSON.parse(npm("publish", "--dry-run", "--json", "--ignore-scripts"));
    ({ files, unpackedSize } = printed.malipo ?? printed);
  });

  test("holds dist, the manual, the examples, the licence, the README and package.json, and nothing else", () => {
    const outside = files
      .map(({ path }) => path)
      .filter((path) => !/^(?:dist|docs|examples)\//.test(path));
    expect(outside.sort()).toEqual(["LICENSE", "README.md", "SECURITY.md", "package.json"]);
    expect(
      files.filter(
        ({ path }) =>
          /\.(map|tsx?|snap)$/.test(path) && !/\.d\.ts$/.test(path) && !/^examples\//.test(path),
      ),
    ).toEqual([]);
    const sources = execFileSync("git", ["ls-files", "examples", ":!*/package-lock.json"], {
      encoding: "utf8",
    });
    const examples = files.map(({ path }) => path).filter((path) => path.startsWith("examples/"));
    expect(examples.sort()).toEqual(sources.trim().split("\n").sort());
  });

  test("holds every page of the manual that a user reads, and only drawings beside them", () => {
    const manual = files.map(({ path }) => path).filter((path) => path.startsWith("docs/"));
    const isForUsers = (path: string) => !/^docs\/(?:contributing|decisions)\//.test(path);
    const pages = manual.filter((path) => path.endsWith(".md"));
    expect(pages.sort()).toEqual(MANUAL_PAGES.filter(isForUsers));
    const others = manual.filter((path) => !path.endsWith(".md"));
    expect(others.filter((path) => !/^docs\/img\/[\w-]+\.svg$/.test(path))).toEqual([]);
  });

  test("holds every file that package.json names", () => {
    const paths = new Set(files.map(({ path }) => `./${path}`));
    const named = JSON.stringify(manifest.exports).match(/\.\/[^"]+\.\w+/g) ?? [];
    const keys = new Set(Object.keys(manifest.exports));
    expect(named.filter((path) => !keys.has(path) && !paths.has(path))).toEqual([]);
  });

  test("links only to files and headings that it holds, with an image for each picture", () => {
    const paths = new Set(files.map(({ path }) => path));
    const dead: string[] = [];
    let links = 0;
    for (const page of [...paths].filter((path) => path.endsWith(".md"))) {
      for (const target of linksOf(page)) {
        links++;
        const [file = "", anchor] = target.split("#");
        const path = file === "" ? page : join(dirname(page), file);
        const isHeld = paths.has(path) || [...paths].some((one) => one.startsWith(`${path}/`));
        if (!isHeld || (anchor !== undefined && !anchorsOf(path).includes(anchor)))
          dead.push(`${page}: ${target}`);
      }
    }
    expect(dead).toEqual([]);
    expect(links).toBeGreaterThan(200);
  });

  // The limit stops growth.
  test("unpacks to at most 4,600 kB, the manual included", () => {
    process.stdout.write(`unpacked: ${Math.ceil(unpackedSize / 1000)} kB\n`);
    expect(unpackedSize).toBeLessThanOrEqual(4_600_000);
  });
});

test.each(globSync(".changeset/*.md"))("%s is one paragraph that a release can read", (path) => {
  expect(readFileSync(path, "utf8")).toMatch(
    /^---\n"malipo": (?:major|minor|patch)\n---\n\n\S.*\n$/,
  );
});

test("the top level of the repository has only folders, and files that a person or a tool looks for there", () => {
  const tracked = execFileSync("git", ["ls-tree", "--name-only", "HEAD"], { encoding: "utf8" });
  const folders = [".changeset", ".ci", ".github", "docs", "examples", "scripts", "src", "test"];
  const people = ["CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "README.md", "SECURITY.md"];
  const npm = ["package.json", "package-lock.json"];
  const tools = ["biome.json", "knip.ts", "tsconfig.json", "tsup.config.ts", "vitest.config.ts"];
  const known = new Set([".gitignore", ...folders, ...people, ...npm, ...tools]);
  expect(
    tracked
      .trim()
      .split("\n")
      .filter((name) => !known.has(name)),
  ).toEqual([]);
});

describe("an installed package", () => {
  test("runs no install script", () => {
    for (const name of ["preinstall", "install", "postinstall", "prepare"]) {
      expect(manifest.scripts).not.toHaveProperty(name);
    }
  });

  test("has no dependencies, and every peer is optional", () => {
    expect(manifest.dependencies ?? {}).toEqual({});
    for (const name of peers) expect(manifest.peerDependenciesMeta[name]?.optional).toBe(true);
  });
});

test.each(entries)("an unused import of %s leaves nothing in a bundle", async (name) => {
  expect(await bundled(`import {} from "${name}"; import "${name}";`)).toBe("");
});
