import { readFileSync } from "node:fs";
import ts from "typescript";
import { expect, test } from "vitest";

/** The names that an entry point exports. It exports them one by one: `export { ... } from`. */
function exportsOf(path: string): string[] {
  const source = ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest);
  return source.statements.flatMap((statement) => {
    if (!ts.isExportDeclaration(statement)) throw new Error(`${path} exports in another way.`);
    const clause = statement.exportClause;
    if (clause === undefined || !ts.isNamedExports(clause)) throw new Error("It exports all.");
    return clause.elements.map(({ name }) => name.text);
  });
}

test("malipo and malipo/webhooks export at most 120 names together", () => {
  const names = new Set([...exportsOf("src/index.ts"), ...exportsOf("src/webhooks/index.ts")]);
  expect(names.size).toBeGreaterThan(50);
  expect([...names].length).toBeLessThanOrEqual(120);
});
