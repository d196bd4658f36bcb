import { textFormat } from "../../../src/profile/vocabulary/formats.ts";
import type { Dialect } from "../../support/dialects/index.ts";
import type { Heard, Peer } from "./peer.ts";

/** What a response looks like: a status and a shape, no values. */
export interface Entry {
  readonly line: string;
  readonly status: number;
  /** Content type and the names of the service's own headers. */
  readonly headers: readonly string[];
  /** One line for each place: path, type and format. */
  readonly shape: readonly string[];
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function describe(value: unknown, path: string, lines: Set<string>): void {
  if (Array.isArray(value)) {
    lines.add(`${path} array of ${value.length === 0 ? "nothing" : "items"}`);
    for (const one of value) describe(one, `${path}[]`, lines);
  } else if (isObject(value)) {
    lines.add(`${path} object`);
    for (const [key, one] of Object.entries(value)) describe(one, `${path}.${key}`, lines);
  } else if (typeof value === "string") {
    lines.add(`${path} string ${textFormat(value)}`);
  } else if (typeof value === "number") {
    lines.add(`${path} number ${Number.isInteger(value) ? "integer" : "decimal"}`);
  } else {
    lines.add(`${path} ${value === null ? "null" : typeof value}`);
  }
}

/** The shape of a body: sorted lines. */
export function shapeOf(text: string): string[] {
  if (text === "") return ["empty"];
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return ["not JSON"];
  }
  const lines = new Set<string>();
  describe(body, "$", lines);
  return [...lines].sort();
}

const OWN_HEADERS = /^(?:x-(?!sandbox)|content-type$)/;

export const namesOf = (headers: Headers): string[] =>
  [...headers]
    .filter(([name]) => OWN_HEADERS.test(name))
    .map(([name, value]) => (name === "content-type" ? `${name}: ${value.split(";")[0]}` : name))
    .sort();

export const entryOf = (line: string, { status, headers, text }: Heard): Entry => ({
  line,
  status,
  headers: namesOf(headers),
  shape: shapeOf(text),
});

/** A script that is run against a peer. It gets responses, and decides by nothing but their fields. */
export type Script = (peer: Peer, log: (entry: Entry) => void) => Promise<void>;

export async function transcriptOf(script: Script, peer: Peer): Promise<Entry[]> {
  const entries: Entry[] = [];
  await script(peer, (entry) => entries.push(entry));
  return entries;
}

const byShape = (entry: Entry | undefined) => JSON.stringify(entry);

/** The steps in which two transcripts differ: what is only in the first, and what only in the second. */
export function differences(expected: readonly Entry[], actual: readonly Entry[]): string[] {
  const length = Math.max(expected.length, actual.length);
  return Array.from({ length }, (_, index) => index).flatMap((index) => {
    const [one, other] = [expected[index], actual[index]];
    if (byShape(one) === byShape(other)) return [];
    const rows = (entry: Entry | undefined) => [
      `status ${entry?.status}`,
      ...(entry?.headers ?? []),
      ...(entry?.shape ?? []),
    ];
    const only = (these: string[], those: string[], sign: string) =>
      these.filter((row) => !those.includes(row)).map((row) => ` ${sign}${row}`);
    const [a, b] = [rows(one), rows(other)];
    return [`${index}: ${one?.line}${[...only(a, b, "-"), ...only(b, a, "+")].join("")}`];
  });
}

const MARKER = "the id";

/** The name of the field in which a dialect shows the id of a resource. */
function idField({ views }: Dialect, resource: "invoice" | "webhook"): string {
  const at = new Date(0);
  const shown =
    resource === "invoice"
      ? views.invoice(
          { n: 1, fields: {}, cents: 1, state: "draft", createdAt: at, dueAt: at },
          MARKER,
        )
      : views.webhook({ n: 1, name: "", url: "", events: [], createdAt: at }, MARKER);
  return Object.entries(shown).find(([, value]) => value === MARKER)?.[0] ?? "id";
}

/** Finds the id of a resource in a response, wherever it stands. */
export function idIn(text: string, dialect: Dialect, resource: "invoice" | "webhook"): string {
  const name = idField(dialect, resource);
  let level: unknown[] = [text === "" ? {} : JSON.parse(text)];
  while (level.length > 0) {
    const found = level.find((one) => isObject(one) && /string|number/.test(typeof one[name]));
    if (isObject(found)) return String(found[name]);
    level = level.flatMap((one) => (one instanceof Object ? Object.values(one) : []));
  }
  return "undefined";
}

/** The value of a field in a response: that of the resource, or else that of the envelope. */
export function fieldIn(text: string, name: string): string {
  const body: unknown = text === "" ? {} : JSON.parse(text);
  const { data = body } = Object(body) as { data?: unknown };
  for (const part of [data, body]) {
    const [, value = ""] =
      new RegExp(`"${name}":"?([^",}]*)`).exec(JSON.stringify(part ?? {})) ?? [];
    if (value !== "") return value;
  }
  return "";
}
