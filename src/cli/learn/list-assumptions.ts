import { type AssumptionResult, assumptionResults } from "../../sandbox/assumption-results.ts";
import type { Input, Output } from "../command.ts";
import { paint, printable } from "../terminal/output.ts";
import { readProfile } from "./profile-arguments.ts";

/** The sections of the text, in their order. */
const SECTIONS = [
  ["contradicted", "yellow", "Contradicted: the service does otherwise"],
  ["confirmed", "green", "Confirmed: the service does as the sandbox"],
  ["unseen", "dim", "Not seen"],
] as const;

function formatEntry({ result, name, seen, assumed, found }: AssumptionResult): string {
  const title = `  ${paint("bold", name)}`;
  if (result === "unseen") return name;
  if (result === "confirmed") return `${title} (${seen})  ${printable(assumed)}`;
  return `${title}\n    the sandbox  ${printable(assumed)}\n    the service  ${printable(String(found))}`;
}

/** What the sandbox assumes, beside what the service was seen to do. */
export const formatAssumptions = (entries: readonly AssumptionResult[]): string =>
  SECTIONS.flatMap(([result, colour, title]) => {
    const own = entries.filter((entry) => entry.result === result).map(formatEntry);
    const text = result === "unseen" ? `  ${own.join(", ")}` : own.join("\n");
    return own.length === 0 ? [] : [`${paint(colour, `${title} (${own.length})`)}\n${text}`];
  }).join("\n\n");

/** `malipo learn report FILE` */
export async function assumptions({ args: [file = ""], io }: Input): Promise<Output> {
  const entries = assumptionResults(readProfile(io, file));
  return { value: entries, text: () => formatAssumptions(entries) };
}
