import { isWebhookUrl } from "../../contract/webhook.ts";
import { ConfigurationError } from "../../errors/configuration.ts";
import { Semaphore } from "../../internal/semaphore.ts";
import { textDecoder } from "../../internal/utf8.ts";
import { signWebhook } from "../../webhooks/verification/signature.ts";
import { ASSUMPTIONS } from "../assumptions.ts";
import { cancelTimer, clearTimeout, formatTimestamp, setTimeout } from "../clock.ts";
import {
  attemptFaults,
  attemptHeaders,
  attemptSignature,
  planDelivery,
  takeOvertaken,
} from "../faults/chaos.ts";
import type { Deliver, SandboxSettings } from "../sandbox-options.ts";
import type { EventSender, SandboxState } from "../sandbox-state.ts";
import { nextName } from "../state/random.ts";
import type { Delivery, DeliveryAttempt, DeliveryChaos } from "../state/sandbox-records.ts";
import type { EventRecord, State, StoredDelivery } from "../state/stored.ts";
import { countPending, DELIVERY_HEADER, type Deliveries, deliveryView } from "./deliveries.ts";

interface PostResult extends Pick<DeliveryAttempt, "status" | "error"> {
  /** The beginning of the response body. */
  readonly body: string;
}

/** How many bytes of a response body are stored: enough for a message. */
const MAX_STORED_BYTES = 2_048;

/** Sends a body once. Never rejects. */
function post(
  url: string,
  init: Pick<RequestInit, "headers" | "body">,
  { deliver, deliveryTimeoutMs }: SandboxSettings,
): Promise<PostResult> {
  const controller = new AbortController();
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      resolve({ error: `no response within ${deliveryTimeoutMs} ms`, body: "" });
      controller.abort();
    }, deliveryTimeoutMs);
    send(url, { ...init, signal: controller.signal }, deliver)
      .catch((error: unknown): PostResult => ({ error: describeFailure(error), body: "" }))
      .then((result) => {
        clearTimeout(timer);
        resolve(result);
      });
  });
}

async function send(url: string, init: RequestInit, deliver: Deliver): Promise<PostResult> {
  const request = new Request(url, { ...init, method: "POST", redirect: "manual" });
  const response = await deliver(request);
  // Read to its end, so that the connection can be used again.
  const bytes = new Uint8Array(await response.arrayBuffer()).subarray(0, MAX_STORED_BYTES);
  return { status: response.status, body: textDecoder().decode(bytes) };
}

/** `fetch failed: ECONNREFUSED` */
function describeFailure(error: unknown): string {
  const { message, cause } = Object(error) as { message?: unknown; cause?: { code?: unknown } };
  return [message ?? error, cause?.code].filter(Boolean).map(String).join(": ");
}

const { maxConcurrent, maxPending } = ASSUMPTIONS.deliveryQueue.value;

const NOT_NEAR: PostResult = {
  error: "not sent: http: to a private name needs a sandbox in a test network (--network)",
  body: "",
};
const DROPPED: PostResult = { error: "dropped by chaos", body: "" };

const unlessAllowed = (url: string, { testNetwork }: SandboxSettings): PostResult | undefined =>
  isWebhookUrl(url, testNetwork) ? undefined : NOT_NEAR;

interface PlannedAttempt {
  readonly delivery: StoredDelivery;
  readonly faults: readonly DeliveryChaos[];
  /** Decides what comes next. Only attempts of the retry schedule have it. */
  readonly afterwards?: () => void;
}

export class DeliverySender implements Deliveries, EventSender {
  readonly #sandboxState: SandboxState;
  /** The attempts in flight. Those of the retry schedule have the id of their delivery. */
  readonly #inFlight = new Map<Promise<void>, string | undefined>();
  /** Limits the attempts in flight to each address. */
  readonly #semaphores = new Map<string, Semaphore>();
  /** How many deliveries are pending for each address: a receiver may never respond. */
  #pending = new Map<string, number>();

  constructor(sandboxState: SandboxState) {
    this.#sandboxState = sandboxState;
  }

  all(): Delivery[] {
    return this.#sandboxState.state.deliveries.map(deliveryView);
  }

