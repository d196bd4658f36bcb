import type { Engine } from "../../support/engines/engine.ts";
import {
  type EngineFault,
  type FaultyEngine,
  faultyFile,
  faultyServer,
} from "../../support/engines/faults.ts";
import type { InboxName, SoakStore } from "./inboxes.ts";

/** Something that can be done to the engine of an inbox. */
export interface SoakFault {
  readonly name: string;
  /** Resolves when the engine is well again. */
  make(): Promise<void>;
}

const NAMES: Readonly<Record<EngineFault, string>> = {
  killed: "engine killed and restarted",
  hung: "engine hung for 1.5 s",
  cut: "all connections cut",
};

/** The inbox waits 5 s for the lock. */
const LONG_LOCK_MS = 7_000;

function soakFault(engine: FaultyEngine, fault: EngineFault, name: string): SoakFault {
  return {
    name,
    make: async () => {
      const { over } = await engine.inject(fault);
      await over;
    },
  };
}

/** Every fault that there is for the inbox. Empty if there is none. */
export function faultsOf(
  inbox: InboxName,
  place: SoakStore,
  engine: Engine | undefined,
): SoakFault[] {
  if (inbox === "sqlite") {
    return [
      soakFault(faultyFile(place.store), "hung", "file locked for 1.5 s"),
      soakFault(faultyFile(place.store, LONG_LOCK_MS), "hung", "file locked for 7 s"),
    ];
  }
  if (engine === undefined || inbox === "memory") return [];
  const faulty = faultyServer(engine, inbox === "bullmq" ? "redis" : "postgres");
  return faulty.faults.map((fault) => soakFault(faulty, fault, NAMES[fault]));
}

const EVENTS_PER_FAULT = 2_000;

/** How often each fault is made. */
export const roundsOf = (events: number) => Math.max(1, Math.floor(events / EVENTS_PER_FAULT));
