import { ENDPOINTS, type EndpointName } from "../../contract/endpoints.ts";
import { ConfigurationError } from "../../errors/configuration.ts";
import {
  checkChoice,
  checkOptions,
  checkText,
  checkWholeNumber,
  MAX_TIMEOUT_MS,
  type OptionRows,
  optional,
  ownOptions,
  wrongOption,
} from "../../internal/check-options.ts";
import type { SandboxState } from "../sandbox-state.ts";
import type { FaultEffect } from "../state/sandbox-records.ts";
import type { State, StoredFault } from "../state/stored.ts";

/** Which requests get a fault, which one, and how often. */
export interface FaultOptions {
  /** The requests that get the fault. A field that is left out matches every request. */
  readonly match?:
    | {
        /** The method, such as `"POST"`. */
        readonly method?: string | undefined;
        /** The path below the base URL, such as `"/payments/*"`. `*` and `{name}` match one segment. */
        readonly path?: string | undefined;
        /** The endpoint, as the client names it: `"mobileMoney.initiate"`. */
        readonly endpoint?: EndpointName | undefined;
      }
    | undefined;
  /** What goes wrong. */
  readonly effect: FaultEffect;
  /** How many matching requests pass before the first one gets the fault. @default 0 */
  readonly after?: number | undefined;
  /** How many requests get the fault; `Infinity` for all. @default 1 */
  readonly times?: number | undefined;
}

// A misspelt field of an effect must not be silently ignored.
export const EFFECT_FIELDS: Readonly<Record<FaultEffect["kind"], readonly string[]>> = {
  status: ["kind", "status", "headers", "body"],
  latency: ["kind", "ms"],
  reset: ["kind"],
  hang: ["kind"],
  truncate: ["kind"],
  lostResponse: ["kind"],
};

const METHODS = [...new Set(Object.values(ENDPOINTS).map(({ method }): string => method))];

/** @throws {ConfigurationError} for an unknown option or a wrong value. */
export function checkFaultOptions(options: FaultOptions): Omit<StoredFault, "id"> {
  return checkOptions(options, OPTIONS, "faults.add()");
}

type Match = NonNullable<FaultOptions["match"]>;

const MATCH_OPTIONS = {
  method: (method) =>
    optional(method, (given) => checkChoice("method", given.toUpperCase(), METHODS)),
  path: (path) =>
    optional(path, (given) => checkText("path", given, /^\//, 'a text such as "/payments/*"')),
  endpoint: (endpoint) =>
    optional(endpoint, (given) => checkChoice("endpoint", given, Object.keys(ENDPOINTS))),
} satisfies OptionRows<Match>;

function checkMatch(match: Match): StoredFault["match"] {
  const { method, path, endpoint } = checkOptions(match, MATCH_OPTIONS, "match");
  return {
    ...(method !== undefined && { method }),
    ...(path !== undefined && { path }),
    ...(endpoint !== undefined && { endpoint }),
  };
}

const OPTIONS = {
  effect: (effect) => {
    checkEffect(effect);
    return structuredClone(effect);
  },
  after: (count = 0) => checkWholeNumber("after", count, 0, Number.MAX_SAFE_INTEGER),
  /** JSON has no `Infinity`: the state stores `null`. */
  times: (count = 1) =>
    count === Number.POSITIVE_INFINITY
      ? null
      : checkWholeNumber("times", count, 1, Number.MAX_SAFE_INTEGER),
  match: (match) => checkMatch(match ?? {}),
} satisfies OptionRows<FaultOptions>;

function checkEffect(effect: FaultEffect): void {
  checkChoice("effect.kind", effect?.kind, Object.keys(EFFECT_FIELDS));
  ownOptions(effect, EFFECT_FIELDS[effect.kind], `The effect "${effect.kind}"`);
  if (effect.kind === "status") {
    checkWholeNumber("status", effect.status, 200, 599);
    checkHeaders(effect.headers);
  }
  if (effect.kind === "latency" && !(effect.ms >= 0 && effect.ms <= MAX_TIMEOUT_MS)) {
    throw wrongOption("ms", `a number of milliseconds from 0 to ${MAX_TIMEOUT_MS}`, effect.ms);
  }
}

/** A line break in a header would end the response, and the server with it. */
function checkHeaders(headers: unknown = {}): void {
  try {
    new Headers(headers as HeadersInit);
  } catch {
    throw new ConfigurationError(
      "`headers` must be an object with the names and the values of headers, without line breaks.",
    );
  }
}

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
interface FaultTarget {
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
