import type { ServerContext } from "../http/server-context.ts";
import type { Delivery } from "../state/records.ts";
import { type CommandFields, type FieldName, readFields } from "./fields.ts";

/** What a command acts on. */
export interface CommandContext extends Pick<ServerContext, "sandbox" | "clock" | "scenes"> {
  /** Calls the service as a merchant's server does; returns the `data` of the response. */
  callService(method: "POST" | "DELETE", path: string, content?: object): Record<string, unknown>;
  /** Sends a test event to one receiver. `kind` is empty for one that the receiver lists. */
  sendTestEvent(webhook: string, kind: string): Promise<Delivery>;
}

/** One action on a running sandbox. */
export interface Command<Result extends object = object, Name extends FieldName = FieldName> {
  /** What it does, in one sentence. */
  readonly summary: string;
  /**
   * Its path in the control API, below the prefix. Names in braces are fields. A command without a
   * path is offered only by the page.
   */
  readonly path?: string;
  /** The names of the fields that it takes. */
  readonly fields: readonly Name[];
  /** Those of the body that it cannot do without. */
  readonly required?: readonly Name[];
  /** The body of a call, if the rows of the fields do not have its values. */
  readonly example?: { readonly [One in Name]?: unknown };
  /** @throws {ConfigurationError} with what is wrong, for a command that cannot be done. */
  act(context: CommandContext, fields: CommandFields<Name>): Result | Promise<Result>;
  /** What it has done, as a sentence for a person. */
  message(result: Result): string;
}

/** Infers the fields and the result of a command. */
export const defineCommand = <Name extends FieldName, Result extends object>(
  command: Command<Result, Name>,
): Command<Result, Name> => command;

/** @throws {ConfigurationError} with what is wrong, for a command that cannot be done. */
export const runCommand = (
  command: Command,
  context: CommandContext,
  given: Readonly<Record<string, unknown>>,
): object => command.act(context, readFields(command.fields, given));
