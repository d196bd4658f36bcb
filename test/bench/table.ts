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

export function markdownTable(columns: readonly string[], rows: Measured["rows"]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(columns), line(columns.map(() => "---")), ...rows.map(line)].join("\n");
}

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

export const goalLine = ({ text, met }: Goal): string => `${met ? "met   " : "MISSED"}  ${text}`;
