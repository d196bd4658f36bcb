import type { Duration } from "../../internal/duration.ts";
import { formatTimestamp } from "../clock/time.ts";
import { localFormat } from "../payments/phone-number.ts";
import { FAULT_COMMANDS } from "./fault-commands.ts";
import { PHONE_COMMANDS } from "./phone-commands.ts";
import { SCENE_COMMANDS } from "./scene-commands.ts";
import { type Command, defineCommand } from "./types.ts";
import { WEBHOOK_COMMANDS } from "./webhook-commands.ts";

// The page and the control API offer these, and the command line describes and calls them. This module
// loads neither schemas nor the service, so that the command line starts fast.

/** The control API takes commands in JSON below this path, from the command line or any language. */
export const CONTROL_PREFIX = "/_sandbox/api";

/** A number that was written with digits; any other text stays, for the service to reject. */
const numberOrText = (text: string) => (/^\d+(\.\d+)?$/.test(text) ? Number(text) : text);

/** Everything that can be done to a running sandbox, by the name under which the page posts it. */
export const COMMANDS = {
  pay: defineCommand({
    summary: "Starts a payment, as the merchant's server does.",
    path: "/payments",
    fields: ["amount", "phone", "account_reference", "description"],
    required: ["amount", "phone"],
    example: { amount: 100, phone: "0712345678", account_reference: "ORDER-17" },
    act: ({ sandbox, callService }, { amount, phone, account_reference, description }) => {
      const { reference } = callService("POST", "/mobile-money/payment/initiate", {
        amount: numberOrText(amount),
        phone,
        account_reference: account_reference || undefined,
        description: description || undefined,
      });
      return { number: sandbox.phone(phone).number, reference: String(reference) };
    },
    message: ({ number }) => `A prompt was sent to ${localFormat(number)}.`,
  }),
  ...PHONE_COMMANDS,
  clock: defineCommand({
    summary: "Advances the clock: prompts expire, deliveries are retried, invoices fall due.",
    path: "/clock/advance",
    fields: ["by"],
    required: ["by"],
    example: { by: "61s" },
    act: async ({ sandbox, clock }, { by }) => {
      await sandbox.clock.advance(by as Duration);
      return { now: formatTimestamp(sandbox.clock.now().getTime()), clock };
    },
    message: ({ now }) => `The time is now ${now.slice(11, 19)}.`,
  }),
  ...WEBHOOK_COMMANDS,
  ...FAULT_COMMANDS,
  "keys/revoke": defineCommand({
    summary: "Revokes a key, which gets 401 from now on, and makes another one of its kind.",
    path: "/keys/revoke",
    fields: ["key"],
    required: ["key"],
    example: { key: "secret" },
    act: ({ sandbox }, { key: given }) => {
      const key = (sandbox.keys as Readonly<Record<string, string>>)[given || "secret"] ?? given;
      return { key: sandbox.revokeKey(key) };
    },
    message: ({ key }) => `The key is revoked. The new one is ${key}`,
  }),
  ...SCENE_COMMANDS,
} as const;

export type CommandName = keyof typeof COMMANDS;

export type CommandResult<Name extends CommandName> = Awaited<
  ReturnType<(typeof COMMANDS)[Name]["act"]>
>;

export const isCommandName = (name: string): name is CommandName => Object.hasOwn(COMMANDS, name);

/** A request to the control API. The path is the one below {@link CONTROL_PREFIX}. */
export interface ControlRequest {
  readonly method: "POST";
  readonly path: string;
  readonly body?: Readonly<Record<string, unknown>>;
}

/** The request that runs a command: fields that its path names are in the path, others in the body. */
export function commandRequest(
  name: CommandName,
  fields: Readonly<Record<string, unknown>>,
): ControlRequest {
  const { path }: Command = COMMANDS[name];
  if (path === undefined) throw new Error(`The control API has no command "${name}".`);
  const inBody = Object.entries(fields).filter(([field]) => !path.includes(`{${field}}`));
  return {
    method: "POST",
    path: path.replace(/\{(\w+)\}/g, (_, field) => encodeURIComponent(String(fields[field] ?? ""))),
    ...(inBody.length > 0 && { body: Object.fromEntries(inBody) }),
  };
}
