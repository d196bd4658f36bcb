import { essentialState, initialState, type Protocol, type State } from "./state.ts";
import { type Step, stepsFrom } from "./steps.ts";

/** What must hold after every step; `undefined` where it does. */
function violationOf({ prompts, requests, processes }: State): string | undefined {
  if (prompts.length > 1) return `${prompts.length} prompts for one key`;
  for (const { answer, attempt } of processes) {
    if (answer?.kind === "result" && !prompts.includes(answer.payment)) {
      return "a caller was given a payment that the service does not have";
    }
    const isOut = prompts.includes(attempt) || requests.some((one) => one.attempt === attempt);
    if (answer?.kind === "not_sent" && isOut) {
      return "a caller was told that nothing was sent, and it was";
    }
  }
  return undefined;
}

const keyOf = (state: State): string => JSON.stringify(state);

/** Steps of which time comes last, and faults never: how everything ends once the faults stop. */
const goingOn = (state: State, protocol: Protocol): Step[] =>
  stepsFrom(state, protocol)
    .filter(({ isFault }) => !isFault)
    .sort((a, b) => Number(a.name === "time passes") - Number(b.name === "time passes"));

/** What is left over once everything has ended that may end without another fault. */
function leftOver(state: State, protocol: Protocol, ends: Set<string>): string | undefined {
  let current = state;
  const way = new Set<string>();
  for (;;) {
    const key = keyOf(current);
    if (ends.has(key)) break;
    way.add(key);
    const nexts = goingOn(current, protocol).map(({ next }) => essentialState(next));
    const next = nexts.find((one) => !way.has(keyOf(one)));
    if (next === undefined) {
      const { stored, processes } = current;
      const busy = processes.find(({ phase }) => phase !== "idle" && phase !== "dead");
      if (busy) return `a process stays ${busy.phase}`;
      if (stored !== null && stored.state !== "succeeded") return `the key stays ${stored.state}`;
      break;
    }
    current = next;
  }
  for (const key of way) ends.add(key);
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
  const ends = new Set<string>();
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
        const left = leftOver(state, protocol, ends);
        if (left !== undefined) {
          return { states: seen.size, violation: { what: left, path: pathTo(reached) } };
        }
        nextLevel.push(reached);
      }
    }
    level = nextLevel;
  }
  return { states: seen.size };
}
