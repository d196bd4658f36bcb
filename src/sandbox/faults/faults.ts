import { ConfigurationError } from "../../errors/configuration.ts";
import type { SandboxState } from "../sandbox-state.ts";
import type { FaultEffect } from "../state/records.ts";
import type { State, StoredFault } from "../state/stored.ts";
import { checkFaultOptions, type FaultOptions } from "./fault-options.ts";

/** Faults on demand. */
export interface Faults {
  /**
   * Injects a fault into the next matching requests. Their responses carry the header
   * `x-sandbox-fault`.
   *
   * @returns The id of the fault, for `remove`.
   * @throws {ConfigurationError} for an unknown name or a wrong value.
   *
   * @example
   * ```ts
   * sandbox.faults.add({
   *   match: { endpoint: "mobileMoney.initiate" },
   *   effect: { kind: "lostResponse" },
   * });
   * ```
   */
  add(fault: FaultOptions): string;
  /**
   * Removes one fault.
   *
   * @throws {ConfigurationError} for a fault that does not exist, or has ended.
   */
  remove(id: string): void;
  /** Removes all faults. */
  clear(): void;
}

export function createFaults(sandboxState: SandboxState): Faults {
  return {
    add: (options) => {
      const fault = checkFaultOptions(options);
      const { state } = sandboxState;
      state.faultCount = (state.faultCount ?? 0) + 1;
      const id = `flt_${state.faultCount}`;
      state.faults.push({ id, ...fault });
      sandboxState.changed();
      return id;
    },
    remove: (id) => {
      const { state } = sandboxState;
      if (!state.faults.some((one) => one.id === id)) {
        throw new ConfigurationError(
          `There is no fault ${JSON.stringify(id)}. It may have ended. \`malipo faults list\` lists the faults.`,
        );
      }
      state.faults = state.faults.filter((one) => one.id !== id);
      sandboxState.changed();
    },
    clear: () => {
      sandboxState.state.faults = [];
      sandboxState.changed();
    },
  };
}

/** A request, as the match of a fault sees it. */
export interface FaultTarget {
  readonly method: string;
  readonly path: string;
  /** `undefined` for a path that no endpoint has. */
  readonly endpoint: string | undefined;
}

/**
 * The faults of the next request: every latency that matches, and the first other fault. Counts them
 * down.
 */
export function takeFaults(state: State, target: FaultTarget): FaultEffect[] {
  const effects: FaultEffect[] = [];
  for (const fault of state.faults) {
    if (fault.times === 0 || !matches(fault, target)) continue;
    if (fault.after > 0) {
      fault.after--;
      continue;
    }
    if (fault.times !== null) fault.times--;
    effects.push(fault.effect);
    if (fault.effect.kind !== "latency") break;
  }
  if (effects.length > 0) state.faults = state.faults.filter(({ times }) => times !== 0);
  return effects;
}

function matches({ match }: StoredFault, { method, path, endpoint }: FaultTarget): boolean {
  if (match.method !== undefined && match.method !== method) return false;
  if (match.endpoint !== undefined && match.endpoint !== endpoint) return false;
  return match.path === undefined || pathPattern(match.path).test(path);
}

/** `*` and `{name}` match one segment. */
function pathPattern(path: string): RegExp {
  const escapePart = (part: string) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const parts = path.split(/\*|\{\w+\}/).map(escapePart);
  return new RegExp(`^${parts.join("[^/]+")}$`);
}
