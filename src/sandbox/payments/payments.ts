import { ASSUMPTIONS } from "../assumptions.ts";
import { cancelTimer } from "../clock/timer-queue.ts";
import {
  FAILURES,
  type FailureName,
  magicOutcome,
  type PromptOutcome,
} from "../state/prompt-outcomes.ts";
import { nextName } from "../state/random.ts";
import type { AutoAnswer, StoredPayment, StoredPhone } from "../state/records.ts";
import { newPhone } from "../state/state.ts";
import { indexPayment, type World } from "../world.ts";
import { payInvoice } from "./invoices.ts";
import { MERCHANT } from "./merchant.ts";

/** The checked fields of a request for a payment. */
export interface NewPayment {
  readonly cents: number;
  /** 2547... or 2541... */
  readonly phone: string;
  readonly account_reference: string;
  readonly description: string;
}

/** The stored phone of a number. Every number has one: it is stored at the first use. */
export function phoneRecord({ state }: World, phone: string): StoredPhone {
  state.phones[phone] ??= newPhone();
  return state.phones[phone];
}

const AUTO_ANSWERS: Readonly<Record<AutoAnswer, PromptOutcome | undefined>> = {
  approve: "approve",
  cancel: "cancelled",
  wrongPin: "wrongPin",
  ignore: "ignore",
  ask: undefined,
};

/** How a phone answers a prompt automatically, if it does. */
function automaticOutcome(
  { auto }: World,
  phone: string,
  { autoAnswer }: StoredPhone,
): PromptOutcome | undefined {
  if (autoAnswer !== undefined) return AUTO_ANSWERS[autoAnswer];
  if (auto === "approve") return "approve";
  return auto === "magic" ? magicOutcome(phone) : undefined;
}

/** Replaces the scheduled answer of the open prompt, after the phone's automatic answer changed. */
export function rescheduleAnswer(world: World, phone: string): void {
  const { prompt } = phoneRecord(world, phone);
  cancelTimer(world.state.timers, (task) => task.kind === "answer" && task.reference === prompt);
  scheduleAnswer(world, phone);
}

function scheduleAnswer(world: World, phone: string): void {
  const stored = phoneRecord(world, phone);
  if (stored.prompt === undefined) return;
  const outcome = automaticOutcome(world, phone, stored);
  if (outcome === undefined) return;
  world.clock.schedule(ASSUMPTIONS.autoAnswerDelay.value, {
    kind: "answer",
    reference: stored.prompt,
    outcome,
  });
}

/** Starts a payment: sends a prompt to the phone, or fails at once if another prompt is open. */
export function startPayment(world: World, request: NewPayment): StoredPayment {
  const { state } = world;
  const phone = phoneRecord(world, request.phone);
  const isBusy = phone.prompt !== undefined;
  const payment: StoredPayment = {
    payment_id: state.nextId++,
    merchant_id: MERCHANT.merchant_id,
    reference: world.speech.newId("reference", state),
    currency: MERCHANT.currency,
    status: "pending",
    createdAt: world.clock.ms(),
    ...request,
    ...(isBusy ? {} : { checkout_request_id: world.speech.newId("checkout", state) }),
  };
  state.payments.push(payment);
  indexPayment(world, payment);
  world.emit("payment.initiated", payment);
  if (isBusy) fail(world, payment, "anotherPrompt");
  else openPrompt(world, phone, payment);
  return payment;
}

function openPrompt(world: World, phone: StoredPhone, payment: StoredPayment): void {
  phone.prompt = payment.reference;
  scheduleAnswer(world, payment.phone);
  world.clock.schedule(ASSUMPTIONS.promptLifetime.value, {
    kind: "expire",
    reference: payment.reference,
  });
}

/** Gives a payment its final status. It never changes afterwards. */
function finish(world: World, payment: StoredPayment, change: Partial<StoredPayment>): void {
  const phone = phoneRecord(world, payment.phone);
  if (phone.prompt === payment.reference) delete phone.prompt;
  Object.assign(payment, change, { finalAt: world.clock.ms() });
}

function fail(world: World, payment: StoredPayment, cause: FailureName): void {
  const { code, reason, userMessage, retryPossible } = FAILURES[cause];
  const failure = { reason: `${code}: ${reason}`, userMessage, retryPossible };
  finish(world, payment, { status: "failed", failure });
  world.emit("payment.failed", payment);
}

function complete(world: World, payment: StoredPayment): void {
  const phone = phoneRecord(world, payment.phone);
  if (phone.balanceCents < payment.cents) {
    fail(world, payment, "insufficientBalance");
    return;
  }
  phone.balanceCents -= payment.cents;
  const transaction_id = nextName(world.state.random, "receipt", 10);
  finish(world, payment, { status: "completed", transaction_id });
  world.emit("payment.completed", payment);
  payInvoice(world, payment);
}

/** Answers an open prompt. Does nothing to a payment with a final status. */
export function answerPrompt(world: World, payment: StoredPayment, outcome: PromptOutcome): void {
  if (payment.status !== "pending") return;
  if (outcome === "approve") complete(world, payment);
  else if (outcome === "ignore") payment.ignored = true;
  else fail(world, payment, outcome);
}

/** Runs a scheduled answer, unless the phone is off or the customer ignores the prompt. */
export function answerWhenDue(world: World, reference: string, outcome: PromptOutcome): void {
  const payment = world.payments.get(reference);
  if (payment === undefined || payment.ignored || !phoneRecord(world, payment.phone).on) return;
  answerPrompt(world, payment, outcome);
}

export function expirePrompt(world: World, reference: string): void {
  const payment = world.payments.get(reference);
  if (payment !== undefined) answerPrompt(world, payment, "unreachable");
}
