import type { EngineFault } from "../../../support/engines/faults.ts";
import type { Point } from "../history/event.ts";

/** When a worker that sleeps is woken. */
export type Wake =
  /** After the last moment at which it may send, and before its lease ends. */
  | "past_deadline"
  /** When the lease has ended. */
  | "lease"
  /** When another process has resolved the attempt, and gone on. */
  | "resolved";

/** What happens to a worker, its clock or the engine at a point of one attempt. */
export type Incident = { readonly at: Point } & (
  | { readonly act: "pause"; readonly wake: Wake }
  | { readonly act: "clock"; readonly offsetMs: number }
  | { readonly act: "engine"; readonly fault: EngineFault }
  | { readonly act: "kill" }
);

const DAY_MS = 24 * 3_600_000;

/** Which incidents there are, and one for how many payments. */
const INCIDENTS: readonly { readonly incident: Incident; readonly every: number }[] = [
  { incident: { at: "begun", act: "pause", wake: "resolved" }, every: 250 },
  { incident: { at: "response", act: "pause", wake: "resolved" }, every: 250 },
  { incident: { at: "begun", act: "pause", wake: "past_deadline" }, every: 250 },
  { incident: { at: "request", act: "pause", wake: "lease" }, every: 250 },
  { incident: { at: "retry", act: "pause", wake: "past_deadline" }, every: 250 },
  { incident: { at: "begun", act: "kill" }, every: 100 },
  { incident: { at: "begun", act: "engine", fault: "killed" }, every: 250 },
  { incident: { at: "begun", act: "clock", offsetMs: 31 * DAY_MS }, every: 100 },
  { incident: { at: "begun", act: "engine", fault: "hung" }, every: 250 },
  { incident: { at: "begun", act: "clock", offsetMs: -31 * DAY_MS }, every: 100 },
  { incident: { at: "begun", act: "engine", fault: "cut" }, every: 250 },
  { incident: { at: "request", act: "clock", offsetMs: 60_000 }, every: 100 },
  { incident: { at: "response", act: "kill" }, every: 100 },
];

/** The incidents of a campaign: every kind at least once, in turn. */
export function incidentsFor(
  payments: number,
  isPossible: (incident: Incident) => boolean,
): Incident[] {
  const possible = INCIDENTS.filter(({ incident }) => isPossible(incident));
  const rounds = Math.max(...possible.map(({ every }) => Math.ceil(payments / every)), 0);
  return Array.from({ length: rounds }, (_, round) =>
    possible
      .filter(({ every }) => round < Math.ceil(payments / every))
      .map(({ incident }) => incident),
  ).flat();
}
