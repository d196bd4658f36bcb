import type { Report } from "./campaign.ts";
import type { Breach } from "./check.ts";

const AFTER_THE_CHARGE = ["lostResponse", "truncate"];

const counted = (counts: Iterable<readonly [string, number]>): string =>
  [...counts]
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${name} ${count}`)
    .join(", ") || "none";

/** The number of orders with a breach of these kinds. */
const ordersWith = (breaches: readonly Breach[], ...kinds: Breach["kind"][]): number =>
  new Set(
    breaches.filter(({ kind }) => kinds.includes(kind)).map(({ order, what }) => order || what),
  ).size;

const held = (holds: boolean, promise: string) => `${promise}: ${holds ? "held" : "BROKEN"}`;

/** The rows of the table: what is counted, the count, and what it should be. */
function rowsOf(report: Report): (readonly [string, string | number, string])[] {
  const { verdict, faults, resolutions, kills, options, workers, store } = report;
  const { breaches, mostPrompts, statuses } = verdict;
  const wrong = ordersWith(breaches, "wrong");
  const unknown = ordersWith(breaches, "unknown");
  const unexpected = ordersWith(breaches, "unexpected", "stray");
  const prompts = [...(faults.get("mobileMoney.initiate") ?? [])];
  const reads = new Map<string, number>();
  for (const endpoint of ["payments.get", "payments.list"] as const) {
    for (const [name, count] of faults.get(endpoint) ?? []) {
      reads.set(name, (reads.get(name) ?? 0) + count);
    }
  }
  const isAfter = ([name]: readonly [string, number]) => AFTER_THE_CHARGE.includes(name);
  return [
    ["orders, one key each", options.payments, ""],
    ["clicks", report.clicks, "double clicks and retries included"],
    ["prompts", verdict.prompts, "in the service's own ledger"],
    ["most prompts for one key", mostPrompts, held(mostPrompts <= 1, "at most 1")],
    ["wrong final statuses", wrong, held(wrong === 0, "none")],
    ["orders left unknown", unknown, held(unknown === 0, "none")],
    ["unexpected errors", unexpected, held(unexpected === 0, "none")],
    ["final statuses", "", counted(Object.entries(statuses).sort())],
    ["errors the shop saw", "", counted([...report.failures].sort())],
    [
      "looked up and resolved",
      resolutions.found + resolutions.not_sent,
      `found ${resolutions.found}, not sent ${resolutions.not_sent}`,
    ],
    ["pending, reconciled", report.reconciled, ""],
    ["faults before the charge", "", counted(prompts.filter((row) => !isAfter(row)))],
    [
      "faults after the charge",
      "",
      counted([...prompts.filter(isAfter), ...Object.entries(report.proxyFaults)]),
    ],
    ["faults of reads", "", counted(reads)],
    ["webhooks", "", counted(Object.entries(report.webhooks))],
    ["service restarts", report.restarts, ""],
    ["workers", workers, sharing(workers, store.leaseMs)],
    [
      "workers killed",
      kills.killed,
      kills.killed > 0 ? `${kills.jobsLost} jobs died with them` : "",
    ],
    ["time", "", `${report.seconds.toFixed(1)} s`],
  ];
}

function sharing(workers: number, leaseMs: number | undefined): string {
  const notes = [workers > 1 && "sharing one store", leaseMs && `leases of ${leaseMs} ms`];
  return notes.filter(Boolean).join(", ");
}

const WIDTH = 100;

/** Breaks a list that is too long for its line. */
function wrapped(text: string, indent: number): string {
  const lines = [""];
  for (const part of text.split(/(?<=, )/)) {
    const line = lines.at(-1) ?? "";
    if (line !== "" && indent + line.length + part.trimEnd().length > WIDTH) lines.push(part);
    else lines[lines.length - 1] = line + part;
  }
  return lines.map((line) => line.trimEnd()).join(`\n${" ".repeat(indent)}`);
}

/** The table of a campaign, for a terminal. */
export function reportTable(report: Report): string {
  const rows = rowsOf(report);
  const widest = Math.max(...rows.map(([name]) => name.length));
  const lines = rows.map(([name, count, note]) => {
    const figures = `  ${name.padEnd(widest)}  ${String(count).padStart(6)}  `;
    return (figures + wrapped(note, figures.length)).trimEnd();
  });
  return [`${report.store.name} store, seed ${report.options.seed}`, ...lines].join("\n");
}

const MAX_SHOWN = 20;

/** One line for each breach. */
export function breachLines({ verdict: { breaches } }: Report): string {
  const lines = breaches
    .slice(0, MAX_SHOWN)
    .map(({ kind, order, what }) => `  ${kind} ${order}: ${what}`);
  const more = breaches.length - lines.length;
  return [...lines, ...(more > 0 ? [`  and ${more} more`] : [])].join("\n");
}
