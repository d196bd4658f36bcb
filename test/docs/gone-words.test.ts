import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

/** A word that must not come back: where, and what to write in its place. */
interface GoneWord {
  readonly word: RegExp;
  readonly files: string | readonly string[];
  readonly instead: string;
}

const CODE = ["src/**/*.ts", "scripts/**/*.ts"];
/** Not those that are generated: `docs/api` may be of a former build. */
const WRITTEN = "docs/{guides,concepts,operations,reference,contributing,decisions}/**/*.md";
const PAGES = [WRITTEN, "README.md", "CONTRIBUTING.md", ".changeset/*.md"];

const GONE_WORDS: readonly GoneWord[] = [
  {
    word: /\breports?\b(?!: \{ value|, junit)|\breport[A-Z]|[a-z]Report\b|REPORT/,
    files: "src/drill/**",
    instead: "results: a drill has results, and only a day has a report",
  },
  {
    word: /\breports?\b(?!: \{ value|, junit)|\breport[A-Z]|[a-z]Report\b|REPORT/,
    files: "src/{contract,operator}/**",
    instead: "payment update: a read or a webhook is no report",
  },
  {
    word: /\b(?:ReconcileReport|UnknownReport)\b/,
    files: [...CODE, ...PAGES],
    instead: "ReconcileResult, ResolveUnknownResult",
  },
  {
    word: /\b(?:ErrorReport|reportError|addReport|ReportEntry|reportOn)\b/,
    files: CODE,
    instead: "ErrorFields, errorFields, addUpdate, AssumptionResult, assumptionResults",
  },
  {
    word: /\b(?:sqlite|postgres|pgBoss)(?:Inbox|Checkout|Idempotency)\b|\bmalipo\/(?:inbox|idempotency|wakeups)\//,
    files: [
      ...CODE,
      "README.md",
      "docs/{guides,concepts,operations,reference}/**/*.md",
      "examples/**/*.ts",
    ],
    instead: "sqlite(path), postgres(url), mysql(url), redis(url), memory()",
  },
  {
    word: /\b(?:Known|identityOf|textOf|textOfReports?)\b/,
    files: CODE,
    instead: "a name that says what it is of",
  },
  {
    word: /(?:\/\/|\*) (?:As it came|As above|Why)\.(?: \*\/)?$/m,
    files: CODE,
    instead: "a comment that names its subject",
  },
];

test.each(GONE_WORDS)("$word is in none of $files: write $instead", ({ word, files }) => {
  const paths = globSync(files).filter((path) => /\.\w+$/.test(path));
  expect(paths.length).toBeGreaterThan(0);
  const found = paths.flatMap((path) => {
    const lines = readFileSync(path, "utf8").split("\n");
    return lines.flatMap((line, at) => (word.test(line) ? [`${path}:${at + 1} ${line}`] : []));
  });
  expect(found).toEqual([]);
});