  async settled(): Promise<void> {
    while (this.#inFlight.size > 0) await Promise.all(this.#inFlight.keys());
  }

  async resend(id: string): Promise<Delivery> {
    const delivery = this.#find(id);
    await this.#attempt({ delivery, faults: [] });
    return deliveryView(delivery);
  }

  /** Queues an event for every webhook that lists its kind. The first attempt begins at once. */
  emit(event: string, record: EventRecord): void {
    for (const { url, events } of this.#sandboxState.state.webhooks) {
      if (events.includes(event)) this.#queue(event, record, url);
    }
  }

  /** Queues an event for one address. Resolves when the attempt that this began has ended. */
  async emitTo(url: string, event: string, record: EventRecord): Promise<Delivery> {
    const delivery = this.#queue(event, record, url);
    const [attempt] = [...this.#inFlight].find(([, id]) => id === delivery.id) ?? [];
    await attempt;
    return deliveryView(delivery);
  }

  retry(id: string): void {
    const delivery = this.#find(id);
    if (delivery.state === "pending") this.#attemptOnSchedule(delivery);
  }

  /** Ids of the deliveries with a scheduled attempt in flight, in the order in which those began. */
  inFlight(): string[] {
    return [...this.#inFlight.values()].filter((id) => id !== undefined);
  }

  /** Must be called after the state was replaced: the attempts in flight belong to the old state. */
  restart(): void {
    this.#inFlight.clear();
    this.#pending = countPending(this.#sandboxState.state);
  }

  #find(id: string): StoredDelivery {
    const delivery = this.#sandboxState.state.deliveries.find((one) => one.id === id);
    if (delivery !== undefined) return delivery;
    throw new ConfigurationError(
      `There is no delivery ${JSON.stringify(id)}. sandbox.deliveries.all() and \`malipo events list\` list the deliveries.`,
    );
  }

  #queue(event: string, record: EventRecord, url: string): StoredDelivery {
    const { state, clock, serializer } = this.#sandboxState;
    const id = `dlv_${nextName(state.random, "token", 12)}`;
    const { chaos, olderMs, waitMs } = planDelivery(state, id, url);
    const body = serializer.event(event, clock.ms() - olderMs, record);
    const delivery: StoredDelivery = {
      id,
      event,
      url,
      body,
      signature: signWebhook(body, state.webhookSecret),
      state: "pending",
      attempts: [],
      tries: 0,
      ...(chaos && { chaos }),
    };
    state.deliveries.push(delivery);
    const pending = this.#pending.get(url) ?? 0;
    if (pending >= maxPending) {
      const error = `not sent: ${maxPending} deliveries are pending for this address already`;
      delivery.state = "failed";
      delivery.attempts.push({ at: formatTimestamp(clock.ms()), error, latencyMs: 0 });
      return delivery;
    }
    this.#pending.set(url, pending + 1);
    if (waitMs === 0) this.#attemptOnSchedule(delivery);
    else clock.schedule(waitMs, { kind: "deliver", delivery: id });
    return delivery;
  }

  #attemptOnSchedule(delivery: StoredDelivery): void {
    delivery.tries++;
    const { state } = this.#sandboxState;
    const faults = attemptFaults(state, delivery);
    const overtaken = takeOvertaken(state, delivery);
    void this.#attempt({
      delivery,
      faults,
      afterwards: () => {
        this.#sendOvertaken(overtaken);
        this.#scheduleRetry(delivery);
      },
    });
    if (faults.includes("duplicate")) {
      const duplicateFaults = faults.filter((fault) => fault !== "drop");
      void this.#attempt({ delivery, faults: duplicateFaults });
    }
  }

  #sendOvertaken(id: string | undefined): void {
    if (id === undefined) return;
    const { timers } = this.#sandboxState.state;
    // A wait that has ended already sent it.
    if (cancelTimer(timers, (task) => task.kind === "deliver" && task.delivery === id)) {
      this.#attemptOnSchedule(this.#find(id));
    }
  }

  #scheduleRetry(delivery: StoredDelivery): void {
    // This attempt or another one may have delivered it.
    if (delivery.state !== "pending") return;
    const delayMs = this.#sandboxState.serializer.retryDelaysMs[delivery.tries - 1];
    if (delayMs === undefined) this.#finish(delivery, "failed");
    else this.#sandboxState.clock.schedule(delayMs, { kind: "deliver", delivery: delivery.id });
  }

  #finish(delivery: StoredDelivery, state: "delivered" | "failed"): void {
    const { url } = delivery;
    const wasPending = delivery.state === "pending";
    if (wasPending) this.#pending.set(url, (this.#pending.get(url) ?? 0) - 1);
    delivery.state = state;
  }

  #attempt(planned: PlannedAttempt): Promise<void> {
    const { delivery, afterwards } = planned;
    const { state } = this.#sandboxState;
    const ended = () => this.#inFlight.delete(attempt);
    const { url } = delivery;
    const semaphore = this.#semaphores.get(url) ?? new Semaphore(maxConcurrent);
    this.#semaphores.set(url, semaphore);
    const attempt: Promise<void> = semaphore
      .use(undefined, () => this.#send(planned, state, ended))
      .finally(() => {
        ended();
        if (semaphore.isIdle) this.#semaphores.delete(url);
      });
    this.#inFlight.set(attempt, afterwards && delivery.id);
    return attempt;
  }

  /** Sends once, logs the result, and decides what comes next. */
  async #send(planned: PlannedAttempt, state: State, ended: () => void): Promise<void> {
    const { delivery, faults, afterwards } = planned;
    // The state may be reset or replaced in the meantime. The delivery is then not part of it.
    const isGone = () => this.#sandboxState.state !== state;
    if (isGone()) return;
    const { clock, serializer, settings } = this.#sandboxState;
    const sentAt = clock.ms();
    const tries = delivery.attempts.length + 1;
    const signature = attemptSignature(delivery, faults);
    const headers = {
      "content-type": "application/json",
      ...serializer.deliveryHeaders({ delivery, tries, now: sentAt, signature }),
      [DELIVERY_HEADER]: delivery.id,
      ...attemptHeaders(delivery, faults),
    };
    const { url, body } = delivery;
    const isDropped = faults.includes("drop");
    const notSent = isDropped ? DROPPED : unlessAllowed(url, settings);
    const result = await (notSent ?? post(url, { headers, body }, settings));
    ended();
    if (isGone()) return;
    this.#log(planned, sentAt, result);
    if (result.status === 200) this.#finish(delivery, "delivered");
    afterwards?.();
    this.#sandboxState.changed();
  }

  #log(
    { delivery, faults }: PlannedAttempt,
    sentAt: number,
    { body, ...result }: PostResult,
  ): void {
    delivery.attempts.push({
      at: formatTimestamp(sentAt),
      ...result,
      latencyMs: this.#sandboxState.clock.ms() - sentAt,
      ...(faults.length > 0 && { chaos: [...faults] }),
    });
    if (body === "") return;
    delivery.responses ??= {};
    delivery.responses[delivery.attempts.length - 1] = body;
  }
}
