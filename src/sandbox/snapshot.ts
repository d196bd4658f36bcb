import { ConfigurationError } from "../errors/configuration.ts";
import { isObject } from "../internal/is-object.ts";
import { checkFaultOptions, type FaultOptions } from "./faults/fault-options.ts";
import { STATE, type State, type StoredFault } from "./state/stored.ts";

// A snapshot is checked before it replaces a state that works.

/** The checks of a command decide here, too: a file could bring what no command accepts. */
function isFault({ id: _, times, ...fault }: StoredFault): boolean {
  try {
    checkFaultOptions({ ...fault, times: times ?? Number.POSITIVE_INFINITY } as FaultOptions);
    return true;
  } catch {
    return false;
  }
}

/** A timer of a delivery that does not exist would stop the clock. */
function haveDeliveries({ timers, deliveries }: State): boolean {
  const ids = new Set(deliveries.map(({ id }) => id));
  return timers.every(({ task }) => task.kind !== "deliver" || ids.has(task.delivery));
}

function damagedField(snapshot: unknown): PropertyKey | undefined {
  const { success, data, error } = STATE.safeParse(snapshot);
  if (!success) return error.issues[0]?.path[0];
  if (!data.faults.every(isFault)) return "faults";
  return haveDeliveries(data) ? undefined : "timers";
}

/** @throws {ConfigurationError} naming the field that is damaged. */
export function checkSnapshot(snapshot: unknown): State {
  if (!isObject(snapshot) || snapshot.version !== 1) {
    throw new ConfigurationError(
      "This is not a snapshot of a sandbox, or a later version made it. Pass what sandbox.snapshot() returned.",
    );
  }
  const field = damagedField(snapshot);
  if (field === undefined) return snapshot as unknown as State;
  throw new ConfigurationError(
    `The snapshot is damaged: its field \`${String(field)}\` is missing or has a wrong value. Take a new snapshot.`,
  );
}
