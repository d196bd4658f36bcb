import type { StepResult } from "../../learn/probe/probe.ts";
import { StatusLine, type StatusOutput } from "../terminal/status-line.ts";
import { stepName } from "./plan.ts";

/** Shows how far the probe is: a counter on a terminal, a line a step anywhere else. */
export class StepCounter {
  readonly #status: StatusLine;
  readonly #total: number;
  #done = 0;

  constructor(output: StatusOutput, total: number) {
    this.#status = new StatusLine(output);
    this.#total = total;
  }

  step({ step, status, skipped }: StepResult): void {
    const count = `${String(++this.#done).padStart(String(this.#total).length)}/${this.#total}`;
    const result = skipped === undefined ? status : `left out: ${skipped}`;
    this.#status.show(`${count}  ${stepName(step)}  ${result}`);
  }

  /** Says something that stays on the terminal. */
  notify(message: string): void {
    this.#status.note(message);
  }

  /** Takes the counter off the terminal. */
  clear(): void {
    this.#status.clear();
  }
}
