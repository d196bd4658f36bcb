import { ConfigurationError } from "../../errors/configuration.ts";
import { ASSUMPTIONS } from "../assumptions.ts";
import { formatTimestamp } from "../clock/time.ts";
import { notifyChanged } from "../observe/watch.ts";
import type { AutoAnswer, StoredPayment } from "../state/records.ts";
import { newPhone } from "../state/state.ts";
import type { World } from "../state/world.ts";
import { formatAmount, parseAmount } from "./money.ts";
import type { PromptOutcome } from "./outcomes.ts";
import { answerPrompt, paymentView, phoneRecord, rescheduleAnswer } from "./payments.ts";
import { kenyanMobile } from "./phone-number.ts";

/** What stands on a phone's screen. */
export interface Prompt {
  readonly reference: string;
  readonly checkout_request_id: string;
  readonly amount: string;
  readonly currency: string;
  readonly account_reference: string;
  readonly description: string;
  /** When it goes away by itself, with offset. */
  readonly expires_at: string;
}

/** A payment as `payments.get` gives it. */
export type SandboxPayment = Readonly<Record<string, unknown>> & {
  readonly reference: string;
  readonly status: "pending" | "completed" | "failed";
};

/**
 * A customer's phone. The first four methods answer the open prompt, at once and synchronously, and
 * throw a `ConfigurationError` where there is none.
 */
export interface Phone {
  /** In international digits. */
  readonly number: string;
  /** The open prompt, if there is one. */
  readonly prompt: Prompt | undefined;
  /** What is on the account: `"100000.00"` at first. */
  readonly balance: string;
  /** Enters the PIN: pays where the balance suffices, and fails the payment where it does not. */
  approve(): SandboxPayment;
  /** Declines. */
  cancel(): SandboxPayment;
  /** Enters a wrong PIN, which fails the payment. */
  enterWrongPin(): SandboxPayment;
  /** Puts the phone away: nothing more will come, and the prompt expires. */
  ignore(): SandboxPayment;
  /** How the phone answers every prompt from now on, 3 s after it; `"ask"` waits for the methods. */
  always(answer: AutoAnswer): void;
  /** A phone that is off answers nothing; its prompts expire. */
  switchOff(): void;
  /** Prompts reach the phone again. */
  switchOn(): void;
  /** What the customer has from now on, such as `"50.00"`. */
  setBalance(amount: string | number): void;
}

const STANDING_ANSWERS = ["approve", "cancel", "wrongPin", "ignore", "ask"];

export function createPhone(world: () => World, number: string): Phone {
  const digits = kenyanMobile(String(number));
  if (digits === undefined) {
    throw new ConfigurationError(
      `${JSON.stringify(number)} is no Kenyan mobile number. Write it as 0712345678 or +254712345678.`,
    );
  }
  const phone = () => phoneRecord(world(), digits);
  const touched = () => notifyChanged(world().watchers);
  // Looking must not change the world: a phone is stored once something happens to it.
  const seen = () => world().state.phones[digits] ?? newPhone();
  const open = (): StoredPayment | undefined => world().payments.get(seen().prompt ?? "");

  function act(answer: PromptOutcome): SandboxPayment {
    const payment = open();
    if (payment === undefined) {
      throw new ConfigurationError(`${digits} shows no prompt. Initiate a payment to it first.`);
    }
    if (!seen().on) {
      throw new ConfigurationError(`${digits} is off and shows nothing. Call switchOn() first.`);
    }
    if (payment.ignored) {
      throw new ConfigurationError(
        `${digits} was put away: nothing more comes, the prompt expires.`,
      );
    }
    answerPrompt(world(), payment, answer);
    touched();
    return paymentView(payment) as SandboxPayment;
  }

  return {
    number: digits,
    get prompt() {
      const payment = open();
      if (payment === undefined) return undefined;
      const { reference, checkout_request_id = "", cents, currency, createdAt } = payment;
      return {
        reference,
        checkout_request_id,
        amount: formatAmount(cents),
        currency,
        account_reference: payment.account_reference,
        description: payment.description,
        expires_at: formatTimestamp(createdAt + ASSUMPTIONS.promptLifetime.value),
      };
    },
    get balance() {
      return formatAmount(seen().balanceCents);
    },
    approve: () => act("approve"),
    cancel: () => act("cancelled"),
    enterWrongPin: () => act("wrongPin"),
    ignore: () => act("ignore"),
    always: (answer) => {
      if (!STANDING_ANSWERS.includes(answer)) {
        throw new ConfigurationError(
          `A phone cannot always ${JSON.stringify(answer)}. It can ${STANDING_ANSWERS.join(", ")}.`,
        );
      }
      phone().autoAnswer = answer;
      rescheduleAnswer(world(), digits);
      touched();
    },
    switchOff: () => {
      phone().on = false;
      touched();
    },
    switchOn: () => {
      phone().on = true;
      touched();
    },
    setBalance: (amount) => {
      const cents = parseAmount(amount);
      if (cents === undefined) {
        throw new ConfigurationError(
          `${JSON.stringify(amount)} is no balance. Write it as "50.00".`,
        );
      }
      phone().balanceCents = cents;
      touched();
    },
  };
}
