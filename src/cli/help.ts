import type { Flag } from "../internal/flags.ts";
import { COMMON_FLAGS, type Command, type CommandGroup, type Subcommand } from "./command.ts";
import { EXIT, EXIT_MEANINGS } from "./exit-codes.ts";
import { paint } from "./terminal/output.ts";
import { formatTable, type Screen } from "./terminal/table.ts";

/** `malipo events resend <id>`. */
export function commandUsage(
  { name }: Command,
  { name: subcommandName, args, flags }: Subcommand,
): string {
  const words = ["malipo", name, subcommandName, ...args.map((one) => one.usage)];
  return [...words, flags.length > 0 ? "[flags]" : undefined].filter(Boolean).join(" ");
}

/** What a flag is for, with its choices and its default. */
export function flagSummary({
  summary,
  choices,
  default: literal,
  fallback = literal,
  repeatable,
}: Flag): string {
  const notes = [
    choices?.join(" | "),
    fallback && `default: ${fallback}`,
    repeatable && "repeatable",
  ].filter(Boolean);
  return notes.length === 0 ? summary : `${summary} (${notes.join("; ")})`;
}

const title = (text: string) => paint("bold", text);
const indent = (text: string) => text.replace(/^/gm, "  ");
const section = (name: string, text: string) => `${title(name)}\n${indent(text)}`;
const tableSection = (name: string, rows: readonly (readonly string[])[], screen: Screen) =>
  section(name, formatTable(screen, rows, 2));

/** `malipo --help`. */
export function overview(
  groups: readonly CommandGroup[],
  environment: Readonly<Record<string, string>>,
  screen: Screen,
): string {
  const codes = Object.entries(EXIT).map(([name, code]) => [
    String(code),
    EXIT_MEANINGS[name as keyof typeof EXIT].replaceAll("**", ""),
  ]);
  const names = groups.flatMap(({ commands }) => commands.map(({ name }) => name.length));
  const width = Math.max(...names);
  return [
    `${title("malipo")}: a payment gateway on your machine, and tools for the real one`,
    section("Start here", "malipo sandbox"),
    ...groups.map(({ title, commands }) =>
      // Two columns that are as wide in every group.
      tableSection(
        title,
        commands.map(({ name, summary }) => [name.padEnd(width), summary]),
        screen,
      ),
    ),
    section("Help", "malipo <command> --help"),
    tableSection("Environment", Object.entries(environment), screen),
    tableSection("Exit codes", codes, screen),
  ].join("\n\n");
}

/** `malipo <command> --help`: of one subcommand, or a list of all. */
export function commandHelp(
  command: Command,
  subcommand: Subcommand | undefined,
  screen: Screen,
): string {
  const [first, ...others] = command.subcommands;
  const only = others.length === 0 ? first : undefined;
  const named = subcommand?.name === undefined ? undefined : subcommand;
  const one = named ?? only;
  return one === undefined
    ? listSubcommands(command, screen)
    : subcommandHelp(command, one, screen);
}

const flagRows = (flags: readonly Flag[]) =>
  [...flags, ...COMMON_FLAGS].map((flag) => [flag.usage, flagSummary(flag)]);

function subcommandHelp(command: Command, subcommand: Subcommand, screen: Screen): string {
  const examples = subcommand.examples.map((example) => `malipo ${example}`).join("\n");
  const values = subcommand.args.flatMap(({ usage, values }) =>
    values ? [[usage, values.join(" | ")]] : [],
  );
  return [
    section(commandUsage(command, subcommand), subcommand.summary),
    ...(values.length > 0 ? [tableSection("Arguments", values, screen)] : []),
    tableSection("Flags", flagRows(subcommand.flags), screen),
    section("Examples", examples),
  ].join("\n\n");
}

function listSubcommands(command: Command, screen: Screen): string {
  const subcommands = command.subcommands.map((one) => [commandUsage(command, one), one.summary]);
  // One without a name has no separate help.
  const unnamed = command.subcommands.find(({ name }) => name === undefined);
  const examples = command.subcommands.flatMap((one) =>
    one === unnamed ? one.examples : one.examples.slice(0, 1),
  );
  return [
    section(`malipo ${command.name}`, command.summary),
    tableSection("Subcommands", subcommands, screen),
    ...(unnamed
      ? [tableSection(`Flags of malipo ${command.name}`, flagRows(unnamed.flags), screen)]
      : []),
    section("Examples", examples.map((example) => `malipo ${example}`).join("\n")),
    section("Help", `malipo ${command.name} <subcommand> --help`),
  ].join("\n\n");
}
