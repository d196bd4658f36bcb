import { existsSync } from "node:fs";
import { markdownTable } from "./markdown-table.ts";
import { REASONS } from "./mutation-reasons.ts";

/** A small change of the source, and how the tests reacted. */
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

const KILLED = ["Killed", "Timeout"];
const SURVIVED = ["Survived", "NoCoverage"];

const countOf = (mutants: readonly Mutant[], statuses: readonly string[]): number =>
  mutants.filter(({ status }) => statuses.includes(status)).length;

/** The mutation score: how many of a hundred changes made a test fail. */
export function scoreOf(mutants: readonly Mutant[]): number {
  const killed = countOf(mutants, KILLED);
  return (100 * killed) / (killed + countOf(mutants, SURVIVED));
}

/** How many changes there were, and how many the tests noticed. */
export function summaryOf(mutants: readonly Mutant[]): string {
  const killed = countOf(mutants, KILLED);
  const all = killed + countOf(mutants, SURVIVED);
  return `${killed} of ${all} changes were noticed: ${scoreOf(mutants).toFixed(1)} of a hundred.`;
}

const shortened = (text: string): string => {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > 70 ? `${line.slice(0, 69)}…` : line;
};
const code = (text: string): string => `\`\` ${shortened(text).replaceAll("|", "\\|") || " "} \`\``;

function reasonOf(mutant: Mutant): string | undefined {
  return REASONS.find(
    ({ path, mutator, original: pattern, replacement }) =>
      mutant.path === `src/${path}` &&
      (mutator === undefined || mutator === mutant.mutatorName) &&
      (pattern === undefined || pattern.test(mutant.original)) &&
      (replacement === undefined || replacement.test(mutant.replacement)),
  )?.reason;
}

const survivorsOf = (mutants: readonly Mutant[]): readonly Mutant[] =>
  mutants.filter(({ status }) => SURVIVED.includes(status));

/** The reasons whose file is gone. */
export const staleReasons = (): readonly string[] =>
  REASONS.filter(({ path }) => !existsSync(`src/${path}`)).map(
    ({ path, reason }) => `src/${path}: ${reason}`,
  );

/** The changes that survived, and for which no reason is given. */
export const unexplained = (mutants: readonly Mutant[]): readonly string[] =>
  survivorsOf(mutants)
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
    String(countOf(mutants, [...KILLED, ...SURVIVED])),
    String(countOf(mutants, KILLED)),
    scoreOf(mutants).toFixed(1),
  ]);
  const survivors = survivorsOf(all.mutants).map((mutant) => [
    mutant.path.replace("src/", ""),
    code(mutant.original),
    code(mutant.replacement),
    reasonOf(mutant) ?? "",
  ]);
  return `# Mutation testing

Written by \`npm run mutate\`, which takes about an hour. It changes the source in small ways, one at a time (a condition is negated, a call is removed, a text is emptied), and runs the tests that reach the change. A change is killed when a test fails or does not end. A change that survives is either a promise that no test checks, or no difference at all. Code that needs an engine (BullMQ, Redis, PostgreSQL) is left out, since each change would start one.

${markdownTable(["area", "changes", "killed", "score"], rows)}

## What survived

${markdownTable(["file", "was", "became", "why no test is needed"], survivors)}
`;
}
