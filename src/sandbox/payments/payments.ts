import { ASSUMPTIONS } from "../assumptions.ts";
import { dropTimer } from "../clock/timer-queue.ts";
import { nextName } from "../state/random.ts";
import type { AutoAnswer, StoredPayment, StoredPhone } from "../state/records.ts";
import { newPhone } from "../state/state.ts";
import { indexPayment, nextId, type World } from "../state/world.ts";
import { payInvoice } from "./invoices.ts";
import { MERCHANT } from "./merchant.ts";
import { formatAmount } from "./money.ts";
import { FAILURES, type FailureName, magicOutcome, type PromptOutcome } from "./outcomes.ts";

/** What a payment is started with, checked. */
export interface NewPayment {
  readonly cents: number;
  /** 2547... or 2541... */
  readonly phone: string;
  readonly account_reference: string;
  readonly description: string;
}

/** The phone of a number; every number has one. */
export function phoneRecord({ state }: World, phone: string): StoredPhone {
  state.phones[phone] ??= newPhone();
  return state.phones[phone];
}

const STANDING: Readonly<Record<AutoAnswer, PromptOutcome | undefined>> = {
  approve: "approve",
  cancel: "cancelled",
  wrongPin: "wrongPin",
  ignore: "ignore",
  ask: undefined,
};

/** What the customer will do without being asked. */
function answerByItself(
  world: World,
  phone: string,
  { autoAnswer: standing }: StoredPhone,
): PromptOutcome | undefined {
  if (standing !== undefined) return STANDING[standing];
  if (world.auto === "approve") return "approve";
  return world.auto === "magic" ? magicOutcome(phone) : undefined;
}

/** The customer decides anew: what was meant to become of the open prompt no longer holds. */
export function rescheduleAnswer(world: World, phone: string): void {
  const { prompt } = phoneRecord(world, phone);
  dropTimer(world.state.timers, (task) => task.kind === "answer" && task.reference === prompt);
  scheduleAnswer(world, phone);
}

/** Lets the customer answer the open prompt by itself, where that is the phone's way. */
function scheduleAnswer(world: World, phone: string): void {
  const stored = phoneRecord(world, phone);
  if (stored.prompt === undefined) return;
  const answer = answerByItself(world, phone, stored);
  if (answer === undefined) return;
  world.clock.schedule(ASSUMPTIONS.autoAnswerDelay.value, {
    kind: "answer",
    reference: stored.prompt,
    outcome: answer,
  });
}

/** Starts a payment: prompts the phone, or fails at once where it shows a prompt already. */
export function startPayment(world: World, order: NewPayment): StoredPayment {
  const { state } = world;
  const phone = phoneRecord(world, order.phone);
  const busy = phone.prompt !== undefined;
  const random = world.state.random;
  const payment: StoredPayment = {
    payment_id: nextId(world),
    merchant_id: MERCHANT.merchant_id,
    reference: `PAY-${nextName(random, "receipt", 12)}`,
    currency: MERCHANT.currency,
    status: "pending",
    createdAt: world.clock.ms(),
    ...order,
    ...(busy ? {} : { checkout_request_id: `ws_CO_${nextName(random, "digits", 20)}` }),
  };
  state.payments.push(payment);
  indexPayment(world, payment);
  world.emit("payment.initiated", paymentView(payment));
  if (busy) {
    fail(world, payment, "anotherPrompt");
  } else {
    phone.prompt = payment.reference;
    scheduleAnswer(world, order.phone);
    world.clock.schedule(ASSUMPTIONS.promptLifetime.value, {
      kind: "expire",
      reference: payment.reference,
    });
  }
  return payment;
}

function settle(world: World, payment: StoredPayment, change: Partial<StoredPayment>): void {
  const phone = phoneRecord(world, payment.phone);
  if (phone.prompt === payment.reference) delete phone.prompt;
  Object.assign(payment, change, { settledAt: world.clock.ms() });
}

function fail(world: World, payment: StoredPayment, cause: FailureName): void {
  const { code, reason, userMessage, retryPossible } = FAILURES[cause];
  const failure = { reason: `${code}: ${reason}`, userMessage, retryPossible };
  settle(world, payment, { status: "failed", failure });
  world.emit("payment.failed", failedData(payment));
}

function complete(world: World, payment: StoredPayment): void {
  const phone = phoneRecord(world, payment.phone);
  if (phone.balanceCents < payment.cents) {
    fail(world, payment, "insufficientBalance");
    return;
  }
  phone.balanceCents -= payment.cents;
  const transaction_id = nextName(world.state.random, "receipt", 10);
  settle(world, payment, { status: "completed", transaction_id });
  world.emit("payment.completed", paymentView(payment));
  payInvoice(world, payment);
}

/** Ends an open prompt. What is settled never changes. */
export function answerPrompt(world: World, payment: StoredPayment, answer: PromptOutcome): void {
  if (payment.status !== "pending") return;
  if (answer === "approve") complete(world, payment);
  else if (answer === "ignore") payment.ignored = true;
  else fail(world, payment, answer);
}

/** The customer's own answer falls due: unless the phone is off, or was put away. */
export function answerWhenDue(world: World, reference: string, answer: PromptOutcome): void {
  const payment = world.payments.get(reference);
  if (payment === undefined || payment.ignored || !phoneRecord(world, payment.phone).on) return;
  answerPrompt(world, payment, answer);
}

/** A prompt's time is over. */
export function expirePrompt(world: World, reference: string): void {
  const payment = world.payments.get(reference);
  if (payment !== undefined) answerPrompt(world, payment, "unreachable");
}

/** A payment as a read gives it, and as `payment.completed` carries it: the documented fields. */
export function paymentView(payment: StoredPayment): Record<string, unknown> {
  const { transaction_id, failure } = payment;
  return {
    payment_id: payment.payment_id,
    merchant_id: payment.merchant_id,
    reference: payment.reference,
    amount: formatAmount(payment.cents),
    currency: payment.currency,
    phone: payment.phone,
    status: payment.status,
    account_reference: payment.account_reference,
    ...(payment.checkout_request_id && { checkout_request_id: payment.checkout_request_id }),
    ...(transaction_id && {
      transaction_id,
      provider_transaction_id: transaction_id,
      provider_reference: "The service request is processed successfully.",
      payer_name: "SANDBOX CUSTOMER",
    }),
    ...(failure && failureFields(failure)),
  };
}

const failureFields = (failure: NonNullable<StoredPayment["failure"]>) => ({
  failure_reason: failure.reason,
  user_message: failure.userMessage,
  retry_possible: failure.retryPossible,
});

/** `data` of `payment.failed`, section 6.4: fewer fields than a read. */
function failedData({ payment_id, reference, cents, status, failure }: StoredPayment): object {
  return {
    payment_id,
    reference,
    amount: formatAmount(cents),
    status,
    ...(failure && failureFields(failure)),
  };
}
