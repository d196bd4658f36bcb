import type { Wakeups } from "./local.ts";

/** An engine that carries wake-ups between processes: `postgres()` or `redis()`. */
export interface WakeupsEngine {
  /** Wake-ups for all processes that share the engine. */
  wakeups(): Wakeups;
}
