import { ENDPOINTS, type EndpointName } from "../../contract/endpoints.ts";
import { ConfigurationError } from "../../errors/configuration.ts";
import { LONGEST_TIMEOUT_MS } from "../clock/machine.ts";
import type { FaultEffect, StoredFault } from "../state/records.ts";
import type { State } from "../state/state.ts";

/** Which requests go wrong, how, and how often. */
export interface FaultOptions {
  /** Leave a field out to match any. */
  readonly match?:
    | {
        readonly method?: string | undefined;
        /** Below the base URL; `*` and `{name}` stand for one segment. */
        readonly path?: string | undefined;
        /** The row, as the client names it: `"mobileMoney.initiate"`. */
        readonly endpoint?: EndpointName | undefined;
      }
    | undefined;
  readonly effect: FaultEffect;
  /** How many matching requests to let pass first. @default 0 */
  readonly after?: number | undefined;
  /** How many to touch then. @default 1 */
  readonly times?: number | undefined;
}

/** Faults on demand. */
export interface Faults {
  /**
   * @throws {ConfigurationError} for a name that is none.
   *
   * @example
   * ```ts
   * sandbox.faults.add({
   *   match: { endpoint: "mobileMoney.initiate" },
   *   effect: { kind: "lostResponse" },
   * });
   * ```
   */
  add(fault: FaultOptions): void;
  /** Ends all of them. */
  clear(): void;
}

// The fields of each effect: a misspelt one must not be silently without effect.
const EFFECT_FIELDS: Readonly<Record<FaultEffect["kind"], readonly string[]>> = {
  status: ["kind", "status", "headers", "body"],
  latency: ["kind", "ms"],
  reset: ["kind"],
  hang: ["kind"],
  truncate: ["kind"],
  lostResponse: ["kind"],
};

const METHODS = [...new Set(Object.values(ENDPOINTS).map(({ method }): string => method))];

/** @throws {ConfigurationError} for a field that is none. */
export function checkFields(given: object, fields: readonly string[], what: string): void {
  const wrong = Object.keys(given).find((name) => !fields.includes(name));
  if (wrong === undefined) return;
  throw new ConfigurationError(`${what} has no "${wrong}". It has ${fields.join(", ")}.`);
}

function checkFault({ match = {}, effect, after = 0, times = 1 }: FaultOptions): StoredFault {
  checkFields(match, ["method", "path", "endpoint"], "The match of a fault");
  const fields = Object.hasOwn(EFFECT_FIELDS, effect?.kind)
    ? EFFECT_FIELDS[effect.kind]
    : undefined;
  if (fields === undefined) {
    throw new ConfigurationError(
      `There is no fault ${JSON.stringify(effect?.kind)}. There are ${Object.keys(EFFECT_FIELDS).join(", ")}.`,
    );
  }
  checkFields(effect, fields, `The fault "${effect.kind}"`);
  const { endpoint, method, path } = match;
  if (endpoint !== undefined && !Object.hasOwn(ENDPOINTS, endpoint)) {
    throw new ConfigurationError(
      `There is no endpoint "${endpoint}". There are ${Object.keys(ENDPOINTS).join(", ")}.`,
    );
  }
  if (path !== undefined && !path.startsWith("/")) {
    throw new ConfigurationError(`A fault's path is ${JSON.stringify(path)}. It begins with "/".`);
  }
  if (method !== undefined && !METHODS.includes(method.toUpperCase())) {
    throw new ConfigurationError(
      `No row has the method ${method}. There are ${METHODS.join(", ")}.`,
    );
  }
  if (
    effect.kind === "status" &&
    !(Number.isInteger(effect.status) && effect.status >= 200 && effect.status <= 599)
  ) {
    throw new ConfigurationError(`A fault's status is ${effect.status}. It takes 200 to 599.`);
  }
  if (effect.kind === "latency" && !(effect.ms >= 0 && effect.ms <= LONGEST_TIMEOUT_MS)) {
    throw new ConfigurationError(`A fault's latency is ${effect.ms}. It takes milliseconds.`);
  }
  const isCount = Number.isInteger(times) || times === Number.POSITIVE_INFINITY;
  if (!(Number.isInteger(after) && after >= 0) || !(isCount && times >= 1)) {
    throw new ConfigurationError("A fault's `after` is 0 or more, its `times` 1 or more.");
  }
  return {
    match: {
      ...(method !== undefined && { method: method.toUpperCase() }),
      ...(path !== undefined && { path }),
      ...(endpoint !== undefined && { endpoint }),
    },
    effect: structuredClone(effect),
    after,
    times: Number.isFinite(times) ? times : null,
  };
}

export function createFaults(state: () => State, changed: () => void): Faults {
  return {
    add: (options) => {
      checkFields(options, ["match", "effect", "after", "times"], "A fault");
      state().faults.push(checkFault(options));
      changed();
    },
    clear: () => {
      state().faults = [];
      changed();
    },
  };
}

function matches(
  { match }: StoredFault,
  method: string,
  path: string,
  endpoint: string | undefined,
) {
  if (match.method !== undefined && match.method !== method) return false;
  if (match.endpoint !== undefined && match.endpoint !== endpoint) return false;
  if (match.path === undefined) return true;
  const literal = (part: string) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const pattern = match.path
    .split(/\*|\{\w+\}/)
    .map(literal)
    .join("[^/]+");
  return new RegExp(`^${pattern}$`).test(path);
}

/**
 * The effects that befall a request: every latency that is due, and the first other fault. Counts
 * them down.
 */
export function faultsFor(
  state: State,
  method: string,
  path: string,
  endpoint: string | undefined,
): FaultEffect[] {
  const effects: FaultEffect[] = [];
  for (const fault of state.faults) {
    if (fault.times === 0 || !matches(fault, method, path, endpoint)) continue;
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
