import { type Goal, goalLine } from "./table.ts";

/** A subject of the bench after it ran. */
export interface Ran {
  readonly name: string;
  /** All that it printed. */
  readonly text: string;
  /** The exit code of its program; `null` if a signal ended it. 0 for a subject that is no program. */
  readonly status: number | null;
}

/** The goals that a subject printed, in the form of `goalLine`. */
export function goalsIn(text: string): Goal[] {
  return [...text.matchAll(/^(met {5}|MISSED {2})(.+)$/gm)].map(([, verdict = "", what = ""]) => ({
    text: what,
    met: verdict.startsWith("met"),
  }));
}

/** Whether a program did not do its work. One that only missed a goal may end with the code 1. */
export function hasFailed({ text, status }: Ran): boolean {
  return status !== 0 && !(status === 1 && goalsIn(text).some(({ met }) => !met));
}

/** The last line of the bench: what failed, and how many goals of all subjects are missed. */
export function lastLine(all: readonly Ran[]): string {
  const goals = all.flatMap(({ text }) => goalsIn(text));
  const missed = goals.filter(({ met }) => !met).length;
  const failed = all.filter(hasFailed).map(({ name }) => name);
  const verdict =
    missed === 0
      ? `All ${goals.length} goals are met.`
      : `${missed} of ${goals.length} goals are missed.`;
  return failed.length === 0 ? verdict : `FAILED: ${failed.join(", ")}. ${verdict}`;
}

/** That the bench itself ends in time. */
export const timeGoal = (seconds: number, atMostMinutes: number): string =>
  goalLine({
    text: `the whole bench takes at most ${atMostMinutes} minutes: ${(seconds / 60).toFixed(1)}`,
    met: seconds <= atMostMinutes * 60,
  });
