import { ConfigurationError } from "../../errors/configuration.ts";
import type { ServerContext } from "../http/server-context.ts";
import type { Delivery } from "../state/records.ts";

/** What a command acts on. */
export interface CommandContext extends Pick<ServerContext, "sandbox" | "clock" | "scenes"> {
  /** Calls the service as a merchant's server does; returns the `data` of the response. */
  callService(method: "POST" | "DELETE", path: string, content?: object): Record<string, unknown>;
  /** Sends a test event to one receiver. `kind` is empty for one that the receiver lists. */
  sendTestEvent(webhook: string, kind: string): Promise<Delivery>;
}

/** The fields of a command by name: text from a form, JSON values from the control API. */
export type CommandFields = Readonly<Record<string, unknown>>;

/** One action on a running sandbox. */
export interface Command<Result extends object = object> {
  /** What it does, in one sentence. */
  readonly summary: string;
  /**
   * Its path in the control API, below the prefix. Names in braces are fields. A command without a
   * path is offered only by the page.
   */
  readonly path?: string;
  /** The names of the fields that it takes. */
  readonly fields: readonly string[];
  /** Those of the body that it cannot do without. */
  readonly required?: readonly string[];
  /** It removes or replaces what is there. */
  readonly removes?: true;
  /** @throws {ConfigurationError} with what is wrong, for a command that cannot be done. */
  act(context: CommandContext, fields: CommandFields): Result | Promise<Result>;
  /** What it has done, as a sentence for a person. */
  message(result: Result): string;
}

/** A field as trimmed text; empty for a field that is missing. */
export const textField = (fields: CommandFields, name: string): string =>
  String(fields[name] ?? "").trim();

/**
 * A field as a number; `undefined` for a field that is missing or empty.
 *
 * @throws {ConfigurationError} that quotes what is not a number.
 */
export function numberField(fields: CommandFields, name: string): number | undefined {
  const text = textField(fields, name);
  if (text === "") return undefined;
  if (/^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  throw new ConfigurationError(`${name} must be a number; got ${JSON.stringify(text)}.`);
}

/** Infers the result of a command. */
export const defineCommand = <Result extends object>(command: Command<Result>): Command<Result> =>
  command;

/**
 * A field that is a switch: `yes` or `true`, from a form, the command line or JSON.
 *
 * @throws {ConfigurationError} for any other text.
 */
export function switchField(fields: CommandFields, name: string): boolean {
  const text = textField(fields, name);
  if (text === "" || text === "no" || text === "false") return false;
  if (text === "yes" || text === "true") return true;
  throw new ConfigurationError(`\`${name}\` must be yes or no; got ${JSON.stringify(text)}.`);
}
