import { COMMANDS, type CommandName } from "../control/commands.ts";
import { type Command, type CommandContext, runCommand } from "../control/types.ts";
import type { ListName, View } from "./view.ts";

/** A field of a form, trimmed; empty for a field that is missing. */
export const formField = (form: URLSearchParams, name: string): string =>
  (form.get(name) ?? "").trim();

const firstPage = (list: ListName): Partial<View> => ({
  [list]: "",
  [`${list}-only`]: "",
  [`${list}-find`]: "",
});

/** What the page shows after a command, if it differs from what it showed before. */
function nextView(name: CommandName, result: object): Partial<View> {
  const {
    number = "",
    reference = "",
    id = "",
    state,
  } = result as Readonly<Record<string, string>>;
  switch (name) {
    case "pay":
      return { ...firstPage("payments"), phone: number, payment: reference };
    case "deliveries/resend":
      return { delivery: id };
    case "webhooks/test":
      // A test that arrived needs no explanation.
      return { ...firstPage("deliveries"), delivery: state === "delivered" ? "" : id };
    case "reset":
    case "scenes/load":
      // The state was replaced: what was open may no longer exist.
      return { phone: "", payment: "", delivery: "", request: "" };
    default:
      return number === "" ? {} : { phone: number };
  }
}

/**
 * Runs a command with the fields of a form. Returns a message for the person who clicked, and what the
 * page shows next.
 *
 * @throws {ConfigurationError} with what is wrong, for a command that cannot be done.
 */
export async function runAction(
  name: CommandName,
  context: CommandContext,
  form: URLSearchParams,
): Promise<{ readonly message: string; readonly view: Partial<View> }> {
  const command: Command = COMMANDS[name];
  const given = command.fields.filter((field) => form.has(field));
  const fields = given.map((field) => [field, formField(form, field)]);
  const result = await runCommand(command, context, Object.fromEntries(fields));
  return { message: command.message(result), view: nextView(name, result) };
}
