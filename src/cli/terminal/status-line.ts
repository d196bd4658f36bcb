import { clearLine, printable, write } from "./output.ts";

const DEFAULT_COLUMNS = 80;

/** The stream of a status: standard error, so that standard output stays clean. */
export type StatusOutput = Pick<NodeJS.WriteStream, "isTTY" | "columns" | "write">;

/** One line that is written again and again on a terminal, and plain lines anywhere else. */
export class StatusLine {
  readonly #output: StatusOutput;

  constructor(output: StatusOutput = process.stderr) {
    this.#output = output;
  }

  get isTerminal(): boolean {
    return this.#output.isTTY;
  }

  /** Shows a status in the place of the one before. */
  show(text: string): void {
    const { columns = DEFAULT_COLUMNS } = this.#output;
    const line = printable(text);
    this.clear();
    write(this.#output, this.isTerminal ? line.slice(0, columns - 1) : `${line}\n`);
  }

  /** Says something that stays. */
  note(text: string): void {
    this.clear();
    write(this.#output, `${text}\n`);
  }

  /** Takes the status off the terminal. */
  clear(): void {
    if (this.isTerminal) clearLine(this.#output);
  }
}
