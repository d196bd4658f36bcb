import { ConfigurationError } from "../../errors/configuration.ts";
import { checkChoice } from "../../internal/check-options.ts";
import { ASSUMPTIONS } from "../assumptions.ts";
import { formatTimestamp } from "../clock.ts";
import type { SandboxState } from "../sandbox-state.ts";
import { paymentView } from "../serializer/assumed.ts";
import { formatAmount, mobileExpected, mobileNumber, parseAmount } from "../state/notation.ts";
import type { PromptOutcome } from "../state/prompt-outcomes.ts";
import { AUTO_ANSWERS, type AutoAnswer } from "../state/sandbox-records.ts";
import { newPhone } from "../state/state.ts";
import type { StoredPayment, StoredPhone } from "../state/stored.ts";
import { answerPrompt, phoneRecord, rescheduleAnswer } from "./sandbox-payments.ts";

/** What a phone's screen shows. */
export interface Prompt {
  readonly reference: string;
  readonly checkout_request_id: string;
  readonly amount: string;
  readonly currency: string;
  readonly account_reference: string;
  readonly description: string;
  /** When it expires: ISO 8601 with an offset. */
  readonly expires_at: string;
}

/** A payment as `payments.get` returns it. */
export type SandboxPayment = Readonly<Record<string, unknown>> & {
  readonly reference: string;
  readonly status: "pending" | "completed" | "failed";
};

/**
 * A customer's phone. `approve`, `cancel`, `enterWrongPin` and `ignore` answer the open prompt at once
 * and synchronously, and throw a `ConfigurationError` if there is none.
 */
export interface Phone {
  /** The number in international digits. */
  readonly number: string;
  /** The open prompt, if there is one. */
  readonly prompt: Prompt | undefined;
  /** The customer's balance: `"100000.00"` at first. */
  readonly balance: string;
  /** Enters the PIN: pays if the balance is enough, otherwise the payment fails. */
  approve(): SandboxPayment;
  /** Declines the prompt: the payment fails. */
  cancel(): SandboxPayment;
  /** Enters a wrong PIN: the payment fails. */
  enterWrongPin(): SandboxPayment;
  /** Ignores the prompt: it expires, and nothing else can happen to it. */
  ignore(): SandboxPayment;
  /** Answers every prompt in this way from now on, 3 s after it was sent; `"ask"` waits for a call. */
  always(answer: AutoAnswer): void;
  /** Switches the phone off: it answers nothing, and its prompts expire. */
  switchOff(): void;
  /** Switches the phone on: prompts reach it again. */
  switchOn(): void;
  /** Sets the customer's balance, such as `"50.00"`. */
  setBalance(amount: string | number): void;
}

/** Reading must not change the state: a phone is stored only once something happens to it. */
const readPhone = ({ state }: SandboxState, number: string): Readonly<StoredPhone> =>
  state.phones[number] ?? newPhone();

const openPayment = (sandboxState: SandboxState, number: string): StoredPayment | undefined =>
  sandboxState.payments.get(readPhone(sandboxState, number).prompt ?? "");

function promptOf({ reference, checkout_request_id = "", ...payment }: StoredPayment): Prompt {
  return {
    reference,
    checkout_request_id,
    amount: formatAmount(payment.cents),
    currency: payment.currency,
    account_reference: payment.account_reference,
    description: payment.description,
    expires_at: formatTimestamp(payment.createdAt + ASSUMPTIONS.promptLifetime.value),
  };
}

function answerOpenPrompt(
  sandboxState: SandboxState,
  number: string,
  outcome: PromptOutcome,
): SandboxPayment {
  const payment = openPayment(sandboxState, number);
  if (payment === undefined) {
    throw new ConfigurationError(
      `${number} shows no prompt. Initiate a payment to it first. A number of another country needs its code: +256 772 345 678.`,
    );
  }
  if (!readPhone(sandboxState, number).on) {
    throw new ConfigurationError(`${number} is switched off. Call switchOn() first.`);
  }
  if (payment.ignored) {
    throw new ConfigurationError(
      `The customer of ${number} ignores this prompt. Move the clock until it expires.`,
    );
  }
  answerPrompt(sandboxState, payment, outcome);
  sandboxState.changed();
  return paymentView(payment) as SandboxPayment;
}

function changePhone(
  sandboxState: SandboxState,
  number: string,
  change: Partial<StoredPhone>,
): void {
  Object.assign(phoneRecord(sandboxState, number), change);
  if (change.autoAnswer !== undefined) rescheduleAnswer(sandboxState, number);
  sandboxState.changed();
}

function checkBalance(amount: string | number): number {
  const cents = parseAmount(amount);
  if (cents !== undefined) return cents;
  throw new ConfigurationError(
    `A balance must be an amount of 0 or more with at most two decimals, such as "50.00"; got ${JSON.stringify(amount)}.`,
  );
}

/** @throws {ConfigurationError} for anything but the number of a mobile phone. */
export function createPhone(sandboxState: SandboxState, given: string): Phone {
  const { country } = sandboxState.settings;
  const number = mobileNumber(String(given), country);
  if (number === undefined) {
    throw new ConfigurationError(
      `${JSON.stringify(given)} is not the number of a mobile phone: ${mobileExpected(country)}.`,
    );
  }
  return {
    number,
    get prompt() {
      const payment = openPayment(sandboxState, number);
      return payment && promptOf(payment);
    },
    get balance() {
      return formatAmount(readPhone(sandboxState, number).balanceCents);
    },
    approve: () => answerOpenPrompt(sandboxState, number, "approve"),
    cancel: () => answerOpenPrompt(sandboxState, number, "cancelled"),
    enterWrongPin: () => answerOpenPrompt(sandboxState, number, "wrongPin"),
    ignore: () => answerOpenPrompt(sandboxState, number, "ignore"),
    always: (answer) => {
      checkChoice("answer", answer, AUTO_ANSWERS);
      changePhone(sandboxState, number, { autoAnswer: answer });
    },
    switchOff: () => changePhone(sandboxState, number, { on: false }),
    switchOn: () => changePhone(sandboxState, number, { on: true }),
    setBalance: (amount) =>
      changePhone(sandboxState, number, { balanceCents: checkBalance(amount) }),
  };
}
