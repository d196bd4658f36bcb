/** The result of one benchmark. */
export interface Measured {
  readonly title: string;
  /** How it was measured, in a sentence. */
  readonly how: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** For the chart: shorter is better. */
  readonly bars: readonly Bar[];
  readonly goals: readonly Goal[];
}

export interface Bar {
  readonly label: string;
  readonly value: number;
  readonly text: string;
}

export interface Goal {
  readonly text: string;
  readonly met: boolean;
}

/** Whether a bar is one of malipo's, which has its own colour. */
export const isOurs = (label: string): boolean => label.startsWith("malipo");

/** A table for a terminal, with aligned columns. */
export function textTable(columns: readonly string[], rows: Measured["rows"]): string {
  const all = [columns, ...rows];
  const widths = columns.map((_, index) => Math.max(...all.map((row) => row[index]?.length ?? 0)));
  return all
    .map((row) =>
      row
        .map((cell, index) => cell.padEnd(widths[index] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** A goal is judged by the figure that is printed, so that a reader can judge it, too. */
function judged(
  what: string,
  limit: string,
  found: number,
  digits: number,
  isMet: (printed: number) => boolean,
): Goal {
  const printed = found.toFixed(digits);
  return { text: `${what} ${limit}: ${printed}`, met: isMet(Number(printed)) };
}

const withUnit = (limit: number, unit: string): string => `${limit} ${unit}`.trim();

export const atMost = (what: string, limit: number, found: number, unit = "", digits = 2): Goal =>
  judged(what, `at most ${withUnit(limit, unit)}`, found, digits, (printed) => printed <= limit);

export const atLeast = (what: string, limit: number, found: number, unit = "", digits = 2): Goal =>
  judged(what, `at least ${withUnit(limit, unit)}`, found, digits, (printed) => printed >= limit);

export const goalLine = ({ text, met }: Goal): string => `${met ? "met   " : "MISSED"}  ${text}`;
