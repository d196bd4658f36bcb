/** A promise that did not hold. */
export interface Breach {
  /** In one word or a few: `goods`, or `sent_late`. */
  readonly kind: string;
  /** The order or the event; empty if it is none of one. */
  readonly order: string;
  readonly what: string;
}

/** Something rare that a campaign is there for, and how often it came. */
export type HardState = readonly [name: string, count: number];

/** What is counted, the count, and a note. */
export type Row = readonly [what: string, count: string | number, note?: string];

/** How a campaign ended on one store. */
export interface Outcome {
  readonly title: string;
  readonly rows: readonly Row[];
  readonly states: readonly HardState[];
  readonly breaches: readonly Breach[];
}

/** The items of a list by a key of each, in the order of the list. */
export function groupBy<K, T>(items: Iterable<T>, keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}

export const countEach = <K>(items: Iterable<K>): Map<K, number> =>
  new Map([...groupBy(items, (item) => item)].map(([item, all]) => [item, all.length]));

/** `completed 3, failed 1`; without what never came. */
export const listed = (counts: Iterable<readonly [string, number]>): string =>
  [...counts]
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${name} ${count}`)
    .join(", ") || "none";

const WIDTH = 100;

/** Breaks a list that is too long for its line. */
function wrapped(text: string, indent: number): string {
  const lines = [""];
  for (const part of text.split(/(?<=, )/)) {
    const line = lines.at(-1) ?? "";
    if (line !== "" && indent + line.length + part.trimEnd().length > WIDTH) lines.push(part);
    else lines[lines.length - 1] = line + part;
  }
  return lines.map((line) => line.trimEnd()).join(`\n${" ".repeat(indent)}`);
}

const MAX_SHOWN_OF_A_KIND = 5;

/** A line for each breach, up to a few of each kind. */
const breachLines = (breaches: readonly Breach[]): string[] =>
  [...groupBy(breaches, ({ kind }) => kind)].flatMap(([kind, ofKind]) => {
    const shown = ofKind.slice(0, MAX_SHOWN_OF_A_KIND);
    const more = ofKind.length - shown.length;
    return [
      ...shown.map(({ order, what }) => `  BROKEN ${kind}: ${order ? `${order} ` : ""}${what}`),
      ...(more > 0 ? [`  BROKEN ${kind}: and ${more} more`] : []),
    ];
  });

/** The result of a campaign, for a terminal: what it counted, its hard states, and what was broken. */
export function outcomeText({ title, rows, states, breaches }: Outcome): string {
  const widest = Math.max(...rows.map(([name]) => name.length));
  const lines = rows.map(([name, count, note = ""]) => {
    const figures = `  ${name.padEnd(widest)}  ${String(count).padStart(6)}  `;
    return (figures + wrapped(note, figures.length)).trimEnd();
  });
  const hard = states.map(([name, count]) => `  ${String(count).padStart(6)}  ${name}`);
  const heading = states.length > 0 ? ["  hard states:"] : [];
  return [title, ...lines, ...heading, ...hard, ...breachLines(breaches)].join("\n");
}
