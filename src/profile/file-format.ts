import { ConfigurationError } from "../errors/configuration.ts";
import { isObject } from "../internal/is-object.ts";
import { byText } from "./merge.ts";
import { presenceOf } from "./paths.ts";
import type { Counts, ProfileFile, ServiceProfile, Shape } from "./profile-types.ts";

// The file of a profile reads like a lock file: its parts describe what the service does, and change when the
// service does. How often each place was seen stands apart, in `runs` at the end: for each run, one
// number for each place, in the order in which the parts are read. So a new run changes only `runs`.

type Fields = Record<string, unknown>;

/** The parts whose keys are names that the service chose. None of them means anything to the format. */
const NAMED_BY_SERVICE = new Set(["body", "headers", "events", "parameters", "bodyResults"]);

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
  const { seen, ...rest } = value;
  const entries = sorted(rest);
  // It is always there, so that only its counts are written.
  if (isCounts("seen", seen)) counts.push(seen);
  else if (entries.length > 0 && entries.every(([key, one]) => isCounts(key, one))) {
    counts.push(...entries.map(([, one]) => one as Counts));
    return entries.map(([key]) => key);
  }
  const encode = ([key, one]: [string, unknown]): [string, unknown] => {
    if (isCounts(key, one)) return [key, counts.push(one) > 0];
    if (VALUES.has(key)) return [key, one];
    if (key === "body") return [key, encodeBody(one as Shape, counts)];
    const write = NAMED_BY_SERVICE.has(key) ? encodeNamed : encodePart;
    return [key, write(one as Fields, counts)];
  };
  return Object.fromEntries(entries.map(encode));
}

/** Writes a part whose keys are names of the service. */
const encodeNamed = (part: Fields, counts: Counts[]): Fields =>
  Object.fromEntries(sorted(part).map(([name, one]) => [name, encodePart(one, counts)]));

const encodeBody = (shape: Shape, counts: Counts[]): Fields =>
  Object.fromEntries(
    sorted(shape).map(([path, field]) => {
      const { seen, of } = presenceOf(shape, path);
      const isOptional = seen < of && !/(?:\*|\{field\})$/.test(path);
      const encoded = encodePart(field, counts) as Fields;
      return [path, { ...encoded, ...(isOptional && { optional: true }) }];
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

const hasSeen = (value: Fields): boolean =>
  "body" in value || "redeliveries" in value || ("formats" in value && !("types" in value));

/** The error for a file that malipo did not write, or that was changed by hand. */
export const notOurs = (name: string, reason: string): ConfigurationError =>
  new ConfigurationError(
    `${name} is not a service profile that malipo wrote: ${reason}. Restore the file, or make it again with \`npx malipo probe\`.`,
  );

/**
 * The profile in the content of its file.
 *
 * @param name - What messages call it.
 * @throws {ConfigurationError} for counts that do not fit the places.
 */
export function decodeProfile(
  { version, runs: table, ...parts }: ProfileFile,
  name = "The profile",
): ServiceProfile {
  const runs = Object.entries(Object(table) as Fields).map(([run, details]) => {
    const { counts, ...rest } = Object(details) as Fields;
    return { run, rest, counts: Array.isArray(counts) ? (counts as unknown[]) : [] };
  });
  let next = 0;
  const takeCounts = (): Fields => {
    const index = next++;
    const seen = runs.filter(({ counts }) => counts[index] !== 0);
    return Object.fromEntries(seen.map(({ run, counts }) => [run, counts[index]]));
  };
  const decode = (key: string, value: unknown, depth: number): unknown => {
    if (VALUES.has(key)) return value;
    if (depth > MAX_DEPTH) throw notOurs(name, "it is nested too deep");
    if (value === true) return takeCounts();
    if (Array.isArray(value)) {
      const isPlaces = value.length > 0 && value.every((one) => typeof one === "string");
      if (!isPlaces) return value;
      return Object.fromEntries([...value].sort(byText).map((name) => [name, takeCounts()]));
    }
    if (!isObject(value)) return value;
    if (NAMED_BY_SERVICE.has(key)) {
      return Object.fromEntries(
        sorted(value).map(([name, one]) => [name, decode("", one, depth + 1)]),
      );
    }
    const seen = hasSeen(value) ? { seen: takeCounts() } : {};
    const fields = sorted(value).filter(([name]) => name !== "optional");
    const decoded = fields.map(([name, one]) => [name, decode(name, one, depth + 1)]);
    return { ...seen, ...Object.fromEntries(decoded) };
  };
  const decoded = decode("", parts, 0) as Fields;
  if (!runs.every(({ counts }) => counts.length === next)) {
    const reason = "the counts of its runs do not fit its places, as after a change by hand";
    throw notOurs(name, reason);
  }
  const details = runs.map(({ run, rest }) => [run, rest]);
  return { version, ...decoded, runs: Object.fromEntries(details) } as unknown as ServiceProfile;
}
