import { markdownTable } from "../test/bench/table.ts";
import { REASONS } from "./mutation-reasons.ts";

/** A small change of the sources, and what came of it. */
export interface Mutant {
  readonly path: string;
  readonly status: string;
  readonly mutatorName: string;
  readonly line: number;
  readonly original: string;
  readonly replacement: string;
}
export interface AreaResult {
  readonly name: string;
  readonly mutants: readonly Mutant[];
}

const NOTICED = ["Killed", "Timeout"];
const MISSED = ["Survived", "NoCoverage"];

const countOf = (mutants: readonly Mutant[], statuses: readonly string[]): number =>
  mutants.filter(({ status }) => statuses.includes(status)).length;

/** How many of a hundred changes were noticed. */
export function scoreOf(mutants: readonly Mutant[]): number {
  const noticed = countOf(mutants, NOTICED);
  return (100 * noticed) / (noticed + countOf(mutants, MISSED));
}

const shortened = (text: string): string => {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > 70 ? `${line.slice(0, 69)}…` : line;
};
const code = (text: string): string => `\`\` ${shortened(text).replaceAll("|", "\\|") || " "} \`\``;

function reasonOf(mutant: Mutant): string | undefined {
  return REASONS.find(
    ({ path, mutator, original: pattern, replacement }) =>
      mutant.path.endsWith(path) &&
      (mutator === undefined || mutator === mutant.mutatorName) &&
      (pattern === undefined || pattern.test(mutant.original)) &&
      (replacement === undefined || replacement.test(mutant.replacement)),
  )?.reason;
}

const missedOf = (mutants: readonly Mutant[]): readonly Mutant[] =>
  mutants.filter(({ status }) => MISSED.includes(status));

/** The changes that no test noticed, and that nothing is said of. */
export const unexplained = (mutants: readonly Mutant[]): readonly string[] =>
  missedOf(mutants)
    .filter((mutant) => reasonOf(mutant) === undefined)
    .map(({ path, line, mutatorName, original, replacement }) => {
      const change = `${shortened(original)}  =>  ${shortened(replacement)}`;
      return `${path}:${line} ${mutatorName}: ${change}`;
    });

/** The page of the manual. */
export function pageOf(areas: readonly AreaResult[]): string {
  const all = { name: "**all**", mutants: areas.flatMap(({ mutants }) => mutants) };
  const rows = [...areas, all].map(({ name, mutants }) => [
    name,
    String(countOf(mutants, [...NOTICED, ...MISSED])),
    String(countOf(mutants, NOTICED)),
    scoreOf(mutants).toFixed(1),
  ]);
  const missed = missedOf(all.mutants).map((mutant) => [
    mutant.path.replace("src/", ""),
    code(mutant.original),
    code(mutant.replacement),
    reasonOf(mutant) ?? "",
  ]);
  return `# The tests, tested

Written by \`npm run mutate\`, which takes an hour: it changes the sources in small ways, one at a time (a condition turned round, a call left out, a text emptied), and runs the tests that reach the change. It is noticed where one of them fails, or does not end. A change that makes no test fail is a promise that nobody checks, or a difference that makes none. What only an engine can test (BullMQ, pg-boss, Redis, PostgreSQL) is left out: each change would start one.

${markdownTable(["area", "changes", "noticed", "of a hundred"], rows)}

## What no test noticed

${markdownTable(["file", "was", "became", "why that is well"], missed)}
`;
}
