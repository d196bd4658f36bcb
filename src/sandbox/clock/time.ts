// Read once, when the module loads. A test that later installs fake timers or a fake date must not
// stop the sandbox.
export const { setTimeout, clearTimeout, setInterval, clearInterval } = globalThis;
export const machineTime: () => number = Date.now;

const OFFSET_MS = 3 * 3_600_000;

/** A moment as the sandbox writes it: Nairobi time, to the second, with its offset. */
export function formatTimestamp(ms: number): string {
  return `${new Date(ms + OFFSET_MS).toISOString().slice(0, 19)}+03:00`;
}

/** The milliseconds of an ISO 8601 timestamp with an offset; `undefined` for any other value. */
export function parseTimestamp(value: unknown): number | undefined {
  if (typeof value !== "string") return undefined;
  if (!/^\d{4}-\d\d-\d\dT.+(?:Z|[+-]\d\d:\d\d)$/.test(value)) return undefined;
  const ms = Date.parse(value);
  return Number.isNaN(ms) ? undefined : ms;
}

/** When virtual time begins. */
export const VIRTUAL_START: number = Date.parse("2026-01-01T09:00:00+03:00");
