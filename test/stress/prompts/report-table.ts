import type { Report } from "./campaign.ts";
import type { Breach, CheckResult } from "./check.ts";
import type { HistoryResult } from "./history/check-history.ts";
import type { HistoryEvent } from "./history/event.ts";
import { groupBy } from "./history/group-by.ts";

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

/** What is counted, the count, and what it should be. */
type Row = readonly [string, string | number, string];

/** The rows that a saved history has too. */
function resultRows(result: HistoryResult): Row[] {
  const { breaches, mostPrompts, statuses, hardStates, lastPhaseMs } = result;
  const none = (name: string, ...kinds: Breach["kind"][]): Row => {
    const count = ordersWith(breaches, ...kinds);
    return [name, count, held(count === 0, "none")];
  };
  const isSlow = breaches.some(({ kind }) => kind === "ended_late");
  const met = hardStates.filter(({ expected }) => expected);
  const missed = met.filter(({ count }) => count === 0);
  return [
    ["prompts", result.prompts, "in the service's own ledger"],
    ["most prompts for one key", mostPrompts, held(mostPrompts <= 1, "at most 1")],
    none("wrong final statuses", "wrong"),
    none("orders left unknown", "unknown"),
    none("unexpected errors", "unexpected", "stray"),
    none("keys begun twice", "begun_twice"),
    none("sent after the lease", "sent_late"),
    none("freed too early", "freed_early"),
    [
      "seconds to end without faults",
      lastPhaseMs === undefined ? "-" : (lastPhaseMs / 1000).toFixed(1),
      held(!isSlow, "in time"),
    ],
    ["final statuses", "", counted(Object.entries(statuses).sort())],
    [
      "hard states",
      met.length - missed.length,
      `of ${met.length}: ${counted(hardStates.map(({ name, count }) => [name, count]))}`,
    ],
    ["hard states that never occurred", missed.length, missed.map(({ name }) => name).join(", ")],
  ];
}

/** The rows of the table. */
function rowsOf(report: Report): Row[] {
  const { result, faults, resolutions, kills, options, workers } = report;
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
    ...resultRows(result),
    ["errors the shop saw", "", counted([...report.failures].sort())],
    [
      "looked up and resolved",
      resolutions.found + resolutions.not_sent,
      `found ${resolutions.found}, not sent ${resolutions.not_sent}, rejected as too early ${resolutions.too_early}`,
    ],
    ["pending, reconciled", report.reconciled, ""],
    ["faults before the charge", "", counted(prompts.filter((row) => !isAfter(row)))],
    [
      "faults after the charge",
      "",
      counted([...prompts.filter(isAfter), ...Object.entries(report.proxyFaults)]),
    ],
    ["prompts that came late", report.latePrompts, "forwarded when the client was gone"],
    ["faults of reads", "", counted(reads)],
    ["webhooks", "", counted(Object.entries(report.webhooks))],
    ["service restarts", report.restarts, ""],
    ["workers", workers, workers > 1 ? "sharing one store" : ""],
    [
      "workers killed",
      kills.killed,
      kills.killed > 0 ? `${kills.jobsLost} jobs died with them` : "",
    ],
    ["incidents inside a call", "", counted([...report.incidents].sort())],
    ["time", "", `${report.seconds.toFixed(1)} s`],
  ];
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

function tableOf(title: string, rows: readonly Row[]): string {
  const widest = Math.max(...rows.map(([name]) => name.length));
  const lines = rows.map(([name, count, note]) => {
    const figures = `  ${name.padEnd(widest)}  ${String(count).padStart(6)}  `;
    return (figures + wrapped(note, figures.length)).trimEnd();
  });
  return [title, ...lines].join("\n");
}

/** The table of a campaign, for a terminal. */
export const reportTable = (report: Report): string =>
  tableOf(`${report.store.name} store, seed ${report.options.seed}`, rowsOf(report));

/** The table of a saved history. */
export function historyTable(events: readonly HistoryEvent[], result: HistoryResult): string {
  const start = events.find((event) => event.what === "start");
  const title = `${start?.store} store, seed ${start?.seed}, from its history`;
  return tableOf(title, [["events", events.length, ""], ...resultRows(result)]);
}

const MAX_SHOWN_OF_A_KIND = 5;

/** One line for each breach, up to a few of each kind. */
export function breachLines({ breaches }: CheckResult): string {
  const lines = [...groupBy(breaches, ({ kind }) => kind)].flatMap(([kind, ofKind]) => {
    const more = ofKind.length - MAX_SHOWN_OF_A_KIND;
    const shown = ofKind.slice(0, MAX_SHOWN_OF_A_KIND);
    return [
      ...shown.map(({ order, what }) => `  ${[kind, order].filter(Boolean).join(" ")}: ${what}`),
      ...(more > 0 ? [`  ${kind}: and ${more} more`] : []),
    ];
  });
  return lines.join("\n");
}
