import type { WriteStream } from "node:tty";
import { printable } from "../terminal/output.ts";
import type { StepResult } from "./probe.ts";
import { stepName } from "./steps/plan.ts";

const CLEAR_LINE = "\r\u001b[2K";
const DEFAULT_COLUMNS = 80;

/** Shows how far the probe is: a counter on a terminal, a line a step anywhere else. */
export class Progress {
  readonly #stream: WriteStream;
  readonly #total: number;
  #done = 0;

  constructor(stream: WriteStream, total: number) {
    this.#stream = stream;
    this.#total = total;
  }

  step({ step, status, skipped }: StepResult): void {
    const count = `${String(++this.#done).padStart(String(this.#total).length)}/${this.#total}`;
    const result = skipped === undefined ? status : `left out: ${skipped}`;
    this.#show(`${count}  ${stepName(step)}  ${result}`);
  }

  /** Says something that stays on the terminal. */
  notify(message: string): void {
    this.clear();
    this.#stream.write(`${printable(message)}\n`);
  }

  /** Takes the counter off the terminal. */
  clear(): void {
    if (this.#stream.isTTY) this.#stream.write(CLEAR_LINE);
  }

  #show(text: string): void {
    const { isTTY, columns = DEFAULT_COLUMNS } = this.#stream;
    if (isTTY) this.#stream.write(CLEAR_LINE + text.slice(0, columns - 1));
    else this.#stream.write(`${text}\n`);
  }
}
