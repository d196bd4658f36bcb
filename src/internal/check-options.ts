import { ConfigurationError } from "../errors/configuration.ts";
import { isObject } from "./is-object.ts";

// Every function of this package that takes options checks them here: a misspelt name must not be
// silently without effect, and a wrong value is reported with the name of its option.

/**
 * The options as the caller set them, copied once, without a prototype: whatever was added to
 * `Object.prototype` reaches no option, and no getter is asked twice.
 *
 * @param owner - Who takes the options, as the message begins: `createSandbox`.
 * @throws {ConfigurationError} for anything but an object, and for a name that is not among `names`.
 */
export function ownOptions<Options extends object>(
  options: Options,
  names: readonly string[],
  owner: string,
): Options {
  if (!isObject(options)) {
    throw new ConfigurationError(
      `${owner} takes an object with options; got ${describeValue(options)}. Its options are: ${names.join(", ")}.`,
    );
  }
  for (const name of Object.keys(options)) {
    if (names.includes(name)) continue;
    throw new ConfigurationError(
      `${owner} has no option ${describeName(name)}. Its options are: ${names.join(", ")}.`,
    );
  }
  return Object.assign(Object.create(null), options);
}

/** One row for each option, tied to its interface: it checks the value and fills in the default. */
export type OptionRows<Options extends object, Names extends keyof Options = keyof Options> = {
  readonly [Name in Names]-?: (value: Options[Name], all: Options) => unknown;
};

/** The options as their rows return them: checked and complete. */
export type CheckedOptions<Rows> = {
  readonly [Name in keyof Rows]: Rows[Name] extends (...args: never) => infer Value ? Value : never;
};

/**
 * Checks options by their rows, in the order of the rows. Rows call nothing before, so that a bundle of another
 * part leaves them out.
 *
 * @param owner - Who takes the options, as the message begins: `createSandbox`.
 * @throws {ConfigurationError} for an unknown option or a wrong value.
 */
export function checkOptions<Options extends object, Rows extends OptionRows<Options>>(
  options: Options,
  rows: Rows,
  owner: string,
): CheckedOptions<Rows> {
  const names = Object.keys(rows) as (keyof Options & string)[];
  const given = ownOptions(options, names, owner);
  const checked = names.map((name) => [name, rows[name](given[name], given)]);
  return Object.fromEntries(checked);
}

/** Checks a value if it is set. */
export const optional = <Value, Checked>(
  value: Value | undefined,
  check: (value: Value) => Checked,
): Checked | undefined => (value === undefined ? undefined : check(value));

/** The error for an option with a wrong value. A text that was given is not shown. */
export const wrongOption = (option: string, expected: string, value: unknown): ConfigurationError =>
  new ConfigurationError(`\`${option}\` must be ${expected}; got ${describeValue(value)}.`);

/** @throws {ConfigurationError} for a value that is none of the choices. */
export function checkChoice<Value>(
  option: string,
  value: Value,
  choices: readonly unknown[],
): Value {
  if (choices.includes(value)) return value;
  const names = choices.map((choice) => JSON.stringify(choice)).join(", ");
  throw wrongOption(option, `one of ${names}`, value);
}

/** @throws {ConfigurationError} for anything but a text that fits. It is shown, so it must be no secret. */
export function checkText(
  option: string,
  value: unknown,
  pattern: Pick<RegExp, "test">,
  expected: string,
): string {
  if (typeof value === "string" && pattern.test(value)) return value;
  const given = typeof value === "string" ? JSON.stringify(value) : describeValue(value);
  throw new ConfigurationError(`\`${option}\` must be ${expected}; got ${given}.`);
}

/** @throws {ConfigurationError} for anything but a function. */
export function checkFunction<Value>(option: string, value: Value): Value {
  if (typeof value === "function") return value;
  throw wrongOption(option, "a function", value);
}

/** @throws {ConfigurationError} for anything but a whole number within the bounds. */
export function checkWholeNumber(
  option: string,
  value: unknown,
  min: number,
  max: number = MAX_TIMEOUT_MS,
): number {
  if (Number.isInteger(value) && (value as number) >= min && (value as number) <= max) {
    return value as number;
  }
  throw wrongOption(option, `a whole number from ${min} to ${max}`, value);
}

/** The longest delay that a timer takes: https://developer.mozilla.org/docs/Web/API/setTimeout#maximum_delay_value */
export const MAX_TIMEOUT_MS = 2_147_483_647;

/** @throws {ConfigurationError} for anything but milliseconds above 0 that a timer can count. */
export function checkMilliseconds(option: string, value: unknown): number {
  if (typeof value === "number" && value > 0 && value <= MAX_TIMEOUT_MS) return value;
  const expected = `a number of milliseconds above 0 and at most ${MAX_TIMEOUT_MS}`;
  throw wrongOption(option, expected, value);
}

/**
 * Whether a name that the caller wrote, such as a misspelt option, looks like a name. A secret may
 * have been pasted into its place. API keys begin with two letters and an underscore.
 */
export function isPlainName(name: string): boolean {
  return /^(?![a-z]{2}_)[a-z_\s-]{0,30}$/i.test(name);
}

/** A name that the caller wrote, as a message shows it: it is quoted only if it looks like a name. */
export function describeName(name: string): string {
  return isPlainName(name)
    ? JSON.stringify(name)
    : "(its name is not shown, because it may hold a secret)";
}

/**
 * A wrong value, as a message shows it. A text is shown by its kind only: a secret may have been
 * pasted into the wrong option.
 */
export function describeValue(value: unknown): string {
  if (value === "") return "an empty string";
  if (Array.isArray(value)) return "an array";
  if (isObject(value)) return "an object";
  if (typeof value === "string" || typeof value === "function") return `a ${typeof value}`;
  return String(value);
}
