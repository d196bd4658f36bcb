import type { EndpointName } from "../../contract/endpoints.ts";
import { EVENT_KINDS } from "../../contract/events.ts";
import { formatTimestamp } from "../clock/time.ts";
import { CHAOS_NAMES } from "../faults/chaos.ts";
import { localFormat } from "../payments/phone-number.ts";
import type { FaultEffect } from "../state/records.ts";
import { PHONE_COMMANDS } from "./phone-commands.ts";
import { type Command, type CommandFields, textField } from "./types.ts";

// The page and the control API offer these, and the command line describes and calls them. This module
// loads neither schemas nor the service, so that the command line starts fast.

/** The control API takes commands in JSON below this path, from the command line or any language. */
export const CONTROL_PREFIX = "/_sandbox/api";

/** Infers the result of a command. */
const define = <Result extends object>(command: Command<Result>): Command<Result> => command;

/** A number that was written with digits; any other text stays, for the service to reject. */
const numberOrText = (text: string) => (/^\d+(\.\d+)?$/.test(text) ? Number(text) : text);

function effectFrom(fields: CommandFields): FaultEffect {
  const kind = textField(fields, "kind") as FaultEffect["kind"];
  if (kind === "status") return { kind, status: Number(textField(fields, "status") || 503) };
  return kind === "latency" ? { kind, ms: Number(textField(fields, "ms") || 2_000) } : { kind };
}

/** Everything that can be done to a running sandbox, by the name under which the page posts it. */
export const COMMANDS = {
  pay: define({
    summary: "Starts a payment, as the merchant's server does.",
    fields: ["amount", "phone", "account_reference", "description"],
    act: ({ sandbox, callService }, fields) => {
      const phone = textField(fields, "phone");
      const { reference } = callService("POST", "/mobile-money/payment/initiate", {
        amount: numberOrText(textField(fields, "amount")),
        phone,
        account_reference: textField(fields, "account_reference") || undefined,
        description: textField(fields, "description") || undefined,
      });
      return { number: sandbox.phone(phone).number, reference: String(reference) };
    },
    message: ({ number }) => `A prompt was sent to ${localFormat(number)}.`,
  }),
  ...PHONE_COMMANDS,
  clock: define({
    summary: "Advances the clock: prompts expire, deliveries are retried, invoices fall due.",
    path: "/clock/advance",
    fields: ["by"],
    act: async ({ sandbox, clock }, fields) => {
      const { by } = fields;
      await sandbox.clock.advance(typeof by === "number" ? by : textField(fields, "by"));
      return { now: formatTimestamp(sandbox.clock.now().getTime()), clock };
    },
    message: ({ now }) => `The time is now ${now.slice(11, 19)}.`,
  }),
  "deliveries/resend": define({
    summary: "Sends a delivery again, now, with the same body and signature.",
    path: "/deliveries/{id}/resend",
    fields: ["id"],
    act: ({ sandbox }, fields) => sandbox.deliveries.resend(textField(fields, "id")),
    message: ({ attempts }) => {
      const { status, error } = attempts.at(-1) ?? {};
      return status === undefined
        ? `Sent again, and there was no response: ${error}.`
        : `Sent again, and the receiver returned ${status}.`;
    },
  }),
  "webhooks/register": define({
    summary: "Registers a receiver for every kind of event.",
    fields: ["url"],
    act: ({ callService }, fields) =>
      callService("POST", "/webhooks/register", {
        name: "page",
        url: textField(fields, "url"),
        events: EVENT_KINDS,
      }),
    message: () => "Registered. The next event is sent there.",
  }),
  "webhooks/remove": define({
    summary: "Removes a receiver.",
    fields: ["id"],
    act: ({ callService }, fields) =>
      callService("DELETE", `/webhooks/${encodeURIComponent(textField(fields, "id"))}`),
    message: () => "Removed.",
  }),
  "faults/add": define({
    summary: "Adds a fault to the requests that match.",
    fields: ["kind", "endpoint", "status", "ms", "after", "times"],
    act: ({ sandbox }, fields) => {
      const endpoint = textField(fields, "endpoint") as EndpointName | "";
      const times = textField(fields, "times");
      sandbox.faults.add({
        match: endpoint === "" ? {} : { endpoint },
        effect: effectFrom(fields),
        after: Number(textField(fields, "after") || 0),
        times: times === "always" ? Number.POSITIVE_INFINITY : Number(times || 1),
      });
      return {};
    },
    message: () => "The fault is active.",
  }),
  "faults/clear": define({
    summary: "Ends all faults.",
    fields: [],
    act: ({ sandbox }) => {
      sandbox.faults.clear();
      return {};
    },
    message: () => "All faults are cleared.",
  }),
  chaos: define({
    summary: "Starts random faults at the given rates.",
    fields: [...CHAOS_NAMES, "seed"],
    act: ({ sandbox }, fields) => {
      const rates = CHAOS_NAMES.map((name) => [name, Number(textField(fields, name))]);
      return sandbox.chaos({ ...Object.fromEntries(rates), seed: textField(fields, "seed") });
    },
    message: ({ seed }) => `Chaos has started with the seed ${seed}.`,
  }),
  "chaos/end": define({
    summary: "Ends random faults.",
    fields: [],
    act: ({ sandbox }) => sandbox.chaos({}),
    message: () => "Chaos has ended.",
  }),
  reset: define({
    summary: "Deletes everything: the sandbox is as it was at its start.",
    fields: [],
    act: ({ sandbox }) => {
      sandbox.reset();
      return {};
    },
    message: () => "The sandbox was reset.",
  }),
} as const;

export type CommandName = keyof typeof COMMANDS;

/** What a command gives. */
export type CommandResult<Name extends CommandName> = Awaited<
  ReturnType<(typeof COMMANDS)[Name]["act"]>
>;

export const isCommandName = (name: string): name is CommandName => Object.hasOwn(COMMANDS, name);

/** A request to the control API. The path is the one below {@link CONTROL_PREFIX}. */
export interface ControlRequest {
  readonly method: "POST";
  readonly path: string;
  readonly body?: Readonly<Record<string, string>>;
}

/** The request that runs a command: fields that its path names are in the path, others in the body. */
export function commandRequest(
  name: CommandName,
  fields: Readonly<Record<string, string>>,
): ControlRequest {
  const { path }: Command = COMMANDS[name];
  if (path === undefined) throw new Error(`The control API has no command "${name}".`);
  const inBody = Object.entries(fields).filter(([field]) => !path.includes(`{${field}}`));
  return {
    method: "POST",
    path: path.replace(/\{(\w+)\}/g, (_, field) => encodeURIComponent(fields[field] ?? "")),
    ...(inBody.length > 0 && { body: Object.fromEntries(inBody) }),
  };
}
