import { globSync, readFileSync } from "node:fs";
import { basename, relative } from "node:path";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { ENTRY_POINTS, moduleName } from "../../scripts/entry-points.ts";

const FILES = globSync("dist/**/*.d.{ts,cts}");
const entries = Object.keys(ENTRY_POINTS);

const program = ts.createProgram(
  entries.map((entry) => `dist/${entry}.d.ts`),
  { module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2023, strict: true },
);
const checker = program.getTypeChecker();

/** The declaration that an editor opens for each name that an entry point exports. */
function definitions(entry: string) {
  const file = program.getSourceFile(`dist/${entry}.d.ts`);
  const module = file && checker.getSymbolAtLocation(file);
  const symbols = module === undefined ? [] : checker.getExportsOfModule(module);
  return symbols.map((symbol) => {
    const isAlias = (symbol.flags & ts.SymbolFlags.Alias) !== 0;
    const { declarations = [] } = isAlias ? checker.getAliasedSymbol(symbol) : symbol;
    const paths = declarations.map((one) => relative(".", one.getSourceFile().fileName));
    return { name: symbol.name, paths, text: declarations[0]?.getText() ?? "" };
  });
}

test("the declarations are in files with names, few of them shared", () => {
  const shared = FILES.filter((path) => /^dist\/types\//.test(path)).map((path) => basename(path));
  expect(shared.length).toBeLessThan(10);
  expect(shared).toContain("errors.d.cts");
  const own = entries.flatMap((entry) => [`dist/${entry}.d.ts`, `dist/${entry}.d.cts`]);
  expect(FILES.filter((path) => !path.startsWith("dist/types/")).sort()).toEqual(own.sort());
  for (const path of FILES) expect(basename(path)).toMatch(/^[a-z-]+\.d\.c?ts$/);
});

describe.each(entries)("the declarations of %s", (entry) => {
  test(`lead from each name of ${moduleName(entry)} to what it is`, () => {
    const found = definitions(entry);
    expect(found.length).toBeGreaterThan(0);
    for (const { name, paths, text } of found) {
      expect([name, paths.length > 0]).toEqual([name, true]);
      for (const path of paths) {
        expect(path).toMatch(/^dist\/(?:msw\.d\.ts|(?:[a-z]+\/)?[a-z-]+\.d\.cts)$/);
      }
      // A type is an alias of nothing, and keeps its documentation.
      expect([name, /^(?:export )?\{? *\w+ as /.test(text)]).toEqual([name, false]);
    }
  });

  test("name what they export", () => {
    for (const extension of ["ts", "cts"]) {
      const text = readFileSync(`dist/${entry}.d.${extension}`, "utf8");
      expect(text).toMatch(/^export \{|^export type \{/m);
      expect(text).not.toContain("export *");
      // A single letter stands for a name that was shortened.
      expect(text).not.toMatch(/\b\w as [A-Z]\w+/);
    }
  });
});

test("a class is declared once, so that it is the same type by every entry point", () => {
  const classes = FILES.flatMap((path) =>
    [
      ...readFileSync(path, "utf8").matchAll(
        /^(?:export )?(?:declare )?(?:abstract )?class (\w+)/gm,
      ),
    ].map(([, name]) => ({ path, name })),
  );
  expect(classes.map(({ name }) => name)).toContain("Gateway");
  const names = classes.map(({ name }) => name);
  expect(names).toEqual([...new Set(names)]);
});
