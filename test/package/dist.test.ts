import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { BUNDLED_PACKAGES, licenceFile } from "../../scripts/dist-files.ts";
import { ENTRY_POINTS } from "../../scripts/entry-points.ts";

const code = globSync("dist/**/*.{js,cjs}");
const declarations = globSync("dist/**/*.d.{ts,cts}");
const read = (path: string) => readFileSync(path, "utf8");

/** The modules of packages in some files: the bundler names each above its code. */
const bundledModules = (paths: readonly string[]): string[] =>
  paths.flatMap((path) =>
    [...read(path).matchAll(/^\/\/ node_modules\/(.+)$/gm)].map(([, module = ""]) => module),
  );

const packageOf = (module: string): string =>
  module.split("/", module.startsWith("@") ? 2 : 1).join("/");

/** What a file imports or requires. What an ES module imports on demand is left out. */
function importsOf(path: string): string[] {
  const text = read(path);
  if (path.endsWith(".cjs")) {
    return [...text.matchAll(/\brequire\((["'])([^"'\n]+)\1\)/g)].map(([, , name = ""]) => name);
  }
  return ts.createSourceFile(path, text, ts.ScriptTarget.Latest).statements.flatMap((one) => {
    const isImport = ts.isImportDeclaration(one) || ts.isExportDeclaration(one);
    const specifier = isImport ? one.moduleSpecifier : undefined;
    return specifier !== undefined && ts.isStringLiteral(specifier) ? specifier.text : [];
  });
}

/** A file of `dist` and all that it loads. */
function loadedBy(path: string, loaded = new Set<string>()): Set<string> {
  if (loaded.has(path)) return loaded;
  loaded.add(path);
  for (const specifier of importsOf(path)) {
    if (specifier.startsWith(".")) loadedBy(join(dirname(path), specifier), loaded);
  }
  return loaded;
}

/** The entry points of which the ES modules are minified: docs/decisions/0003. */
const TOOLS = ["sandbox", "msw", "learn", "operator"];
const isMinified = (path: string): boolean =>
  /^dist\/(?:tools\/.*|page|cli|sandbox|msw|learn|operator)\.js$/.test(path);

const library = Object.keys(ENTRY_POINTS).filter((entry) => !TOOLS.includes(entry));

/** What a merchant's program loads at once, as ES modules or as CommonJS. */
const loadedByLibrary = (form: string): Set<string> =>
  new Set(library.flatMap((entry) => [...loadedBy(`dist/${entry}.${form}`)]));

/** The modules that `src` has of a file: the bundler names each above its code. */
const sourcesOf = (paths: Iterable<string>): string[] =>
  [...paths].flatMap((path) =>
    [...read(path).matchAll(/^\/\/ src\/(.+)$/gm)].map(([, module = ""]) => module),
  );

describe("the code in dist", () => {
  const readable = ["js", "cjs"].flatMap((form) => [...loadedByLibrary(form)]);
  test.each(readable)("has no line of more than 500 characters: %s", (path) => {
    const lines = read(path).split("\n");
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(500);
  });

  test.each(["js", "cjs"])("of the library loads no chunk of the tools: %s", (form) => {
    const loaded = [...loadedByLibrary(form)];
    expect(loaded.length).toBeGreaterThan(library.length);
    expect(loaded.filter((path) => path.startsWith("dist/tools/"))).toEqual([]);
    expect(loaded.filter((path) => /^dist\/(?:cli|page)\./.test(path))).toEqual([]);
  });

  test("loads only its own files, the modules of Node.js, and optional peers", () => {
    const peers = Object.keys(JSON.parse(read("package.json")).peerDependencies);
    const isExpected = (name: string) =>
      /^(?:\.|#|node:)/.test(name) ||
      peers.some((peer) => name === peer || name.startsWith(`${peer}/`));
    const loaded = code.flatMap(importsOf);
    expect(new Set(loaded).size).toBeGreaterThan(20);
    expect(loaded.filter((name) => !isExpected(name))).toEqual([]);
  });
});

describe("what a process loads before it does anything", () => {
  test("malipo/webhooks is one file", () => {
    expect([...loadedBy("dist/webhooks.js")]).toEqual(["dist/webhooks.js"]);
  });

  test.each([
    // Each further file takes Node.js longer to find than to run.
    ["index", 34, /^(?:sandbox|cli|webhooks\/receiver|checkout)\//],
    ["node", 8, /^(?:sandbox|cli|client|webhooks\/receiver)\//],
    ["sqlite", 28, /^(?:sandbox|cli|operator|drill)\//],
  ])(
    "malipo's entry point %s loads at most %d files, all of them its own",
    (entry, most, others) => {
      const loaded = loadedBy(`dist/${entry}.js`);
      expect(loaded.size).toBeLessThanOrEqual(most);
      expect(sourcesOf(loaded).length).toBeGreaterThan(2);
      expect(sourcesOf(loaded).filter((one) => others.test(one))).toEqual([]);
    },
  );

  test("what the client loads on demand is one part", () => {
    const imported = globSync("src/client/**/*.ts").flatMap((path) =>
      [...read(path).matchAll(/\bawait import\("([^"]+)"\)|=> import\("([^"]+)"\)/g)].map(
        ([, awaited, returned]) => join(dirname(path), awaited ?? returned ?? ""),
      ),
    );
    const part = "src/client/on-demand-part.ts";
    const exported = [...read(part).matchAll(/^export \* from "(.+)";$/gm)].map(([, name = ""]) =>
      join(dirname(part), name),
    );
    expect(exported.length).toBeGreaterThan(5);
    expect(exported.toSorted()).toEqual([...new Set(imported)].sort());
  });
});

const classesIn = (paths: readonly string[]): (string | undefined)[] =>
  paths.flatMap((path) =>
    [...read(path).matchAll(/^(?:var|let) (\w+) = class.* extends (?:\w+\.)?GatewayError\b/gm)].map(
      ([, name]) => name,
    ),
  );

describe("classes of errors", () => {
  test.each([
    ["ES module, of which malipo/webhooks and the tools have copies", "js"],
    ["CommonJS module", "cjs"],
  ])("stand in one %s", (_, form) => {
    const files = globSync(`dist/**/*.${form}`).filter(
      (path) => path !== "dist/webhooks.js" && !isMinified(path),
    );
    const classes = classesIn(files);
    expect(classes.length).toBeGreaterThan(10);
    expect(classes.toSorted()).toEqual([...new Set(classes)].sort());
  });

  test("are recognised by the class of another entry point", async () => {
    const load = (entry: string) => import(pathToFileURL(`dist/${entry}.js`).href);
    const [malipo, webhooks] = [await load("index"), await load("webhooks")];
    let thrown: unknown;
    try {
      webhooks.verifyWebhook({ body: "{}", signature: "", secret: "whsec" });
    } catch (error) {
      thrown = error;
    }
    expect(thrown instanceof malipo.WebhookVerificationError).toBe(true);
    expect(thrown instanceof malipo.ConnectionError).toBe(false);
    expect(malipo.isGatewayError(thrown)).toBe(true);
  });
});

test.each(["js", "cjs"])(
  "malipo/react says in its first line that it runs in a page: %s",
  (form) => {
    expect(read(`dist/react.${form}`).split("\n")[0]).toBe('"use client";');
  },
);

describe("packages that are bundled", () => {
  test("are the ones that the build names, each with its licence", () => {
    const bundled = new Set(bundledModules(code).map(packageOf));
    expect([...bundled].sort()).toEqual(Object.keys(BUNDLED_PACKAGES).sort());
    const missing = [...bundled].filter((name) => !existsSync(`dist/${licenceFile(name)}`));
    expect(missing).toEqual([]);
  });

  test("for phone numbers are loaded by malipo/checkout alone", () => {
    const loading = library.filter((entry) =>
      ["js", "cjs"].some((form) =>
        [...loadedBy(`dist/${entry}.${form}`)].some((path) =>
          read(path).includes("country_calling_codes"),
        ),
      ),
    );
    expect(loading).toEqual(["checkout"]);
  });

  test("come without the translations of zod", () => {
    expect(bundledModules(code).filter((module) => module.includes("/locales/"))).toEqual([]);
  });

  test("are not in any declaration", () => {
    const imports = declarations.flatMap((path) =>
      [...read(path).matchAll(/(?:from|import\(|require\()\s*['"]([^'"]+)['"]/g)].map(
        ([, name = ""]) => packageOf(name),
      ),
    );
    expect(declarations.length).toBeGreaterThan(2 * Object.keys(ENTRY_POINTS).length);
    expect(imports.filter((name) => name in BUNDLED_PACKAGES)).toEqual([]);
  });

  test.each(["webhooks", "fetch", "node", "fastify", "lambda", "sqlite"])(
    "are not loaded by malipo/%s, but for the hash if there is no Node.js",
    (entry) => {
      expect(bundledModules([...loadedBy(`dist/${entry}.js`)])).toEqual([]);
      // CommonJS has no names of modules.
      const loaded = [...loadedBy(`dist/${entry}.cjs`)];
      expect(loaded.filter((path) => /\b(?:KyError|ZodMini\w+)\b/.test(read(path)))).toEqual([]);
    },
  );
});
