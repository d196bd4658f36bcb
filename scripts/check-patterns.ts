// Finds patterns that take the square of their input, or worse (ReDoS): a stranger's text of 50,000
// characters would block the process for a second. `npx node scripts/check-patterns.ts`.
import { globSync, readFileSync } from "node:fs";
import { check } from "recheck";
import ts from "typescript";

interface Pattern {
  readonly place: string;
  readonly source: string;
  readonly flags: string;
}

/** Every pattern that is written as a literal in a file. */
export function patternsIn(path: string, text: string): Pattern[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found: Pattern[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const { line } = file.getLineAndCharacterOfPosition(node.getStart());
      const end = node.text.lastIndexOf("/");
      const [source, flags] = [node.text.slice(1, end), node.text.slice(end + 1)];
      found.push({ place: `${path}:${line + 1}`, source, flags });
    }
    node.forEachChild(visit);
  };
  visit(file);
  return found;
}

/** Without a limit of time: those of steps and of characters end each look, and give one answer on every machine. */
const LIMITS = {
  timeout: null,
  seedingTimeout: null,
  incubationTimeout: null,
  attackTimeout: null,
} as const;

/** What is wrong with a pattern; `undefined` if it takes time in proportion to its input. */
export async function problemOf({ source, flags }: Pattern): Promise<string | undefined> {
  const result = await check(source, flags, LIMITS);
  if (result.status === "safe") return undefined;
  return result.status === "vulnerable"
    ? result.complexity.summary
    : `unknown: ${result.error.kind}`;
}

/** One that repeats nothing takes time in proportion to its input. */
const repeats = ({ source }: Pattern) => /[*+]|\{\d/.test(source);

if (import.meta.main) {
  const paths = globSync("src/**/*.{ts,tsx,js}").sort();
  const patterns = paths
    .flatMap((path) => patternsIn(path, readFileSync(path, "utf8")))
    .filter(repeats);
  let problems = 0;
  for (const pattern of patterns) {
    const problem = await problemOf(pattern);
    if (problem === undefined) continue;
    problems++;
    console.log(`${pattern.place}  /${pattern.source}/${pattern.flags}: ${problem}`);
  }
  console.log(
    `${patterns.length} patterns that repeat something, ${problems} that a long text makes slow`,
  );
  process.exitCode = problems === 0 ? 0 : 1;
}
