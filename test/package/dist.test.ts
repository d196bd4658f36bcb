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

/** What the entry points of the package load at once. */
const loadedByEntries = (): Set<string> =>
  new Set(
    Object.keys(ENTRY_POINTS).flatMap((entry) =>
      ["js", "cjs"].flatMap((form) => [...loadedBy(`dist/${entry}.${form}`)]),
    ),
  );

/** Tools and bundled packages: docs/decisions/0003. */
const isMinified = (path: string): boolean =>
  /^dist\/(?:page|cli|command|sandbox-command)\.js$|\/(?:commands?|sandbox|sandbox-tables|on-demand-[\w-]+|ky|zod)-/.test(
    path,
  );

/** The modules that `src` has of a file: the bundler names each above its code. */
const sourcesOf = (paths: Iterable<string>): string[] =>
  [...paths].flatMap((path) =>
    [...read(path).matchAll(/^\/\/ src\/(.+)$/gm)].map(([, module = ""]) => module),
  );

describe("the code in dist", () => {
  // The operator's page carries its style sheet and script as text. The lists of a file's imports
  // and exports are one line each, and no error points at them.
  const readable = [...loadedByEntries()].filter(
    (path) => !isMinified(path) && !/^dist\/(?:operator|learn|msw)\.c?js$/.test(path),
  );
  test.each(readable)("has no line of more than 500 characters: %s", (path) => {
    expect(
      Math.max(
        ...read(path)
          .split("\n")
          .filter((line) => !/^(?:import|export) \{/.test(line))
          .map(({ length }) => length),
      ),
    ).toBeLessThan(500);
  });

  test("loads only its own files, the modules of Node.js, and optional peers", () => {
    const peers = Object.keys(JSON.parse(read("package.json")).peerDependencies);
    const isExpected = (name: string) =>
      /^(?:\.|#|node:)/.test(name) || peers.some((peer) => name === peer);
    const loaded = code.flatMap(importsOf);
    expect(new Set(loaded).size).toBeGreaterThan(20);
    expect(loaded.filter((name) => !isExpected(name))).toEqual([]);
  });
});

/** The names of the chunks of some files, without the hash of their content. */
const namesOf = (paths: Iterable<string>): string[] =>
  [...paths].map((path) => path.replace(/^dist\/(?:chunks\/)?|(?:-[\w-]{8})?\.js$/g, "")).sort();

describe("what a process loads before it does anything", () => {
  test("malipo/webhooks is one file", () => {
    expect(namesOf(loadedBy("dist/webhooks.js"))).toEqual(["webhooks"]);
  });

  test("malipo loads nothing of the receiver, the sandbox and the command line", () => {
    const loaded = loadedBy("dist/index.js");
    expect(namesOf(loaded)).toEqual([
      "base",
      "client",
      "gateway",
      "index",
      "ky",
      "one-copy",
      "verify",
    ]);
    expect(
      sourcesOf(loaded).filter((one) => /^(?:sandbox|cli|webhooks\/receiver)\//.test(one)),
    ).toEqual([]);
  });

  test("malipo/node loads nothing of the client, the sandbox and the command line", () => {
    const loaded = loadedBy("dist/node.js");
    expect(namesOf(loaded).slice(0, 2)).toEqual(["base", "node"]);
    expect(loaded.size).toBe(4);
    expect(sourcesOf(loaded).filter((one) => /^(?:sandbox|cli)\//.test(one))).toEqual([]);
  });

  test("the command line loads nothing of the receiver, the client and the sandbox's own code", () => {
    const own = ["base", "command", "command", "on-demand-command", "one-copy", "sandbox-tables"];
    expect(namesOf(loadedBy("dist/command.js"))).toEqual(own);
  });
});

describe("classes of errors", () => {
  test("stand in one ES module, and malipo/webhooks has copies", () => {
    const classes = globSync("dist/**/*.js")
      .filter((path) => path !== "dist/webhooks.js")
      .flatMap((path) =>
        [...read(path).matchAll(/^var (\w+) = class extends GatewayError\b/gm)].map(
          ([, name]) => name,
        ),
      );
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

  test.each(["webhooks", "fetch", "node", "fastify", "lambda", "inbox/sqlite"])(
    "are not loaded by malipo/%s, but for the hash if there is no Node.js",
    (entry) => {
      const files = [`dist/${entry}.js`, `dist/${entry}.cjs`];
      const loaded = files.flatMap((path) => [...loadedBy(path)]);
      expect(bundledModules(loaded)).toEqual([]);
    },
  );
});
