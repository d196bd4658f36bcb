import { type Arg, COMMON_FLAGS, type Command, type Flag, type Form } from "./definitions/types.ts";
import { EXIT, EXIT_MEANINGS } from "./exit-codes.ts";
import { grid, paint } from "./terminal/output.ts";

const argOf = ({ name, optional }: Arg) => (optional ? `[${name}]` : `<${name}>`);

/** `malipo events resend <id>`. */
export function usageOf({ name }: Command, { action, args = [], flags }: Form): string {
  const words = ["malipo", name, action, ...args.map(argOf)];
  return [...words, flags.length > 0 ? "[flags]" : undefined].filter(Boolean).join(" ");
}

/** `--port <number>`. */
export const flagUsage = ({ name, value }: Flag): string =>
  value === undefined ? `--${name}` : `--${name} <${value}>`;

/** What a flag is for, with what it takes and what holds without it. */
export function flagSummary({ summary, standard, choices, many }: Flag): string {
  const notes = [
    choices?.join(" | "),
    standard && `default: ${standard}`,
    many && "may be repeated",
  ].filter(Boolean);
  return notes.length === 0 ? summary : `${summary} (${notes.join("; ")})`;
}

const title = (text: string) => paint("bold", text);
const indented = (text: string) => text.replace(/^/gm, "  ");

/** `malipo --help`. */
export function overview(
  commands: readonly Command[],
  environment: Readonly<Record<string, string>>,
): string {
  const codes = Object.entries(EXIT).map(([name, code]) => [
    String(code),
    EXIT_MEANINGS[name as keyof typeof EXIT].replaceAll("**", ""),
  ]);
  return [
    `${title("malipo")}: a payment gateway on your laptop, and the tools around the real one`,
    `${title("Begin with")}\n  malipo sandbox`,
    `${title("Commands")}\n${indented(grid(commands.map(({ name, summary }) => [name, summary])))}`,
    `${title("Help")}\n  malipo <command> --help`,
    `${title("Environment")}\n${indented(grid(Object.entries(environment)))}`,
    `${title("Exit codes")}\n${indented(grid(codes))}`,
  ].join("\n\n");
}

function formHelp(command: Command, form: Form): string {
  const flags = [...form.flags, ...COMMON_FLAGS].map((flag) => [
    flagUsage(flag),
    flagSummary(flag),
  ]);
  const examples = form.examples.map((example) => `malipo ${example}`).join("\n");
  return [
    `${title(usageOf(command, form))}\n  ${form.summary}`,
    `${title("Flags")}\n${indented(grid(flags))}`,
    `${title("Examples")}\n${indented(examples)}`,
  ].join("\n\n");
}

/** `malipo <command> --help`: of one form, or a list of all. */
export function commandHelp(command: Command, form?: Form): string {
  const [only] = command.forms;
  const one = form ?? (command.forms.length === 1 ? only : undefined);
  if (one !== undefined) return formHelp(command, one);
  const forms = command.forms.map((each) => [usageOf(command, each), each.summary]);
  const examples = command.forms.flatMap((each) => each.examples.slice(0, 1));
  return [
    `${title(`malipo ${command.name}`)}\n  ${command.summary}`,
    `${title("Forms")}\n${indented(grid(forms))}`,
    `${title("Examples")}\n${indented(examples.map((each) => `malipo ${each}`).join("\n"))}`,
    `${title("Help")}\n  malipo ${command.name} <form> --help`,
  ].join("\n\n");
}
