import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import * as common from "../../src/cli/flags/common.ts";
import * as learn from "../../src/cli/flags/learn.ts";
import * as sandbox from "../../src/cli/flags/sandbox.ts";
import * as service from "../../src/cli/flags/service.ts";
import * as stores from "../../src/cli/flags/stores.ts";
import * as tools from "../../src/cli/flags/tools.ts";
import { DRILL_FLAGS } from "../../src/drill/drill-options.ts";

const ROWS: Readonly<Record<string, object>> = {
  ...{ ...common, ...learn, ...sandbox, ...service, ...stores, ...tools, DRILL_FLAGS },
} as never;

/** The flags whose reader is a row of a table: one without a row does not compile. */
const TYPED = [
  ...Object.keys(stores.LIST_CHOICES),
  "init",
  "list",
  "double-click",
  "part-payments",
];

const read = (path: string) => readFileSync(path, "utf8");

/** The text of a command's file and of the files of the command line and the drill that it imports. */
function textFrom(path: string, seen = new Set<string>()): string {
  const isOwn = /^src\/(?:cli|drill)\/(?!flags\/|definitions\/|drill-options)/.test(path);
  if (seen.has(path) || !isOwn) return "";
  seen.add(path);
  const text = read(path);
  const imported = [...text.matchAll(/(?:from |import\()"(\.[^"]+\.ts)"/g)];
  return text + imported.map(([, to = ""]) => textFrom(join(path, "..", to), seen)).join("");
}

/** `flags.n`, `flags["n"]`, `{ n } = flags`, `flags: { n }`, or the name for a function: `(flags, "n")`. */
const isRead = (name: string, text: string) =>
  new RegExp(
    `flags(?:\\.${name}\\b|\\["${name}")|\\{[^{}]*\\b${name}\\b[^{}]*\\} = (?:input\\.)?flags|flags: \\{[^{}]*\\b${name}\\b|[(,] ?"${name}"`,
  ).test(text);

/** What each definition loads: the name of the flags' rows, and the file of the command. */
const loaded = globSync("src/cli/definitions/*.ts").flatMap((path) =>
  [
    ...read(path).matchAll(/lazily\(\s*([A-Z_]+),\s*(?:\(\) => import\("\.\.\/([^"]+)"\)|reads)/g),
  ].map(([, rows = "", file = "sandbox/reads.ts"]) => [rows, `src/cli/${file}`] as const),
);

const calls = Object.entries(service.CALLS).map(
  ([kind, rows]) => [kind, "src/cli/commands/endpoint-calls.ts", rows] as const,
);

describe("a command reads each flag that it takes", () => {
  test.each([
    ...loaded.map(
      ([rows, file]) => [rows, file, ROWS[rows] ?? { [rows]: "unknown rows" }] as const,
    ),
    ...calls,
  ])("%s, in %s", (_, file, rows) => {
    const text = textFrom(file);
    const names = Object.keys(rows).filter((name) => !TYPED.includes(name));
    expect(names.filter((name) => !isRead(name, text))).toEqual([]);
  });

  test("of every definition that loads a command with flags", () => {
    const all = globSync("src/cli/definitions/*.ts").map((path) =>
      read(path).match(/lazily\(\s*[A-Z]/g),
    );
    expect(all.flat().filter(Boolean)).toHaveLength(loaded.length);
  });
});
