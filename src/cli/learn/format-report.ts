import type { ReportEntry } from "../../learn/report.ts";
import { paint, printable } from "../terminal/output.ts";

const VERDICTS = {
  contradicted: { title: "Contradicted: the service does otherwise", colour: "yellow" },
  confirmed: { title: "Confirmed: the service does as the sandbox", colour: "green" },
  unseen: { title: "Not seen", colour: "dim" },
} as const;

type Verdict = keyof typeof VERDICTS;

function formatEntry({ name, verdict, seen, assumed, found }: ReportEntry): string {
  const lines: Readonly<Record<Verdict, readonly string[]>> = {
    contradicted: [
      `  ${paint("bold", name)}`,
      `    the sandbox  ${printable(String(assumed))}`,
      `    the service  ${printable(String(found))}`,
    ],
    confirmed: [`  ${paint("bold", name)} (${seen})  ${printable(String(assumed))}`],
    unseen: [],
  };
  return lines[verdict].join("\n");
}

function formatVerdict(verdict: Verdict, entries: readonly ReportEntry[]): string[] {
  const own = entries.filter((entry) => entry.verdict === verdict);
  if (own.length === 0) return [];
  const { title, colour } = VERDICTS[verdict];
  const rows =
    verdict === "unseen"
      ? `  ${own.map(({ name }) => name).join(", ")}`
      : own.map(formatEntry).join("\n");
  return [`${paint(colour, `${title} (${own.length})`)}\n${rows}`];
}

/** The report: what the sandbox assumes, beside what the service was seen to do. */
export const formatReport = (entries: readonly ReportEntry[]): string =>
  (Object.keys(VERDICTS) as Verdict[])
    .flatMap((verdict) => formatVerdict(verdict, entries))
    .join("\n\n");
