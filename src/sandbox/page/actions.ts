import { COMMANDS, type CommandName, type CommandResult } from "../control/commands.ts";
import type { Command, CommandContext } from "../control/types.ts";
import type { View } from "./view.ts";

/** What an action gives: a form of the page runs a command. */
export interface ActionResult {
  /** For the person who clicked. */
  readonly message: string;
  /** What the page shows next, where it differs from what it showed before. */
  readonly view: Partial<View>;
}

/** A field of a form, trimmed; empty for a field that is missing. */
export const formField = (form: URLSearchParams, name: string): string =>
  (form.get(name) ?? "").trim();

type NextViews = {
  readonly [Name in CommandName]?: (result: CommandResult<Name>) => Partial<View>;
};

/** The state was replaced: what was open may no longer exist. */
const NOTHING_OPEN: Partial<View> = { phone: "", payment: "", delivery: "", request: "" };

const NEXT_VIEWS: NextViews = {
  pay: ({ number, reference }) => ({
    phone: number,
    payment: reference,
    payments: 1,
    status: "",
    find: "",
  }),
  "deliveries/resend": ({ id }) => ({ delivery: id }),
  // A test that arrived needs no explanation.
  "webhooks/test": ({ id, state }) => ({
    delivery: state === "delivered" ? "" : id,
    state: "",
    deliveries: 1,
  }),
  reset: () => NOTHING_OPEN,
  "scenes/load": () => NOTHING_OPEN,
};

function nextView(name: CommandName, result: object): Partial<View> {
  const next = NEXT_VIEWS[name] as ((result: object) => Partial<View>) | undefined;
  if (next !== undefined) return next(result);
  return "number" in result ? { phone: String(result.number) } : {};
}

/**
 * Runs a command with the fields of a form.
 *
 * @throws {ConfigurationError} that says what is wrong, for a command that cannot be done.
 */
export async function runAction(
  name: CommandName,
  context: CommandContext,
  form: URLSearchParams,
): Promise<ActionResult> {
  const command: Command = COMMANDS[name];
  const fields = command.fields.map((field) => [field, formField(form, field)]);
  const result = await command.act(context, Object.fromEntries(fields));
  return { message: command.message(result), view: nextView(name, result) };
}
