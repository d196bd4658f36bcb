/** Shows how far a campaign is. */
export interface Progress {
  end(): void;
}

/** How often the line is written again on a terminal, and how often a new line is printed elsewhere. */
const TERMINAL_INTERVAL_MS = 200;
const LINE_INTERVAL_MS = 10_000;

/** @param line - Describes the state of the campaign now. */
export function showProgress(
  line: () => string,
  output: NodeJS.WriteStream = process.stderr,
): Progress {
  const started = performance.now();
  const text = () => `${line()}, ${Math.round((performance.now() - started) / 1000)} s`;
  const show = output.isTTY
    ? () => output.write(`\r\x1b[K${text().slice(0, (output.columns ?? 80) - 1)}`)
    : () => output.write(`${text()}\n`);
  const timer = setInterval(show, output.isTTY ? TERMINAL_INTERVAL_MS : LINE_INTERVAL_MS);
  return {
    end: () => {
      clearInterval(timer);
      if (output.isTTY) output.write("\r\x1b[K");
    },
  };
}
