import { type ReportEntry, reportOn } from "../../sandbox/assumption-report.ts";
import type { Input } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { paint, printable, printResult } from "../terminal/output.ts";
import { readProfile } from "./profile-arguments.ts";

/** The sections of a report as text, in their order. */
const SECTIONS = [
  {
    result: "contradicted",
    title: "Contradicted: the service does otherwise",
    colour: "yellow",
    format: ({ name, assumed, found }: ReportEntry) =>
      `  ${paint("bold", name)}\n    the sandbox  ${printable(assumed)}\n    the service  ${printable(String(found))}`,
    between: "\n",
  },
  {
    result: "confirmed",
    title: "Confirmed: the service does as the sandbox",
    colour: "green",
    format: ({ name, seen, assumed }: ReportEntry) =>
      `  ${paint("bold", name)} (${seen})  ${printable(assumed)}`,
    between: "\n",
  },
  {
    result: "unseen",
    title: "Not seen",
    colour: "dim",
    format: ({ name }: ReportEntry) => name,
    between: ", ",
  },
] as const;

/** The report: what the sandbox assumes, beside what the service was seen to do. */
export const formatReport = (entries: readonly ReportEntry[]): string =>
  SECTIONS.flatMap(({ result, title, colour, format, between }) => {
    const own = entries.filter((entry) => entry.result === result).map(format);
    const indent = result === "unseen" ? "  " : "";
    return own.length === 0
      ? []
      : [`${paint(colour, `${title} (${own.length})`)}\n${indent}${own.join(between)}`];
  }).join("\n\n");

/** `malipo learn report FILE` */
export async function report({ args: [file = ""], json }: Input): Promise<number> {
  const entries = reportOn(readProfile(file));
  printResult(json, entries, () => formatReport(entries));
  return EXIT.ok;
}
