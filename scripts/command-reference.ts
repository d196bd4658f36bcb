// The reference of the command line, as Markdown: one text for each group of commands. Lists, not tables: they
// fit a phone. What several commands share is printed once. Examples are in the help.
import {
  COMMON_FLAGS,
  type Command,
  type CommandGroup,
  type Subcommand,
} from "../src/cli/command.ts";
import { CREATES } from "../src/cli/definitions/endpoint-calls.ts";
import { GATEWAY, SANDBOX_URL, SECRET } from "../src/cli/flags/common.ts";
import { commandUsage, flagSummary } from "../src/cli/help.ts";
import { type Flag, flagsOf } from "../src/internal/flags.ts";

const code = (text: string) => `\`${text}\``;

const meaningOf = (flag: Flag) => `${flag.usage}: ${flagSummary(flag)}`;

/** A flag for each meaning. */
const unique = (flags: readonly Flag[]): Flag[] => [
  ...new Map(flags.map((flag) => [meaningOf(flag), flag])).values(),
];

/** What has the same text stands together. */
function groupBy<One>(all: readonly One[], keyOf: (one: One) => string): Map<string, One[]> {
  const groups = new Map<string, One[]>();
  for (const one of all) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one]);
  return groups;
}

/** Flags as items of a list. Those with one meaning, such as the rates of chaos, share an item. */
function items(flags: readonly Flag[], note: (flag: Flag) => string = () => ""): string[] {
  const byMeaning = groupBy(flags, (flag) => `${flagSummary(flag)}${note(flag)}`);
  return [...byMeaning].map(
    ([meaning, own]) =>
      `- ${own.map(({ name, usage }, at) => code(at === own.length - 1 ? usage : `--${name}`)).join(", ")}: ${meaning}`,
  );
}

/** The flags that commands of several groups take. */
const SHARED: readonly Flag[] = flagsOf({ ...SANDBOX_URL, ...GATEWAY, ...SECRET });

const isShared = ({ name, summary }: Flag) =>
  SHARED.some((one) => one.name === name && one.summary === summary);

/** The section that explains the flags of several groups. The pages of the groups only name them. */
export const commonFlags = (): string =>
  ["## Common flags", items([...SHARED, ...COMMON_FLAGS]).join("\n")].join("\n\n");

/** Who takes a flag: no name for all, the names of the others if these are fewer. */
function takersOf(names: readonly string[], all: readonly string[]): string {
  const others = all.filter((name) => !names.includes(name));
  if (others.length === 0) return "";
  if (others.length >= names.length) return ` (${names.map(code).join(", ")})`;
  return ` (all but ${others.map(code).join(", ")})`;
}

/** Names the common flags, each with the commands that take it. */
function sharedLine({ commands }: CommandGroup): string[] {
  const all = commands.map(({ name }) => name);
  const takers = SHARED.map(({ name }) => {
    const takes = ({ flags }: Subcommand) =>
      flags.some((one) => one.name === name && isShared(one));
    const own = commands.filter(({ subcommands }) => subcommands.some(takes));
    return { flag: code(`--${name}`), names: own.map((one) => one.name) };
  }).filter(({ names }) => names.length > 0);
  const parts = groupBy(takers, ({ names }) => takersOf(names, all));
  const text = [...parts].map(([who, own]) => own.map(({ flag }) => flag).join(", ") + who);
  return text.length === 0 ? [] : [`[Common flags](cli.md#common-flags): ${text.join("; ")}.`];
}

const wordsOf = ({ name }: Command, subcommand: Subcommand) =>
  [name, subcommand.name].filter(Boolean).join(" ");

/** What more than one command of a group takes or does, with the words of those commands. */
function severalOf({ commands }: CommandGroup) {
  const calls = commands.flatMap((command) =>
    command.subcommands.map((one) => ({ command, one, words: wordsOf(command, one) })),
  );
  const takers = (flag: Flag) =>
    calls.filter(({ one }) => one.flags.some((other) => meaningOf(other) === meaningOf(flag)));
  const flags = unique(calls.flatMap(({ one }) => one.flags)).filter(
    (flag) => !isShared(flag) && new Set(takers(flag).map(({ command }) => command.name)).size > 1,
  );
  /** A command by its name if all its calls take the flag; nothing if all calls of the group do. */
  const names = (flag: Flag) => {
    const own = takers(flag);
    if (own.length === calls.length) return "";
    const words = [...groupBy(own, ({ command }) => command.name)].flatMap(([name, some]) =>
      some.length === some[0]?.command.subcommands.length ? [name] : some.map((one) => one.words),
    );
    return ` (${words.map(code).join(", ")})`;
  };
  const creating = calls.filter(({ one }) => one.creates).map(({ words }) => code(words));
  const note = creating.length > 0 ? [`${creating.join(", ")}: ${CREATES.toLowerCase()}`] : [];
  return { flags, text: [items(flags, names).join("\n"), ...note] };
}

/** The reference of a command, without the flags that are explained at the top of its page. */
function section(command: Command, explained: readonly Flag[]): string {
  const { name, subcommands } = command;
  const known = new Set(explained.map(meaningOf));
  const takers = (flag: Flag) =>
    subcommands.filter(({ flags }) => flags.some((one) => meaningOf(one) === meaningOf(flag)));
  const flags = unique(subcommands.flatMap((one) => one.flags)).filter(
    (flag) => !isShared(flag) && !known.has(meaningOf(flag)),
  );
  const several = flags.filter((flag) => takers(flag).length > 1);
  const own = (one: Subcommand) =>
    items(one.flags.filter((flag) => flags.includes(flag) && takers(flag).length === 1));
  const usage = (one: Subcommand) =>
    code(commandUsage(command, { ...one, flags: [] }).replace("malipo ", ""));
  const summaryOf = (one: Subcommand) => one.summary.replace(` ${CREATES}`, "");
  // Without the summary of the command: its subcommands say the same.
  const list = () => [
    subcommands
      .flatMap((one) => [
        `- ${usage(one)}: ${summaryOf(one)}`,
        ...own(one).map((line) => `  ${line}`),
      ])
      .join("\n"),
    several.length > 0 ? "Flags:" : "",
    items(several, (flag) =>
      takersOf(
        takers(flag).map((one) => one.name ?? name),
        subcommands.map((one) => one.name ?? name),
      ),
    ).join("\n"),
  ];
  const single = (one: Subcommand) => [
    one.args.length + (one.name ?? "").length === 0
      ? summaryOf(one)
      : `${usage(one)}: ${summaryOf(one)}`,
    own(one).join("\n"),
  ];
  const [first, ...others] = subcommands;
  const text = first !== undefined && others.length === 0 ? single(first) : list();
  return [`## malipo ${name}`, ...text].filter(Boolean).join("\n\n");
}

/** The reference of the commands of a group. */
export function commandReference(group: CommandGroup): string {
  const { flags, text } = severalOf(group);
  const sections = group.commands.map((one) => section(one, flags));
  return [...sharedLine(group), ...text, ...sections].filter(Boolean).join("\n\n");
}
