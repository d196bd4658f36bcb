import { Progress } from "../../src/cli/terminal/progress.ts";

/** Counts the steps of a benchmark, and shows how far it is. */
export interface Steps {
  /** A step is done. */
  step(): void;
  end(): void;
}

/** Without a timer: nothing is shown while something is measured. */
export function countSteps(what: string, total: number): Steps {
  let done = 0;
  const progress = new Progress({
    output: process.stderr,
    line: () => `${what}: ${done} of ${total} measurements`,
    share: () => done / total,
  });
  return {
    step: () => {
      done++;
      progress.update();
    },
    end: () => progress.clear(),
  };
}
