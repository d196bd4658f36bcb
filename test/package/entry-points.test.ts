import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ENTRY_POINTS, INTERNAL_IMPORTS, moduleName } from "../../scripts/entry-points.ts";

const json = (path: string) => JSON.parse(readFileSync(path, "utf8"));
const manifest = json("package.json");
const entries = Object.keys(ENTRY_POINTS);

/** What `exports` of package.json says of an entry point. */
const exportOf = (entry: string) => ({
  import: {
    types: `./dist/${entry}.d.ts`,
    default: `./dist/${entry}.js`,
  },
  require: { types: `./dist/${entry}.d.cts`, default: `./dist/${entry}.cjs` },
});

test("package.json exports every entry point, two files of data, and nothing else", () => {
  expect(manifest.exports).toEqual({
    ...Object.fromEntries(
      entries.map((entry) => [moduleName(entry).replace("malipo", "."), exportOf(entry)]),
    ),
    "./openapi.json": "./dist/openapi.json",
    "./package.json": "./package.json",
  });
});

test("package.json names every entry point to compilers that do not read exports", () => {
  const { main, types, typesVersions } = manifest;
  expect([main, types]).toEqual(["./dist/index.cjs", "./dist/index.d.cts"]);
  const rows = entries
    .filter((entry) => entry !== "index")
    .map((entry) => [entry, [`./dist/${entry}.d.cts`]]);
  expect(typesVersions).toEqual({
    "*": { ...Object.fromEntries(rows), "openapi.json": ["./dist/openapi.json"] },
  });
});

test("package.json names every internal import", () => {
  expect(Object.keys(manifest.imports)).toEqual(Object.keys(INTERNAL_IMPORTS));
});

test("tsconfig.json leads every module name to its source", () => {
  const names = [
    ...Object.entries(INTERNAL_IMPORTS),
    ...Object.entries(ENTRY_POINTS).map(([entry, path]) => [moduleName(entry), path]),
  ];
  expect(json("tsconfig.json").compilerOptions.paths).toEqual(
    Object.fromEntries(names.map(([name, path]) => [name, [`./${path}`]])),
  );
});
