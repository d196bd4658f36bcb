import type { WriteStream } from "node:tty";
import { clearLine, printable, write } from "../terminal/output.ts";
import type { StepResult } from "./probe.ts";
import { stepName } from "./steps/plan.ts";

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
    write(this.#stream, `${message}\n`);
  }

  /** Takes the counter off the terminal. */
  clear(): void {
    if (this.#stream.isTTY) clearLine(this.#stream);
  }

  #show(text: string): void {
    const { isTTY, columns = DEFAULT_COLUMNS } = this.#stream;
    const line = printable(text);
    this.clear();
    write(this.#stream, isTTY ? line.slice(0, columns - 1) : `${line}\n`);
  }
}
