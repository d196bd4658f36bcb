import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
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

/** A file of `dist` and all that it loads. */
function loadedBy(path: string, loaded = new Set<string>()): Set<string> {
  if (loaded.has(path)) return loaded;
  loaded.add(path);
  for (const [, specifier = ""] of read(path).matchAll(/(?:from |import |require\()'(\.[^']+)'/g)) {
    loadedBy(join(dirname(path), specifier), loaded);
  }
  return loaded;
}

describe("the code in dist", () => {
  // The pages carry their style sheets and scripts as text. The lists of a file's imports
  // and exports are one line each, and no error points at them.
  test.each(code.filter((path) => !/^dist\/(?:page\.js|operator\.c?js)$/.test(path)))(
    "has no line of more than 500 characters: %s",
    (path) => {
      expect(
        Math.max(
          ...read(path)
            .split("\n")
            .filter((line) => !/^(?:import|export) \{/.test(line))
            .map(({ length }) => length),
        ),
      ).toBeLessThan(500);
    },
  );

  test("loads only its own files, the modules of Node.js, and optional peers", () => {
    const peers = Object.keys(JSON.parse(read("package.json")).peerDependencies);
    const isExpected = (name: string) =>
      /^(?:\.|#|node:)/.test(name) || peers.some((peer) => name === peer);
    const loaded = code.flatMap((path) =>
      [...read(path).matchAll(/^(?:import|export) .*?from '([^']+)'|\brequire\('([^']+)'\)/gm)].map(
        ([, imported, required]) => imported ?? required ?? "",
      ),
    );
    expect(new Set(loaded).size).toBeGreaterThan(20);
    expect(loaded.filter((name) => !isExpected(name))).toEqual([]);
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
