import { ConfigurationError } from "../../errors/configuration.ts";
import type { Phone, SandboxPayment } from "../payments/phone.ts";
import type { AutoAnswer } from "../state/sandbox-records.ts";
import {
  type Command,
  type CommandFields,
  defineCommand,
  type FieldName,
} from "./define-command.ts";

/** The result of a command on a phone: the number in international digits, and what changed. */
interface PhoneResult {
  readonly number: string;
  readonly payment?: SandboxPayment;
  readonly balance?: string;
}

interface PhoneCommand<Name extends FieldName> {
  readonly summary: string;
  /** The last word of its path in the control API. */
  readonly path?: string;
  /** What it takes beside the number and the reference of the prompt: all of it is required. */
  readonly fields?: readonly Name[];
  readonly example?: { readonly [One in Name]: unknown };
  act(phone: Phone, fields: CommandFields<Name>): Omit<PhoneResult, "number">;
  message(result: PhoneResult): string;
}

/** A form names the prompt that it was drawn for, so that it never answers another one. */
function checkPrompt(phone: Phone, reference: string): void {
  if (reference === "" || reference === phone.prompt?.reference) return;
  throw new ConfigurationError("That prompt is closed. The phone shows what is open now.");
}

const phoneCommand = <Name extends FieldName = never>({
  path,
  fields: own = [],
  act,
  ...command
}: PhoneCommand<Name>): Command<PhoneResult> =>
  defineCommand<FieldName, PhoneResult>({
    ...command,
    ...(path !== undefined && { path: `/phones/{number}/${path}` }),
    fields: ["number", "reference", ...own],
    required: own,
    act: ({ sandbox }, fields) => {
      const phone = sandbox.phone(fields.number);
      checkPrompt(phone, fields.reference);
      return { number: phone.number, ...act(phone, fields) };
    },
  });

const approvalMessage = ({ payment }: PhoneResult) =>
  payment?.status === "completed" ? "Paid." : `Not paid: ${String(payment?.user_message)}`;

export const PHONE_COMMANDS = {
  "phone/approve": phoneCommand({
    summary: "Enters the PIN: pays the open prompt.",
    path: "approve",
    act: (phone) => ({ payment: phone.approve() }),
    message: approvalMessage,
  }),
  "phone/pin": phoneCommand({
    summary: "Enters a PIN of four digits: pays the open prompt.",
    fields: ["pin"],
    act: (phone, { pin }) => {
      if (/^\d{4}$/.test(pin)) return { payment: phone.approve() };
      throw new ConfigurationError("A PIN has four digits. Any four digits pay.");
    },
    message: approvalMessage,
  }),
  "phone/cancel": phoneCommand({
    summary: "Declines the open prompt.",
    path: "cancel",
    act: (phone) => ({ payment: phone.cancel() }),
    message: () => "Cancelled on the phone.",
  }),
  "phone/wrong-pin": phoneCommand({
    summary: "Enters a wrong PIN, which fails the payment.",
    path: "wrong-pin",
    act: (phone) => ({ payment: phone.enterWrongPin() }),
    message: () => "A wrong PIN was entered.",
  }),
  "phone/ignore": phoneCommand({
    summary: "Ignores the open prompt, which then expires.",
    path: "ignore",
    act: (phone) => ({ payment: phone.ignore() }),
    message: () => "Ignored. The prompt will expire.",
  }),
  "phone/off": phoneCommand({
    summary: "Switches the phone off: its prompts expire.",
    path: "off",
    act: (phone) => {
      phone.switchOff();
      return {};
    },
    message: () => "The phone is off.",
  }),
  "phone/on": phoneCommand({
    summary: "Switches the phone on again.",
    path: "on",
    act: (phone) => {
      phone.switchOn();
      return {};
    },
    message: () => "The phone is on.",
  }),
  "phone/balance": phoneCommand({
    summary: "Sets the balance of the customer's account.",
    path: "balance",
    fields: ["balance"],
    example: { balance: "1500.00" },
    act: (phone, { balance }) => {
      phone.setBalance(balance);
      return { balance: phone.balance };
    },
    message: ({ balance }) => `The balance is ${balance}.`,
  }),
  "phone/always": phoneCommand({
    summary: "Sets how the phone answers every prompt.",
    path: "auto-answer",
    fields: ["answer"],
    example: { answer: "cancel" },
    act: (phone, { answer }) => {
      // No choice was made: the phone goes on as the sandbox was started.
      if (answer !== "") phone.always(answer as AutoAnswer);
      return {};
    },
    message: () => "The auto-answer is set.",
  }),
} as const;
