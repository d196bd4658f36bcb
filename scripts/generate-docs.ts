// Writes the tables of the docs that come from the sources, between their markers.
// `npm run docs:tables` writes; a test fails where a table is behind its source.
import { readFileSync, writeFileSync } from "node:fs";
import { ENDPOINTS, type Endpoint } from "../src/contract/endpoints.ts";
import { ASSUMPTIONS } from "../src/sandbox/assumptions.ts";
import { FAILURES, MAGIC_SUFFIXES } from "../src/sandbox/outcomes.ts";

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");

const code = (text: string) => `\`${text}\``;

function endpoints(): string {
  const rows = Object.entries<Endpoint>(ENDPOINTS).map(([name, row], index) => [
    String(index + 1),
    code(`gateway.${name}`),
    code(`${row.method} ${row.path}`),
    row.scope === undefined ? "" : code(row.scope),
    ...(["public", "secret", "sandbox"] as const).map((kind) =>
      row.keys.includes(kind) ? "●" : "",
    ),
    row.effect,
  ]);
  return table(["", "call", "sends", "scope", "`pk_`", "`sk_`", "`sb_`", "effect"], rows);
}

const assumptions = () =>
  table(
    ["where the interface is silent", "what the sandbox does", "why"],
    Object.values(ASSUMPTIONS).map(({ about, choice, reason }) => [about, choice, reason]),
  );

function magicNumbers(): string {
  const rows = Object.entries(MAGIC_SUFFIXES).map(([answer, suffix]) => {
    const failure = Object.entries(FAILURES).find(([name]) => name === answer)?.[1];
    const meaning = answer === "approve" ? "paid, where the balance suffices" : "never answered";
    return [
      code(`…${suffix}`),
      code(`MAGIC_SUFFIXES.${answer}`),
      failure === undefined ? meaning : failure.userMessage,
      failure === undefined ? "" : `${failure.code}: ${failure.reason}`,
      failure === undefined ? "" : String(failure.retryPossible),
    ];
  });
  return table(
    ["ends in", "constant", "what happens", "`failure_reason`", "`retry_possible`"],
    rows,
  );
}

/** Every generated table, by the name in its marker. */
const TABLES: Readonly<Record<string, () => string>> = { endpoints, assumptions, magicNumbers };

/** The text of a page with its tables as the sources have them now. */
export function withTables(page: string): string {
  return page.replace(
    /(<!-- generated: (\w+) -->)[\s\S]*?(<!-- end -->)/g,
    (_, begin: string, name: string, end: string) => {
      const make = TABLES[name];
      if (make === undefined) throw new Error(`No table is called ${name}.`);
      return `${begin}\n${make()}\n${end}`;
    },
  );
}

/** The pages that hold generated tables. */
export const PAGES = ["README.md", "docs/sandbox.md"];

if (import.meta.main) {
  for (const page of PAGES) writeFileSync(page, withTables(readFileSync(page, "utf8")));
}
