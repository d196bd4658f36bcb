import { ConfigurationError } from "../errors/configuration.ts";
import { isObject } from "../internal/is-object.ts";
import { byText } from "./counts.ts";
import { presenceOf } from "./paths.ts";
import type { Counts, ProfileFile, ServiceProfile, Shape } from "./types.ts";

// The file of a profile reads like a lock file: its parts describe what the service does, and change when the
// service does. How often each place was seen stands apart, in `runs` at the end: for each run, one
// number for each place, in the order in which the parts are read. So a new run changes only `runs`.

type Fields = Record<string, unknown>;

/** Lists that are values, and not names of places with counts. */
const VALUES = new Set(["formats", "values", "same", "states", "by"]);

const MAX_DEPTH = 12;

const isCounts = (key: string, value: unknown): value is Counts => {
  if (!isObject(value)) return false;
  const entries = Object.entries(value);
  if (entries.length === 0) return key === "seen" || key === "accepted";
  return entries.every(([run, count]) => /^[\da-f]{8}$/.test(run) && typeof count === "number");
};

const sorted = (value: object): [string, unknown][] =>
  Object.entries(value).sort(([a], [b]) => byText(a, b));

/** Writes a part, and adds the counts of its places in their order. */
function encodePart(value: unknown, counts: Counts[]): unknown {
  if (!isObject(value)) return value;
  const entries = sorted(value);
  if (entries.length > 0 && entries.every(([key, one]) => isCounts(key, one))) {
    if (!("seen" in value)) {
      for (const [, one] of entries) counts.push(one as Counts);
      return entries.map(([key]) => key);
    }
  }
  // It is always there, so that only its counts are written.
  if (isCounts("seen", value.seen)) counts.push(value.seen);
  return Object.fromEntries(
    entries.flatMap(([key, one]): [string, unknown][] => {
      if (key === "seen") return [];
      if (isCounts(key, one)) {
        counts.push(one);
        return [[key, true]];
      }
      if (VALUES.has(key)) return [[key, one]];
      return [[key, key === "body" ? encodeBody(one as Shape, counts) : encodePart(one, counts)]];
    }),
  );
}

const encodeBody = (shape: Shape, counts: Counts[]): Fields =>
  Object.fromEntries(
    sorted(shape).map(([path, field]) => {
      const { seen, of } = presenceOf(shape, path);
      const isOptional = seen < of && !/(?:\*|\{field\})$/.test(path);
      return [
        path,
        { ...Object(encodePart(field, counts)), ...(isOptional && { optional: true }) },
      ];
    }),
  );

/** The content of the file of a profile. */
export function encodeProfile({ version, runs, ...parts }: ServiceProfile): ProfileFile {
  const counts: Counts[] = [];
  const encoded = encodePart(parts, counts) as Fields;
  const table = sorted(runs).map(([run, details]) => [
    run,
    { ...Object(details), counts: counts.map((one) => one[run] ?? 0) },
  ]);
  return { version, ...encoded, runs: Object.fromEntries(table) };
}

/** Reads the counts of the runs, place by place. */
class CountReader {
  readonly #runs: readonly (readonly [run: string, counts: readonly unknown[]])[];
  #next = 0;

  constructor(runs: Fields) {
    this.#runs = Object.entries(runs).map(([run, details]) => {
      const { counts } = Object(details) as Fields;
      return [run, Array.isArray(counts) ? counts : []];
    });
  }

  take(): Counts {
    const index = this.#next++;
    return Object.fromEntries(
      this.#runs.flatMap(([run, counts]) => (counts[index] === 0 ? [] : [[run, counts[index]]])),
    ) as Counts;
  }

  get isComplete(): boolean {
    return this.#runs.every(([, counts]) => counts.length === this.#next);
  }
}

const hasSeen = (value: Fields): boolean =>
  "body" in value || "redeliveries" in value || ("formats" in value && !("types" in value));

function decodePart(key: string, value: unknown, counts: CountReader, depth: number): unknown {
  if (VALUES.has(key)) return value;
  if (depth > MAX_DEPTH) throw changedByHand("it is nested too deep");
  if (value === true) return counts.take();
  if (Array.isArray(value)) {
    const isPlaces = value.length > 0 && value.every((one) => typeof one === "string");
    if (!isPlaces) return value;
    return Object.fromEntries([...value].sort(byText).map((name) => [name, counts.take()]));
  }
  if (!isObject(value)) return value;
  const seen = hasSeen(value) ? [["seen", counts.take()] as const] : [];
  const fields = sorted(value).filter(([name]) => name !== "optional");
  return Object.fromEntries([
    ...seen,
    ...fields.map(([name, one]) => [name, decodePart(name, one, counts, depth + 1)] as const),
  ]);
}

const changedByHand = (reason: string) =>
  new ConfigurationError(
    `The profile is not a service profile that malipo wrote: ${reason}. Restore the file, or make it again with \`npx malipo probe\`.`,
  );

/**
 * The profile in the content of its file.
 *
 * @throws {ConfigurationError} for counts that do not fit the places.
 */
export function decodeProfile({ version, runs, ...parts }: ProfileFile): ServiceProfile {
  const reader = new CountReader(Object(runs));
  const decoded = decodePart("", parts, reader, 0) as Fields;
  if (!reader.isComplete) {
    throw changedByHand("the counts of its runs do not fit its places, as after a change by hand");
  }
  const run = Object.entries(Object(runs) as Fields).map(([run, one]) => {
    const { counts: _, ...rest } = Object(one) as Fields;
    return [run, rest];
  });
  return { version, ...decoded, runs: Object.fromEntries(run) } as unknown as ServiceProfile;
}
