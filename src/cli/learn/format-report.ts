import type { ReportEntry } from "../../learn/report.ts";
import { paint, printable } from "../terminal/output.ts";

const RESULTS = {
  contradicted: { title: "Contradicted: the service does otherwise", colour: "yellow" },
  confirmed: { title: "Confirmed: the service does as the sandbox", colour: "green" },
  unseen: { title: "Not seen", colour: "dim" },
} as const;

type Outcome = keyof typeof RESULTS;

function formatEntry({ name, result, seen, assumed, found }: ReportEntry): string {
  const lines: Readonly<Record<Outcome, readonly string[]>> = {
    contradicted: [
      `  ${paint("bold", name)}`,
      `    the sandbox  ${printable(String(assumed))}`,
      `    the service  ${printable(String(found))}`,
    ],
    confirmed: [`  ${paint("bold", name)} (${seen})  ${printable(String(assumed))}`],
    unseen: [],
  };
  return lines[result].join("\n");
}

function formatResult(result: Outcome, entries: readonly ReportEntry[]): string[] {
  const own = entries.filter((entry) => entry.result === result);
  if (own.length === 0) return [];
  const { title, colour } = RESULTS[result];
  const rows =
    result === "unseen"
      ? `  ${own.map(({ name }) => name).join(", ")}`
      : own.map(formatEntry).join("\n");
  return [`${paint(colour, `${title} (${own.length})`)}\n${rows}`];
}

/** The report: what the sandbox assumes, beside what the service was seen to do. */
export const formatReport = (entries: readonly ReportEntry[]): string =>
  (Object.keys(RESULTS) as Outcome[])
    .flatMap((result) => formatResult(result, entries))
    .join("\n\n");
