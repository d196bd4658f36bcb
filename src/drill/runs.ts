import type { CaseRun } from "./case-run.ts";

/** The orders of one shop, and how to find the one that a text is about. */
export class Runs {
  readonly all: CaseRun[] = [];
  readonly byReference = new Map<string, CaseRun>();
  readonly #byNumber = new Map<string, CaseRun>();

  add(run: CaseRun): void {
    this.all.push(run);
    this.#byNumber.set(run.number.slice(3), run);
  }

  /** The order whose phone is in a text, in any usual notation. */
  inText(text: string): CaseRun | undefined {
    for (const [, digits = ""] of text
      .replace(/[ -]/g, "")
      .matchAll(/(?:254|0)?(712\d{6})(?!\d)/g)) {
      const run = this.#byNumber.get(digits);
      if (run !== undefined) return run;
    }
    return undefined;
  }
}
