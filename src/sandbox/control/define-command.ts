import { ConfigurationError } from "../../errors/configuration.ts";
import { EFFECT_FIELDS } from "../faults/faults.ts";
import type { ServerContext } from "../http/respond.ts";
import {
  AUTO_ANSWERS,
  CHAOS_NAMES,
  type ChaosName,
  type Delivery,
} from "../state/sandbox-records.ts";

/** What a command gets of a field, by the field's type. */
interface FieldValues {
  /** The text, trimmed; empty for a field that is missing. */
  text: string;
  /** `undefined` for a field that is missing or empty. */
  integer: number | undefined;
  number: number | undefined;
  boolean: boolean;
  /** The JSON value that was sent, unchanged. */
  object: unknown;
  any: unknown;
}

/** A field of the commands. Its name means the same in each of them. */
export interface CommandField {
  readonly description: string;
  /** @default text */
  readonly type?: keyof FieldValues;
  readonly values?: readonly string[];
  readonly example?: string;
}

const FIELDS = {
  number: { description: "A phone number in any usual notation.", example: "0712345678" },
  reference: {
    description: "The reference of the prompt that is meant: no other one is answered.",
  },
  amount: { description: "The amount of the payment." },
  phone: { description: "The customer's phone, in any usual notation." },
  account_reference: { description: "A label, at most 12 characters." },
  description: { description: "A text for the payment." },
  balance: { description: "The new balance, such as 1500.00." },
  answer: { description: "What the phone does.", values: AUTO_ANSWERS },
  pin: { description: "Four digits." },
  key: { description: "A key, or a kind of key.", values: ["secret", "public", "sandbox"] },
  by: { description: "How far: milliseconds, or a text such as 61s or 2h.", type: "any" },
  id: { description: "The id." },
  url: { description: "The URL of the receiver. Without a scheme, it gets one." },
  event: { description: "The kind of event. By default, one that the receiver lists." },
  keep_receivers: { description: "The registered receivers stay.", type: "boolean" },
  save_as: { description: "Saves the state under this name first, to return to it." },
  kind: { description: "What goes wrong.", values: Object.keys(EFFECT_FIELDS) },
  endpoint: { description: "Only requests to this endpoint, such as mobileMoney.initiate." },
  method: { description: "Only requests with this method." },
  path: { description: "Only requests to this path; * and {name} match one segment." },
  status: {
    description: "The status of a response that is an error. By default, 503.",
    type: "integer",
  },
  headers: { description: "Headers of the response.", type: "object" },
  body: { description: "The body of the response: a text or a JSON value.", type: "any" },
  ms: { description: "How long to wait, in milliseconds. By default, 2000.", type: "number" },
  after: { description: "How many matching requests pass before. By default, 0.", type: "integer" },
  times: { description: "How many requests get the fault, or always. By default, 1." },
  seed: { description: "The seed that repeats the same faults." },
  name: { description: "The name of the scene.", example: "paid-once" },
  snapshot: { description: "What GET /snapshot returned.", type: "object" },
  ...(Object.fromEntries(
    CHAOS_NAMES.map((name) => [
      name,
      { description: "A rate from 0 (never) to 1 (always).", type: "number" },
    ]),
  ) as Record<ChaosName, { description: string; type: "number" }>),
} as const satisfies Record<string, CommandField>;

export type FieldName = keyof typeof FIELDS;

/** The fields of a command, read by their types. */
export type CommandFields<Name extends FieldName> = {
  readonly [One in Name]: (typeof FIELDS)[One] extends {
    type: infer Type extends keyof FieldValues;
  }
    ? FieldValues[Type]
    : string;
};

/** Every field, by its name. The control API, its document and the command line describe it by this row. */
export const COMMAND_FIELDS: Readonly<Record<string, CommandField>> = FIELDS;

/**
 * A text as a number; `undefined` for an empty one.
 *
 * @throws {ConfigurationError} that quotes what is not a number.
 */
export function numberIn(name: string, text: string): number | undefined {
  if (text === "") return undefined;
  if (/^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  throw new ConfigurationError(`${name} must be a number; got ${JSON.stringify(text)}.`);
}

/** A form and the command line send `yes` or `true`, JSON has `true`. */
function switchIn(name: string, text: string): boolean {
  if (["", "no", "false", "yes", "true"].includes(text)) return text === "yes" || text === "true";
  throw new ConfigurationError(`\`${name}\` must be yes or no; got ${JSON.stringify(text)}.`);
}

function readField(name: FieldName, value: unknown): unknown {
  const { type = "text" }: CommandField = FIELDS[name];
  const text = String(value ?? "").trim();
  if (type === "integer" || type === "number") return numberIn(name, text);
  if (type === "boolean") return switchIn(name, text);
  return type === "text" ? text : value;
}

/**
 * Reads the fields of a command: text from a form, JSON values from the control API.
 *
 * @throws {ConfigurationError} for a value of another type.
 */
const readFields = (
  names: readonly FieldName[],
  given: Readonly<Record<string, unknown>>,
): CommandFields<FieldName> =>
  Object.fromEntries(
    names.map((name) => [name, readField(name, given[name])]),
  ) as unknown as CommandFields<FieldName>;

/** What a command acts on. */
export interface CommandContext extends Pick<ServerContext, "sandbox" | "clock" | "scenes"> {
  /** Calls the service as a merchant's server does; returns the `data` of the response. */
  callService(method: "POST" | "DELETE", path: string, content?: object): Record<string, unknown>;
  /** Sends a test event to one receiver. `kind` is empty for an event that the receiver lists. */
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
  /** It removes or replaces what is there. */
  readonly removes?: true;
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
