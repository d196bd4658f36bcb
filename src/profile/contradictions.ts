import { byText } from "./counts.ts";
import { differentFields } from "./different-fields.ts";
import type { Counts, ServiceProfile, Shape } from "./types.ts";

/** One place at which runs of a profile differ so much that they cannot be of one service. */
export interface Contradiction {
  /** The place, such as `GET /merchant data.id`. */
  readonly place: string;
  /** What each run saw there, such as `number; string`. */
  readonly found: string;
}

type Options = { readonly [name: string]: Counts | undefined };

/** `undefined` unless two runs have nothing in common: one saw only these, another only those. */
function contradiction(place: string, options: Options): Contradiction | undefined {
  const byRun = new Map<string, string[]>();
  for (const [name, counts] of Object.entries(options)) {
    for (const [run, count] of Object.entries(counts ?? {})) {
      if (count > 0) byRun.set(run, [...(byRun.get(run) ?? []), name]);
    }
  }
  const sets = [...byRun.values()];
  const isDisjoint = sets.some((a) => sets.some((b) => !a.some((name) => b.includes(name))));
  if (!isDisjoint) return undefined;
  const found = [...new Set(sets.map((names) => names.join(" or ")))].sort(byText).join("; ");
  return { place, found };
}

function* shapeOptions(place: string, shape: Shape): Generator<[string, Options]> {
  for (const [path, { types }] of Object.entries(shape)) {
    // A field that is empty says nothing about its type.
    const { null: _, empty: _nothing, ...rest } = types;
    yield [`${place} ${path}`, rest];
  }
}

/** The shapes of everything that at least two runs may have seen. */
function* shapesOf(profile: ServiceProfile): Generator<[string, Shape]> {
  for (const [endpoint, byStatus] of Object.entries(profile.endpoints)) {
    for (const [status, { body }] of Object.entries(byStatus)) {
      if (status.startsWith("2")) yield [`${endpoint} ${status}`, body];
    }
  }
  for (const [cause, byStatus = {}] of Object.entries(profile.refusals)) {
    for (const [status, { body }] of Object.entries(byStatus)) {
      yield [`refusals ${cause} ${status}`, body];
    }
  }
  for (const [kind, { body }] of Object.entries(profile.events)) yield [kind, body];
}

function* placesOf(profile: ServiceProfile): Generator<[string, Options]> {
  for (const [endpoint, byStatus] of Object.entries(profile.endpoints)) {
    const successes = Object.entries(byStatus).filter(([status]) => status.startsWith("2"));
    yield [
      `${endpoint} status`,
      Object.fromEntries(successes.map(([status, { seen }]) => [status, seen])),
    ];
    for (const [, { body }] of successes) yield* shapeOptions(endpoint, body);
  }
  for (const [cause, byStatus = {}] of Object.entries(profile.refusals)) {
    const entries = Object.entries(byStatus);
    const endpoints = new Set(entries.flatMap(([, { at }]) => Object.keys(at)));
    for (const endpoint of endpoints) {
      const options = entries.map(([status, { at }]) => [status, at[endpoint]] as const);
      yield [`refusals ${cause} ${endpoint} status`, Object.fromEntries(options)];
    }
    for (const [status, { body }] of entries)
      yield* shapeOptions(`refusals ${cause} ${status}`, body);
  }
  for (const [kind, { body }] of Object.entries(profile.events)) yield* shapeOptions(kind, body);
}

/**
 * Where the runs of a profile contradict each other: a field that is a number in one and a text in
 * another, a status that only one has, an object with other fields. A service that changed has a few. Many of them say that the
 * profiles of two services were merged by mistake.
 */
export function findContradictions(profile: ServiceProfile): {
  contradictions: Contradiction[];
  /** How many fields and statuses at least two runs have seen. */
  compared: number;
} {
  const contradictions: Contradiction[] = [];
  let compared = 0;
  for (const [place, options] of placesOf(profile)) {
    const runs = new Set(Object.values(options).flatMap((counts) => Object.keys(counts ?? {})));
    if (runs.size > 1) compared++;
    const found = contradiction(place, options);
    if (found !== undefined) contradictions.push(found);
  }
  for (const [place, shape] of shapesOf(profile)) {
    for (const { path, found } of differentFields(shape)) {
      contradictions.push({ place: `${place} fields of ${path}`, found });
    }
  }
  return { contradictions, compared };
}

/** A service that changed, or that was seen in other states, contradicts itself in fewer places. */
const MIN_PLACES = 5;
const MIN_SHARE = 0.05;

/** Whether the runs are so different that they cannot be of one service. */
export function isOfTwoServices(profile: ServiceProfile): boolean {
  const { contradictions, compared } = findContradictions(profile);
  return contradictions.length >= MIN_PLACES && contradictions.length >= MIN_SHARE * compared;
}
