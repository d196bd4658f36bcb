import { ConfigurationError } from "../errors/configuration.ts";
import { isObject } from "../internal/is-object.ts";
import { decodeProfile, encodeProfile, notOurs } from "./file-format.ts";
import { mergeValues } from "./merge.ts";
import { parentPath } from "./paths.ts";
import { profileSchema } from "./profile-schema.ts";
import {
  PROFILE_VERSION,
  type ProfileFile,
  type ServiceProfile,
  type Shape,
} from "./profile-types.ts";

/**
 * Checks that a value, such as the parsed content of `malipo.service.json`, is a profile that this
 * release can read, and returns a sorted copy.
 *
 * @param name - What messages call it, such as the name of its file.
 * @throws {ConfigurationError} for what is not a profile, for another version of the format, and for
 * a file that was changed by hand and no longer fits together.
 */
export function parseProfile(value: unknown, name = "The profile"): ServiceProfile {
  if (!isObject(value) || typeof value.version !== "number") {
    throw new ConfigurationError(
      `${name} is not a service profile: a profile is a JSON object with a \`version\`. \`npx malipo probe\` writes one.`,
    );
  }
  if (value.version !== PROFILE_VERSION) {
    throw new ConfigurationError(
      `${name} has the version ${value.version}; this release of malipo reads version ${PROFILE_VERSION}. Update malipo, or make the profile again with \`npx malipo probe\`.`,
    );
  }
  const result = profileSchema.safeParse(decodeProfile(value as ProfileFile, name));
  if (!result.success) {
    const [{ path, message } = { path: [], message: "" }] = result.error.issues;
    throw notOurs(name, path.length === 0 ? message : `at ${describePlace(path)} ${message}`);
  }
  const profile = result.data as unknown as ServiceProfile;
  for (const [place, shape] of shapesOf(profile)) {
    const wrong = contradictionIn(shape);
    if (wrong !== undefined) throw notOurs(name, `at "${place}" ${wrong}`);
  }
  return mergeValues(profile, profile);
}

const MAX_KEY = 60;

/** Keys of a file that is not a profile may be anything, and long. */
const describePlace = (path: readonly PropertyKey[]): string =>
  path.map((key) => JSON.stringify(String(key).slice(0, MAX_KEY))).join(" > ");

/** Every shape of a profile, with its place. */
const shapesOf = ({ endpoints, rejections, events }: ServiceProfile): [string, Shape][] => [
  ...Object.entries({ ...endpoints, ...rejections }).flatMap(([at, byStatus]) =>
    Object.entries(byStatus).map(([status, { body }]): [string, Shape] => [
      `${at} ${status}`,
      body,
    ]),
  ),
  ...Object.entries(events).map(([kind, { body }]): [string, Shape] => [kind, body]),
];

/** A field cannot be there more often than the object that it is in. */
function contradictionIn(shape: Shape): string | undefined {
  for (const [path, { types }] of Object.entries(shape)) {
    const parent = parentPath(path);
    if (parent === undefined) continue;
    const holder = shape[parent]?.types[path.endsWith("[]") ? "array" : "object"];
    if (holder === undefined) return `"${path}" has nothing that holds it`;
    if (/(?:\[\]|\*|\{field\})$/.test(path)) continue;
    for (const [run, of] of Object.entries(holder)) {
      const seen = Object.values(types).reduce((sum, counts) => sum + (counts[run] ?? 0), 0);
      if (seen > of) return `"${path}" was seen ${seen} times in ${of} objects`;
    }
  }
  return undefined;
}

const MAX_LINE = 100;

/** JSON with what fits on one line on one line. */
function print(value: unknown, indent: string, before: number): string {
  const line = JSON.stringify(value, null, 1).replace(/(\[?)\n\s*(\]?)/g, (_, open, close) =>
    open || close ? open + close : " ",
  );
  if (indent.length + before + line.length <= MAX_LINE) return line;
  if (!isObject(value)) return JSON.stringify(value);
  const inner = `${indent}  `;
  const lines = Object.entries(value).map(([key, one]) => {
    const name = `${JSON.stringify(key)}: `;
    return inner + name + print(one, inner, name.length + 1);
  });
  return `{\n${lines.join(",\n")}\n${indent}}`;
}

/**
 * The text of the file of a profile: sorted, so that equal profiles are equal bytes.
 *
 * @throws {ConfigurationError} for a profile whose text could not be read again: it must not replace a file.
 */
export function formatProfile(profile: ServiceProfile): string {
  const text = `${print(encodeProfile(mergeValues(profile, profile)), "", 0)}\n`;
  parseProfile(JSON.parse(text), "What was learned");
  return text;
}
