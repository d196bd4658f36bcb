import { ProbeError } from "../../errors/probe.ts";
import { isSuccess } from "./classify.ts";
import { CreatedResources } from "./created/created-resources.ts";
import { type CreatedKind, findField } from "./created/find-ids.ts";
import { FOLLOW_MS, followPayment } from "./follow-payment.ts";
import type { Client } from "./http/client.ts";
import type { Outgoing, Received } from "./http/exchange.ts";
import type { Notify } from "./http/rate-limiter.ts";
import type { Step } from "./steps/step.ts";
import type { Values } from "./values.ts";

export interface Sent {
  readonly outgoing: Outgoing;
  readonly received: Received;
}

interface SenderOptions {
  readonly client: Client;
  readonly values: Values;
  readonly signal: AbortSignal;
  readonly notify: Notify;
}

/** Sends the steps, each in the way that it needs: what it creates or starts is not forgotten. */
export class StepSender {
  readonly #options: SenderOptions;
  readonly #created: CreatedResources;
  #openPayment: string | undefined;

  constructor(options: SenderOptions) {
    this.#options = options;
    this.#created = new CreatedResources(options.client);
  }

  /** A payment that was started and whose end is not known. */
  get openPayment(): string | undefined {
    return this.#openPayment;
  }

  /** The request of a step, with its values filled in. */
  outgoing(step: Step): Outgoing {
    const { method, origin } = step;
    const { client, values } = this.#options;
    return { method, origin, key: client.keyOf(step), ...values.fill(step) };
  }

  /** @param onChange - Gets what a payment returned that is read again and again. */
  async send(step: Step, onChange: (sent: Sent) => void): Promise<Sent> {
    let sent = await this.#sendOne(step, onChange);
    // No read shows by which of its ids a webhook goes.
    const isWebhook = step.path.includes("{createdWebhook}") && step.cause === undefined;
    const others = isWebhook ? this.#created.countIds("webhook") - 1 : 0;
    for (let left = others; left > 0 && !isSuccess(sent.received); left--) {
      this.#created.tryNextId("webhook");
      this.#setCreated("webhook");
      sent = await this.#sendOne(step, onChange);
    }
    return sent;
  }

  async #sendOne(step: Step, onChange: (sent: Sent) => void): Promise<Sent> {
    const outgoing = this.outgoing(step);
    const { client, signal } = this.#options;
    const isRead = step.method === "GET";
    const isWrong = step.cause !== undefined;
    const send = () => client.send(outgoing, { signal, isRead, isWrong });
    const received =
      step.creates !== undefined
        ? await this.#create(step.creates, outgoing)
        : step.confirms
          ? ((await this.#created.confirm()) ?? (await send()))
          : step.starts
            ? await this.#startPayment(outgoing)
            : step.untilFinal
              ? await this.#follow(send, (changed) => onChange({ outgoing, received: changed }))
              : await send();
    if (step.confirms) this.#setCreated("invoice");
    // The id that the service accepted may be another one than the first.
    return { outgoing: step.confirms ? this.outgoing(step) : outgoing, received };
  }

  async #create(resource: CreatedKind, outgoing: Outgoing): Promise<Received> {
    const mark = this.#options.values.get("mark") ?? "";
    const received = await this.#created.create(resource, mark, outgoing);
    this.#setCreated(resource);
    return received;
  }

  #setCreated(resource: CreatedKind): void {
    const name = resource === "invoice" ? "createdInvoice" : "createdWebhook";
    this.#options.values.set(name, this.#created.idOf(resource));
  }

  /** Ctrl-C does not interrupt the request: its outcome must be known. */
  async #startPayment(outgoing: Outgoing): Promise<Received> {
    try {
      const request = { signal: undefined, isRead: false };
      const received = await this.#options.client.send(outgoing, request);
      this.#openPayment = isSuccess(received) ? findField(received.json, "reference") : undefined;
      return received;
    } catch (error) {
      if (!(error instanceof ProbeError) || error.code !== "unreachable") throw error;
      throw error.with(
        `${error.message}\nThe payment may have been started. Check: npx malipo payments list`,
        "unknown",
      );
    }
  }

  async #follow(
    read: () => Promise<Received>,
    onChange: (received: Received) => void,
  ): Promise<Received> {
    const { signal, notify } = this.#options;
    const minutes = FOLLOW_MS / 60_000;
    notify(
      `Answer the prompt on the phone. The probe follows the payment for up to ${minutes} min.`,
    );
    const { received, hasEnded } = await followPayment(read, onChange, signal);
    if (hasEnded) this.#openPayment = undefined;
    else if (!signal.aborted) {
      notify("The payment is still open. The probe goes on, and does not learn how it ends.");
    }
    return received;
  }

  /**
   * Deletes what was created, and does not throw.
   *
   * @param onDeletion - Gets the resource and the response to its deletion.
   * @returns What is left at the service, in words.
   */
  deleteCreated(
    onDeletion: (resource: CreatedKind, received: Received) => void,
  ): Promise<string[]> {
    return this.#created.deleteAll((resource, id, received) => {
      // Only now is it sure which of its ids it goes by.
      this.#options.values.set(resource === "invoice" ? "createdInvoice" : "createdWebhook", id);
      onDeletion(resource, received);
    });
  }
}
