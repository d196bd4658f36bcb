import type { EndpointName } from "../contract/endpoints.ts";
import {
  COMMAND_FIELDS,
  type CommandField,
  type Command as ControlRow,
} from "../sandbox/control/define-command.ts";
import { kebabCase } from "./command.ts";

// How the rows of the contract and of the control API are called on the command line.

/** The words of an endpoint's command, if they are not those of its name. */
const ENDPOINT_WORDS: Readonly<Partial<Record<string, string>>> = {
  "payments.initiate": "payments initiate-raw",
  "mobileMoney.initiate": "payments initiate",
  "mobileMoney.status": "payments status",
  "mobileMoney.validatePhone": "payments validate-phone",
} satisfies Partial<Record<EndpointName, string>>;

/** The command of an endpoint and its subcommand: `merchant payment-accounts`. */
export const endpointWords = (name: string): string =>
  ENDPOINT_WORDS[name] ?? name.split(".").map(kebabCase).join(" ");

/** The words of a command of the control API, if they are not those of its name. */
const CONTROL_WORDS: Readonly<Partial<Record<string, string>>> = {
  clock: "clock advance",
  "deliveries/resend": "events resend",
  "deliveries/resend-failed": "events resend-failed",
  "webhooks/test": "events test",
  chaos: "chaos start",
  restore: "scenes import",
};

/** The words of a command: `phone approve`. */
export const controlWords = (name: string): string => CONTROL_WORDS[name] ?? name.replace("/", " ");

/** What is known of a field of the control API. */
export const fieldRow = (name: string): CommandField =>
  COMMAND_FIELDS[name] ?? { description: "A field" };

const inPath = ({ path = "" }: ControlRow) =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);

/** The fields that a command takes as arguments: those of its path, and what it cannot do without. */
export const argumentFields = (row: ControlRow): string[] => [
  ...inPath(row),
  ...(row.required ?? []),
];

/** The fields that a command takes as flags. */
export const flagFields = (row: ControlRow): string[] =>
  row.fields.filter((name) => !argumentFields(row).includes(name));

/** A field that is an object is read from a file. */
export const isFile = (name: string): boolean => fieldRow(name).type === "object";
