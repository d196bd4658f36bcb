import type { Incident as AnyIncident } from "../harness/incidents.ts";
import type { Point } from "./messages.ts";
import { LEASE_MARGIN_MS, LEASE_MS } from "./time-limits.ts";

/** A process sleeps until another one has resolved its attempt, and has gone on. */
export type Incident = AnyIncident<Point, "went on">;

/** After the last moment at which a process may send, and before its lease ends. */
const PAST_DEADLINE_MS: number = LEASE_MS - LEASE_MARGIN_MS + 1_500;
/** When the lease has ended. */
const PAST_LEASE_MS: number = LEASE_MS + 1_500;

const DAY_MS = 24 * 3_600_000;

const paused = (at: Point, ms: number, name: string): Incident => ({
  ...{ name: `paused at ${at} ${name}`, at, ms, act: "sleep" },
  ...(ms === 0 ? { until: "went on" } : {}),
});
const killed = (at: Point): Incident => ({ name: `killed at ${at}`, at, act: "kill" });
const engine = (fault: "killed" | "hung" | "cut", at: Point = "begun"): Incident => ({
  ...{ name: `engine ${fault} at ${at}`, at, act: "engine", fault },
});
const clock = (at: Point, offsetMs: number): Incident => ({
  name: `clock ${offsetMs > 0 ? "stepped forward" : "set back"} at ${at}`,
  ...{ at, act: "clock", offsetMs },
});

/** Which incidents there are, and one for how many payments. */
export const INCIDENTS: readonly (readonly [Incident, every: number])[] = [
  [paused("begun", 0, "until another went on"), 250],
  [paused("response", 0, "until another went on"), 250],
  [paused("begun", PAST_DEADLINE_MS, "past its deadline"), 250],
  [paused("request", PAST_LEASE_MS, "past its lease"), 250],
  [paused("retry", PAST_DEADLINE_MS, "past its deadline"), 250],
  [killed("begun"), 100],
  [engine("killed"), 250],
  [clock("begun", 31 * DAY_MS), 100],
  [engine("hung"), 250],
  [clock("begun", -31 * DAY_MS), 100],
  [engine("cut"), 250],
  [clock("request", 60_000), 100],
  [killed("response"), 100],
  [engine("killed", "response"), 250],
];

/** The incidents of a campaign: every kind at least once, in turn. */
export function incidentsFor(
  payments: number,
  isPossible: (incident: Incident) => boolean,
): Incident[] {
  const possible = INCIDENTS.filter(([incident]) => isPossible(incident));
  const times = (every: number) => Math.ceil(payments / every);
  const rounds = Math.max(...possible.map(([, every]) => times(every)), 0);
  return Array.from({ length: rounds }, (_, round) =>
    possible.filter(([, every]) => round < times(every)).map(([incident]) => incident),
  ).flat();
}
