import type { EngineFault } from "../../support/engines/faults.ts";
import { flag, maybeNumber, number, type Values } from "../harness/arguments.ts";
import type { EngineName } from "../harness/databases.ts";
import { ENGINES } from "../harness/engines.ts";
import type { Given } from "../harness/subject.ts";
import type { EventOf, PromptHistory } from "./messages.ts";
import { endWithinMs } from "./time-limits.ts";

export const OPTIONS = {
  payments: number([1, 50_000], 2_000, "orders to take"),
  workers: number([1, 32], 4, "processes that share the store; memory has one"),
  kills: maybeNumber(50_000, "workers to kill; memory has none (default one for 50 payments)"),
  pauses: flag("stop no worker in the middle of a call"),
  "clock-steps": flag("leave the wall clocks of workers as they are"),
  "engine-faults": flag("do not kill, hang or cut off the engine of the store"),
};

export type PromptGiven = Given<typeof OPTIONS, PromptHistory>;

/** What a campaign is asked for. */
export interface Asked {
  readonly engine: EngineName;
  /** Whether several processes share the store. */
  readonly isShared: boolean;
  readonly payments: number;
  /** How many workers there are, and how many are killed beside those at a point. */
  readonly workers: number;
  readonly kills: number;
  readonly pauses: boolean;
  readonly clockSteps: boolean;
  readonly engineFaults: readonly EngineFault[];
  /** How long the last phase may take. */
  readonly endWithinMs: number;
}

const PAYMENTS_PER_KILL = 50;

/** What a campaign is asked for, by the first line of its history. */
export function askedIn({ engine, engineFaults, ...start }: EventOf<"start">): Asked {
  const options = start.options as Values<typeof OPTIONS>;
  const { payments, pauses, kills = Math.ceil(payments / PAYMENTS_PER_KILL) } = options;
  const { isShared } = ENGINES[engine];
  return {
    ...{ engine, isShared, payments, pauses, endWithinMs: endWithinMs(payments) },
    workers: isShared ? options.workers : 1,
    kills: isShared ? kills : 0,
    clockSteps: options["clock-steps"],
    engineFaults: options["engine-faults"] ? engineFaults : [],
  };
}
