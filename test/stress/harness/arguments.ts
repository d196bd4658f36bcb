import { parseArgs } from "node:util";
import type { Sabotage, Sabotages } from "./bundle.ts";
import type { EngineName } from "./databases.ts";

/** An option of the command line. */
interface Option<Value> {
  /** In the usage: `--payments N`. A flag has none. */
  readonly value?: string;
  readonly about: string;
  /** @throws {TypeError} whose message says what to change. */
  read(name: string, text: string | boolean | undefined): Value;
}

export type Options = Readonly<Record<string, Option<unknown>>>;
export type Values<O extends Options> = {
  readonly [Name in keyof O]: ReturnType<O[Name]["read"]>;
};

function wholeNumber(name: string, text: string, min: number, max: number): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new TypeError(`--${name} is ${text}. It takes a whole number from ${min} to ${max}.`);
}

export const number = (
  [min, max]: readonly [number, number],
  standard: number,
  about: string,
): Option<number> => ({
  value: "N",
  about: `${about}: from ${min} to ${max} (default ${standard})`,
  read: (name, text = `${standard}`) => wholeNumber(name, String(text), min, max),
});

/** A number whose default depends on others. */
export const maybeNumber = (max: number, about: string): Option<number | undefined> => ({
  ...{ value: "N", about },
  read: (name, text) => (text === undefined ? undefined : wholeNumber(name, `${text}`, 0, max)),
});

const text = (value: string, about: string): Option<string | undefined> => ({
  ...{ value, about },
  read: (_, given) => (given === undefined ? undefined : String(given)),
});

/** It is on; `--no-` before its name switches it off. */
export const flag = (about: string): Option<boolean> => ({
  about,
  read: (_, given = true) => given === true,
});

export const oneOf = <T extends string>(
  list: readonly T[],
  standard: T,
  about: string,
): Option<T> => ({
  value: "NAME",
  about: `${about}: ${list.join(", ")} (default ${standard})`,
  read: (name, given = standard) => found(name, String(given), list),
});

function found<T extends string>(name: string, given: string, list: readonly T[]): T {
  const one = list.find((item) => item === given);
  if (one !== undefined) return one;
  throw new TypeError(`--${name} is ${given}. It takes ${list.join(", ")}.`);
}

/** The options of every campaign. */
const common = (engines: readonly EngineName[], sabotages: Sabotages) => ({
  seed: {
    ...{
      value: "TEXT",
      about: "decides what is sold, what customers do and what fails (default 1)",
    },
    read: (_: string, given: string | boolean | undefined = "1") => String(given),
  },
  store: {
    ...{ value: "NAME", about: `${engines.join(", ")}, or all (default all)` },
    read: (name: string, given: string | boolean | undefined = "all") =>
      given === "all" ? engines : [found(name, String(given), [...engines, "all"] as EngineName[])],
  },
  sabotage: {
    value: "NAME",
    about: `break a promise, to see the campaign fail: ${Object.keys(sabotages).join("; ")}`,
    read: (name: string, given: string | boolean | undefined): Sabotage | undefined =>
      given === undefined
        ? undefined
        : sabotages[found(name, String(given), Object.keys(sabotages))],
  },
  history: text("FILE", "append everything that happened to a file, one JSON object a line"),
  check: text("FILE", "run no campaign, but check the histories in a file again"),
});

/** The options of a subject, those of every campaign included. */
export function optionsOf<Own extends Options>(subject: {
  readonly engines: readonly EngineName[];
  readonly sabotages: Sabotages;
  readonly options: Own;
}) {
  return { ...subject.options, ...common(subject.engines, subject.sabotages) };
}

const INDENT = 24;

/** What the options of a subject are. */
export function usageOf(subject: string, options: Options): string {
  const lines = Object.entries(options).map(([name, { value, about }]) => {
    const given = value === undefined ? `--no-${name}` : `--${name} ${value}`;
    return `  ${given.padEnd(INDENT)}${about}`;
  });
  return [`npm run campaign -- ${subject} [options]`, "", ...lines].join("\n");
}

/** @throws {TypeError} whose message says what to change. */
export function readOptions<O extends Options>(options: O, args: readonly string[]): Values<O> {
  const config = Object.entries(options).map(
    ([name, { value }]) =>
      [name, { type: value === undefined ? "boolean" : "string" } as const] as const,
  );
  const { values } = parseArgs({
    args: [...args],
    allowNegative: true,
    options: Object.fromEntries(config),
  });
  return Object.fromEntries(
    Object.entries(options).map(([name, { read }]) => [name, read(name, values[name])]),
  ) as Values<O>;
}
