import { countryCodes } from "../../contract/countries.ts";
import { keyKind } from "../../contract/keys.ts";
import { parseDuration } from "../../internal/duration.ts";
import { parseJson } from "../../internal/json.ts";
import { internationalDigits } from "../../phones/phone-number.ts";
import { COMMANDS, type CommandName } from "../../sandbox/control/commands.ts";
import {
  COMMAND_FIELDS,
  type Command as ControlRow,
} from "../../sandbox/control/define-command.ts";
import type { Delivery, SandboxPayment } from "../../sandbox/index.ts";
import { parseAmount } from "../../sandbox/state/notation.ts";
import { CHAOS_NAMES } from "../../sandbox/state/sandbox-records.ts";
import { usageError } from "../cli-error.ts";
import { type AnyFlags, type Input, kebabCase, type Output } from "../command.ts";
import { argumentFields, flagFields, isFile } from "../command-words.ts";
import { EXIT } from "../exit-codes.ts";
import type { SandboxUrl } from "../flags/common.ts";
import { readFile } from "../input/files.ts";
import { DURATION_RULE } from "../input/flag-values.ts";
import type { Io } from "../io.ts";
import { findSandbox } from "../sandbox/find-sandbox.ts";
import { runCommand } from "../sandbox/running-sandbox.ts";
import { type Details, deliveryDetails } from "../sandbox/sandbox-log.ts";
import { formatFields } from "../terminal/table.ts";

/** Runs a command of the control API on the sandbox that is running. */
export async function runOnSandbox(
  name: CommandName,
  input: Input<SandboxUrl & AnyFlags>,
): Promise<Output> {
  const fields = fieldsOf(name, input);
  const origin = await findSandbox(input);
  const result: object = await runCommand(origin, name, fields, TIMEOUTS_MS[name]);
  const text = () =>
    [COMMANDS[name].message(result as never), formatFields(detailsOf(result))]
      .filter(Boolean)
      .join("\n");
  return { value: result, text, exitCode: isUndelivered(result) ? EXIT.failed : EXIT.ok };
}

/** The sandbox waits for every delivery that becomes due on the way. */
const TIMEOUTS_MS: Readonly<Partial<Record<CommandName, number>>> = { clock: 600_000 };

const KEYS: readonly string[] = COMMAND_FIELDS.key?.values ?? [];

type Rule = readonly [isRight: (text: string) => boolean, rule: string];

const isNumber = (text: string) => /^\d{1,12}(\.\d{1,6})?$/.test(text);
const WHOLE: Rule = [(text) => /^\d{1,9}$/.test(text), "must be a whole number"];
const NUMBER: Rule = [isNumber, "must be a number"];
const RATE: Rule = [
  (text) => isNumber(text) && Number(text) <= 1,
  "must be a rate from 0 (never) to 1 (always)",
];

/** What is wrong before a sandbox is asked, by the field. */
const RULES: Readonly<Record<string, Rule>> = {
  by: [(text) => parseDuration(text) !== undefined, DURATION_RULE],
  key: [
    (text) => KEYS.includes(text) || keyKind(text) !== undefined,
    `must be a key, or a kind of key (${KEYS.join(", ")})`,
  ],
  number: [
    (text) => countryCodes().some((one) => internationalDigits(text, one) !== undefined),
    "must be the number of a mobile phone, such as 0712345678 or +254712345678",
  ],
  balance: [(text) => parseAmount(text) !== undefined, "must be an amount such as 1500.00"],
  times: [(text) => text === "always" || WHOLE[0](text), "must be a whole number, or always"],
  ...Object.fromEntries(CHAOS_NAMES.map((name) => [name, RATE])),
};

const BY_TYPE: Readonly<Record<string, Rule>> = { integer: WHOLE, number: NUMBER };

/** @throws {CliError} `usage` for a text that no sandbox takes. */
function checkValue(field: string, text: unknown, shown: string): void {
  const [isRight, rule] = RULES[field] ?? BY_TYPE[COMMAND_FIELDS[field]?.type ?? ""] ?? [];
  if (typeof text !== "string" || isRight === undefined || isRight(text.trim())) return;
  throw usageError(`${shown} ${rule}; got "${text}".`);
}

/** The arguments and flags that were given, as the fields of the command. */
function fieldsOf(
  name: CommandName,
  { args, flags, io }: Input<AnyFlags>,
): Record<string, unknown> {
  const row: ControlRow = COMMANDS[name];
  const given = [
    ...argumentFields(row).map(
      (field, index) => [field, args[index], `<${kebabCase(field)}>`] as const,
    ),
    ...flagFields(row).map((field) => {
      const flag = kebabCase(field);
      return [field, flags[flag], `--${flag}`] as const;
    }),
  ].filter(([, value]) => value !== undefined && value !== false);
  for (const [field, value, shown] of given) checkValue(field, value, shown);
  if (name === "chaos" && given.every(([field]) => COMMAND_FIELDS[field]?.type !== "number")) {
    throw usageError("Give at least one rate, such as --duplicate 0.3 or --lost-responses 0.1.");
  }
  return Object.fromEntries(
    given.map(([field, value]) => [field, isFile(field) ? readJson(io, String(value)) : value]),
  );
}

function readJson(io: Io, path: string): unknown {
  const value = parseJson(readFile(io, path).toString());
  if (value !== undefined) return value;
  throw usageError(`${path} is not JSON. \`malipo scenes export\` prints what can be imported.`);
}

const isDelivery = (result: object): result is Delivery => "attempts" in result;
const isUndelivered = (result: object) =>
  isDelivery(result) && result.attempts.at(-1)?.status !== 200;

/** What a person wants to know of a phone or a delivery, below the message. */
function detailsOf(result: object): Details {
  if (isDelivery(result)) return deliveryDetails(result);
  const { number, payment, now, clock } = result as {
    readonly number?: string;
    readonly payment?: SandboxPayment;
    readonly now?: string;
    readonly clock?: string;
  };
  return [
    ["time", now],
    ["clock", clock],
    ["phone", number],
    ["payment", payment?.reference],
    ["status", payment?.status],
    ["amount", payment && `${payment.currency} ${payment.amount}`],
    ["reason", payment?.failure_reason],
  ];
}
