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
  return [head, ...shorten(lines, MAX_LINES - 1 - end.length), ...end];
}

/** Leaves out the middle of a list that is too long. */
function shorten(lines: readonly string[], max: number): string[] {
  if (lines.length <= max) return [...lines];
  const first = Math.ceil((max - 1) / 2);
  const last = max - 1 - first;
  const left = lines.length - first - last;
  return [...lines.slice(0, first), `   ... ${left} more`, ...lines.slice(-last)];
}
