import { countryByPrefix } from "../../contract/countries.ts";
import { ASSUMPTIONS } from "../assumptions.ts";
import { cancelTimer } from "../clock.ts";
import { indexPayment, type SandboxState } from "../sandbox-state.ts";
import {
  FAILURES,
  type FailureName,
  magicOutcome,
  type PromptOutcome,
} from "../state/prompt-outcomes.ts";
import { nextName } from "../state/random.ts";
import type { AutoAnswer } from "../state/sandbox-records.ts";
import { MERCHANT, merchantOf, newPhone } from "../state/state.ts";
import type { StoredPayment, StoredPhone } from "../state/stored.ts";
import { payInvoice } from "./sandbox-invoices.ts";

/** The fields of a payment that the merchant sets. The phone is in international digits. */
export type NewPayment = Pick<
  StoredPayment,
  "cents" | "phone" | "account_reference" | "description" | "payment_account_id"
>;

/** The stored phone of a number. Every number has one: it is stored at the first use. */
export function phoneRecord({ state }: SandboxState, phone: string): StoredPhone {
  state.phones[phone] ??= newPhone();
  return state.phones[phone];
}

const { value: ANSWER_DELAY_MS } = ASSUMPTIONS.autoAnswerDelay;
const { value: PROMPT_LIFETIME_MS } = ASSUMPTIONS.promptLifetime;

const OUTCOMES: Readonly<Record<AutoAnswer | "none", PromptOutcome | undefined>> = {
  approve: "approve",
  cancel: "cancelled",
  wrongPin: "wrongPin",
  ignore: "ignore",
  ask: undefined,
  none: undefined,
};

/** Replaces the scheduled answer of the open prompt, after the phone's automatic answer changed. */
export function rescheduleAnswer(sandboxState: SandboxState, phone: string): void {
  const { timers } = sandboxState.state;
  const { prompt } = phoneRecord(sandboxState, phone);
  cancelTimer(timers, (task) => task.kind === "answer" && task.reference === prompt);
  scheduleAnswer(sandboxState, phone);
}

/** Schedules the automatic answer to the open prompt, if there are both. */
function scheduleAnswer(sandboxState: SandboxState, phone: string): void {
  const { settings, clock } = sandboxState;
  const { prompt: reference, autoAnswer = settings.auto } = phoneRecord(sandboxState, phone);
  const outcome = autoAnswer === "magic" ? magicOutcome(phone) : OUTCOMES[autoAnswer];
  if (reference === undefined || outcome === undefined) return;
  clock.schedule(ANSWER_DELAY_MS, { kind: "answer", reference, outcome });
}

/** A payment with its ids, which is not stored yet. */
export function newPayment(
  { state, clock, serializer, settings }: SandboxState,
  request: NewPayment,
): StoredPayment {
  return {
    payment_id: state.nextId++,
    merchant_id: MERCHANT.merchant_id,
    reference: serializer.newId("reference", state),
    // A phone of another country is charged in its own currency.
    currency: countryByPrefix(request.phone)?.currency ?? merchantOf(settings).currency,
    status: "pending",
    createdAt: clock.ms(),
    ...request,
  };
}

/** Starts a payment: sends a prompt to the phone, or fails at once if another prompt is open. */
export function startPayment(sandboxState: SandboxState, request: NewPayment): StoredPayment {
  const { state } = sandboxState;
  const phone = phoneRecord(sandboxState, request.phone);
  const isBusy = phone.prompt !== undefined;
  const payment: StoredPayment = {
    ...newPayment(sandboxState, request),
    ...(isBusy ? {} : { checkout_request_id: sandboxState.serializer.newId("checkout", state) }),
  };
  state.payments.push(payment);
  indexPayment(sandboxState.payments, payment);
  sandboxState.deliveries.emit("payment.initiated", payment);
  if (isBusy) fail(sandboxState, payment, "anotherPrompt");
  else openPrompt(sandboxState, phone, payment);
  return payment;
}

function openPrompt(sandboxState: SandboxState, phone: StoredPhone, payment: StoredPayment): void {
  const { reference } = payment;
  phone.prompt = reference;
  scheduleAnswer(sandboxState, payment.phone);
  sandboxState.clock.schedule(PROMPT_LIFETIME_MS, { kind: "expire", reference });
}

/** Sets the final status of a payment. It never changes afterwards. */
function finish(
  sandboxState: SandboxState,
  payment: StoredPayment,
  change: Partial<StoredPayment>,
): void {
  const phone = phoneRecord(sandboxState, payment.phone);
  if (phone.prompt === payment.reference) delete phone.prompt;
  Object.assign(payment, change, { finalAt: sandboxState.clock.ms() });
}

function fail(sandboxState: SandboxState, payment: StoredPayment, cause: FailureName): void {
  finish(sandboxState, payment, { status: "failed", failure: FAILURES[cause] });
  sandboxState.deliveries.emit("payment.failed", payment);
}

function complete(sandboxState: SandboxState, payment: StoredPayment): void {
  const phone = phoneRecord(sandboxState, payment.phone);
  if (phone.balanceCents < payment.cents) {
    fail(sandboxState, payment, "insufficientBalance");
    return;
  }
  phone.balanceCents -= payment.cents;
  const transaction_id = nextName(sandboxState.state.random, "receipt", 10);
  finish(sandboxState, payment, { status: "completed", transaction_id });
  sandboxState.deliveries.emit("payment.completed", payment);
  payInvoice(sandboxState, payment);
}

/** Answers an open prompt. Does nothing to a payment with a final status. */
export function answerPrompt(
  sandboxState: SandboxState,
  payment: StoredPayment,
  outcome: PromptOutcome,
): void {
  if (payment.status !== "pending") return;
  if (outcome === "approve") complete(sandboxState, payment);
  else if (outcome === "ignore") payment.ignored = true;
  else fail(sandboxState, payment, outcome);
}

/** Runs a scheduled answer, unless the phone is off or the customer ignores the prompt. */
export function answerWhenDue(
  sandboxState: SandboxState,
  reference: string,
  outcome: PromptOutcome,
): void {
  const payment = sandboxState.payments.get(reference);
  if (payment === undefined || payment.ignored || !phoneRecord(sandboxState, payment.phone).on)
    return;
  answerPrompt(sandboxState, payment, outcome);
}

export function expirePrompt(sandboxState: SandboxState, reference: string): void {
  const payment = sandboxState.payments.get(reference);
  if (payment !== undefined) answerPrompt(sandboxState, payment, "unreachable");
}
