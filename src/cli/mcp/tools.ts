import { ownOptions } from "../../internal/check-options.ts";
import type { Flag } from "../../internal/flags.ts";
import type { Argument, Command, Subcommand } from "../command.ts";
import { flagSummary } from "../help.ts";

/** The commands that are tools: those of a running sandbox, and what checks and explains. */
const OFFERED: readonly string[] = [
  ...["phone", "clock", "events", "requests", "faults", "chaos", "scenes", "reset"],
  ...["payments initiate", "payments get", "payments list", "webhooks list", "webhooks register"],
  ...["explain", "doctor"],
];

/** The whole state has the keys, and is read from a file. */
const WITHHELD: readonly string[] = ["scenes export", "scenes import"];

/** The sandbox that was found decides about these: a machine names no other service, key or file. */
const WITHHELD_FLAGS: readonly string[] = ["url", "base-url", "key-file", "secret", "secret-file"];

/** A command as a tool. */
export interface Tool {
  readonly name: string;
  /** The words of its command: `["phone", "approve"]`. */
  readonly words: readonly string[];
  readonly subcommand: Subcommand;
  /** The flags that it takes, by the names of its fields. */
  readonly flags: ReadonlyMap<string, Flag>;
}

const fieldName = (name: string): string => name.replaceAll("-", "_");

function toolOf(words: readonly string[], subcommand: Subcommand): Tool {
  const flags = subcommand.flags.filter(
    ({ name, value }) => value !== "file" && !WITHHELD_FLAGS.includes(name),
  );
  return {
    name: fieldName(words.join("_")),
    words,
    subcommand,
    flags: new Map(flags.map((flag) => [fieldName(flag.name), flag])),
  };
}

/** The tools, from the definitions of the command line. */
export const toolsOf = (commands: readonly Command[]): Tool[] =>
  commands.flatMap(({ name, subcommands }) =>
    subcommands.flatMap((subcommand) => {
      const words = [name, subcommand.name ?? ""].filter(Boolean);
      const call = words.join(" ");
      const isOffered = OFFERED.includes(name) || OFFERED.includes(call);
      return isOffered && !WITHHELD.includes(call) ? [toolOf(words, subcommand)] : [];
    }),
  );

const argumentSchema = ({ summary, values, takesOthers }: Argument) => ({
  type: "string",
  ...(summary !== undefined && { description: summary }),
  ...(values !== undefined && { [takesOthers ? "examples" : "enum"]: values }),
});

function flagSchema(flag: Flag) {
  const { value, choices, repeatable } = flag;
  const type = value === undefined ? "boolean" : value === "number" ? "number" : "string";
  const one = { type, ...(choices !== undefined && { enum: choices }) };
  const description = flagSummary(flag);
  return repeatable ? { type: "array", items: one, description } : { ...one, description };
}

/** A tool as the protocol lists it. */
export function describeTool({ name, subcommand, flags }: Tool) {
  const { summary, args, effect } = subcommand;
  const properties = Object.fromEntries([
    ...args.map((one) => [fieldName(one.name), argumentSchema(one)] as const),
    ...[...flags].map(([field, flag]) => [field, flagSchema(flag)] as const),
  ]);
  const required = args.filter(({ optional }) => !optional).map((one) => fieldName(one.name));
  return {
    name,
    description: summary,
    inputSchema: { type: "object" as const, properties, required, additionalProperties: false },
    annotations: { readOnlyHint: effect === "reads", destructiveHint: effect === "removes" },
  };
}

const textOf = (value: unknown): string =>
  typeof value === "string" ? value : String(JSON.stringify(value));

/**
 * The words of a call, for the parser of the command line to check. No field can become another flag: a
 * flag and its value are one word, and arguments stand behind `--`.
 *
 * @throws {ConfigurationError} for a field that the tool does not have.
 */
export function argvOf(
  { name, words, subcommand: { args }, flags }: Tool,
  given: Readonly<Record<string, unknown>>,
): string[] {
  const names = [...args.map((one) => fieldName(one.name)), ...flags.keys()];
  const fields = ownOptions(given, names, name);
  const inFlags = [...flags].flatMap(([field, { name: flag, value }]) => {
    const values = [fields[field] ?? []].flat();
    if (value === undefined) return values.includes(true) ? [`--${flag}`] : [];
    return values.map((one) => `--${flag}=${textOf(one)}`);
  });
  const inArguments = args.flatMap((one) => fields[fieldName(one.name)] ?? []).map(textOf);
  return [...words, ...inFlags, "--", ...inArguments];
}
