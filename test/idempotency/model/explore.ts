import { essentialState, initialState, type Protocol, type State } from "./state.ts";
import { type Step, stepsFrom, TIME_PASSES } from "./steps.ts";

/** What must hold after every step; `undefined` if it does. */
function violationOf({ prompts, requests, processes }: State): string | undefined {
  if (prompts.length > 1) return `${prompts.length} prompts for one key`;
  for (const { answer, attempt } of processes) {
    if (answer?.kind === "result" && !prompts.includes(answer.payment)) {
      return "a caller was given a payment that the service does not have";
    }
    const isOut = prompts.includes(attempt) || requests.some((one) => one.attempt === attempt);
    if (answer?.kind === "not_sent" && isOut) {
      return "a caller learned that nothing was sent, and it was sent";
    }
  }
  return undefined;
}

const keyOf = (state: State): string => JSON.stringify(state);

/** The steps that are not faults, with time last: how everything ends once the faults stop. */
function stepsWithoutFaults(state: State, protocol: Protocol): Step[] {
  const steps = stepsFrom(state, protocol).filter(({ isFault }) => !isFault);
  return [
    ...steps.filter(({ name }) => name !== TIME_PASSES),
    ...steps.filter(({ name }) => name === TIME_PASSES),
  ];
}

/** What a state says that has no further step: everything must have ended. */
function unfinished({ stored, processes }: State): string | undefined {
  const busy = processes.find(({ phase }) => phase !== "idle" && phase !== "dead");
  if (busy) return `a process stays ${busy.phase}`;
  return stored !== null && stored.state !== "succeeded"
    ? `the key stays ${stored.state}`
    : undefined;
}

/**
 * Lets a state go on without another fault, and says what does not end.
 *
 * @param ending - The states of which it is known that everything ends.
 */
function whatDoesNotEnd(state: State, protocol: Protocol, ending: Set<string>): string | undefined {
  const visited = new Set<string>();
  let current = state;
  let key = keyOf(current);
  while (!ending.has(key)) {
    visited.add(key);
    const next = firstUnvisited(current, protocol, visited);
    if (next === undefined) {
      const what = unfinished(current);
      if (what !== undefined) return what;
      break;
    }
    ({ state: current, key } = next);
  }
  for (const one of visited) ending.add(one);
  return undefined;
}

function firstUnvisited(state: State, protocol: Protocol, visited: ReadonlySet<string>) {
  for (const step of stepsWithoutFaults(state, protocol)) {
    const next = essentialState(step.next);
    const key = keyOf(next);
    if (!visited.has(key)) return { state: next, key };
  }
  return undefined;
}

export interface Exploration {
  readonly states: number;
  /** The shortest way to the first state in which something does not hold. */
  readonly violation?: { readonly what: string; readonly path: readonly string[] };
}

interface Visited {
  readonly state: State;
  readonly name: string;
  readonly from: Visited | undefined;
}

function pathTo(visited: Visited): string[] {
  const path: string[] = [];
  for (let one: Visited | undefined = visited; one?.from; one = one.from) path.unshift(one.name);
  return path;
}

/** Visits every state that the protocol can reach, breadth first, and stops at the first violation. */
export function explore(protocol: Protocol): Exploration {
  const first = { state: essentialState(initialState(protocol)), name: "", from: undefined };
  const seen = new Set([keyOf(first.state)]);
  const ending = new Set<string>();
  let level: Visited[] = [first];
  while (level.length > 0) {
    const nextLevel: Visited[] = [];
    for (const visited of level) {
      for (const { name, next } of stepsFrom(visited.state, protocol)) {
        const state = essentialState(next);
        const reached = { state, name, from: visited };
        const what = violationOf(next);
        if (what !== undefined) {
          return { states: seen.size, violation: { what, path: pathTo(reached) } };
        }
        const key = keyOf(state);
        if (seen.has(key)) continue;
        seen.add(key);
        const stays = whatDoesNotEnd(state, protocol, ending);
        if (stays !== undefined) {
          return { states: seen.size, violation: { what: stays, path: pathTo(reached) } };
        }
        nextLevel.push(reached);
      }
    }
    level = nextLevel;
  }
  return { states: seen.size };
}
