import type { CaseResult } from "./drill.ts";
import { PROMISES } from "./promises.ts";

const MAX_LINES = 12;

/** A case that broke a promise, in at most twelve lines, in the order in which it happened. */
export function formatStory({ case: one, story, problems }: CaseResult, promise: string): string[] {
  const { cause = "" } = PROMISES.find(({ name }) => name === promise) ?? {};
  const head = `case ${one.number}: ${one.text}`;
  const end = [
    `  wrong: ${problems.get(promise)}. Usual cause: ${cause}.`,
    one.isRandom
      ? "  again: npx malipo drill with the same --orders and --seed"
      : `  again: npx malipo drill --case ${one.number}`,
  ];
  const lines = story.map(
    ({ atMs, who, text }) =>
      `  ${(atMs / 1_000).toFixed(2).padStart(5)} s  ${who.padEnd(8)}  ${text}`,
  );
  const max = MAX_LINES - 1 - end.length;
  if (lines.length > max) {
    const middle = lines.splice(Math.ceil((max - 1) / 2), lines.length - max + 1);
    lines.splice(Math.ceil((max - 1) / 2), 0, `   ... ${middle.length} more`);
  }
  return [head, ...lines, ...end];
}
