// Finds words that the project no longer uses, and says what to write instead.
// `npx node scripts/check-words.ts` looks everywhere, `... src/client docs` only there.
import { globSync, readFileSync, statSync } from "node:fs";
import { GONE_WORDS } from "./gone-words.ts";

const PLACES = [
  "src",
  "docs",
  "examples",
  "test",
  ".changeset",
  "README.md",
  "SECURITY.md",
  "CONTRIBUTING.md",
];

const TEXT_FILES = /\.(?:ts|tsx|js|md|html|css|svg)$/;

/** Built pages, what quotes tools or the source, words that other services send, and the test of this. */
const NOT_READ =
  /^docs\/(?:site\/|reference\/|\.vitepress\/cache\/|contributing\/(?:benchmarks|mutation)\.)|^src\/profile\/vocabulary\/words\.ts|^test\/docs\/check-words\.test\.ts/;

export interface Finding {
  readonly path: string;
  /** From 1; 0 if the word is in the path itself. */
  readonly line: number;
  readonly word: string;
  readonly instead: string;
}

/** The gone words of a line. */
function wordsIn(path: string, text: string, line: number): Finding[] {
  return GONE_WORDS.filter((row) => row.path?.test(path) !== false).flatMap(
    ({ pattern, instead, except }) => {
      const read =
        except === undefined ? text : text.replace(except, (right) => " ".repeat(right.length));
      return [...read.matchAll(pattern)].map(([word]) => ({ path, line, word, instead }));
    },
  );
}

/** The gone words of a file: of its path, and of each line. */
export function findGoneWords(path: string, text: string): Finding[] {
  return [
    ...wordsIn(path, path, 0),
    ...text.split("\n").flatMap((line, index) => wordsIn(path, line, index + 1)),
  ];
}

function filesIn(place: string): string[] {
  if (!statSync(place).isDirectory()) return [place];
  const files = globSync(`${place.replace(/\/$/, "")}/**/*`);
  return files.filter((path) => TEXT_FILES.test(path) && !path.includes("node_modules")).sort();
}

if (import.meta.main) {
  const places = process.argv.length > 2 ? process.argv.slice(2) : PLACES;
  const files = places.flatMap(filesIn).filter((path) => !NOT_READ.test(path));
  const findings = files.flatMap((path) => findGoneWords(path, readFileSync(path, "utf8")));
  for (const { path, line, word, instead } of findings) {
    console.log(`${path}${line === 0 ? "" : `:${line}`}  "${word}": write ${instead}`);
  }
  console.log(`${files.length} files, ${findings.length} words to replace`);
  process.exitCode = findings.length === 0 ? 0 : 1;
}
