import { createRecorder } from "../../learn/recorder.ts";
import type { ServiceProfile } from "../../profile/types.ts";
import { CliError } from "../cli-error.ts";
import { EXIT } from "../exit-codes.ts";
import { Client, stopped } from "./client.ts";
import { CreatedThings } from "./created-things.ts";
import type { Outgoing, Received } from "./exchange.ts";
import { describeRejectedRead, explainNoReads, explainRedirect, MISSING } from "./explain.ts";
import { findField, type Thing } from "./find-ids.ts";
import { FOLLOW_MS, followPayment } from "./follow-payment.ts";
import { isSuccess, judge } from "./judge.ts";
import { PageEffects } from "./page-effects.ts";
import type { Notify } from "./patience.ts";
import type { Part, Step } from "./step.ts";
import { Values } from "./values.ts";

/** What a probe is to do, checked. */
export interface ProbeOptions {
  readonly baseUrl: string;
  readonly key: string;
  readonly publicKey: string | undefined;
  readonly phone: string | undefined;
  readonly steps: readonly Step[];
  /** Ends the probe. What it created is still deleted. */
  readonly signal: AbortSignal;
  readonly onStep: (result: StepResult) => void;
  readonly notify: Notify;
}

/** What became of one step of the plan. */
export interface StepResult {
  readonly step: Step;
  /** `undefined`: the step was left out. */
  readonly status?: number;
  /** Why it was left out. */
  readonly skipped?: string;
}

export interface ProbeResult {
  readonly profile: ServiceProfile;
  readonly requests: number;
  /** What could not be learned, and why. */
  readonly missing: readonly string[];
  /** What the probe created and could not delete. */
  readonly left: readonly string[];
}

/**
 * Asks a service what the plan says, and learns from its responses.
 *
 * @throws {CliError} for a service that cannot be probed, and where the signal stopped the probe. What
 *   was created is deleted before.
 */
export const probe = (options: ProbeOptions): Promise<ProbeResult> => new Probe(options).run();

class Probe {
  readonly #options: ProbeOptions;
  readonly #recorder = createRecorder({ by: "probe" });
  readonly #client: Client;
  readonly #created: CreatedThings;
  readonly #values = new Values();
  readonly #pages = new PageEffects();
  /** The paths that the key may read. */
  readonly #readable = new Set<string>();
  /** The reads that failed. Whether their cause is a scope shows only when another one succeeds. */
  readonly #rejected: { step: Step; outgoing: Outgoing; received: Received }[] = [];
  /** How the service refuses an unknown id, by the path of the list. */
  readonly #unknownIds = new Map<string, Received>();
  readonly #missing: string[] = [];
  /** A payment that was started and whose end is not known. */
  #openPayment: string | undefined;

  constructor(options: ProbeOptions) {
    this.#options = options;
    this.#client = new Client({ ...options, recorder: this.#recorder });
    this.#created = new CreatedThings(this.#client);
    const mark = `malipo probe ${globalThis.crypto.randomUUID().slice(0, 8)}`;
    this.#values.set("mark", mark);
    this.#values.set("phone", options.phone);
  }

  async run(): Promise<ProbeResult> {
    const left: string[] = [];
    try {
      await this.#runPart("reads");
      this.#checkReads();
      for (const part of ["refusals", "prompt", "write", "paging"] as const) {
        await this.#runPart(part);
      }
      left.push(...(await this.#deleteCreated()));
      await this.#runPart("after deletion");
    } catch (error) {
      left.push(...(await this.#deleteCreated()));
      throw withRest(error, left, this.#openPayment);
    }
    return {
      profile: this.#recorder.profile(),
      requests: this.#client.requests,
      missing: this.#missing,
      left,
    };
  }

  async #runPart(part: Part): Promise<void> {
    for (const step of this.#options.steps) {
      if (step.part !== part) continue;
      if (this.#options.signal.aborted) throw stopped();
      const reason = this.#reasonToSkip(step);
      if (reason === undefined) await this.#runStep(step);
      else this.#options.onStep({ step, skipped: reason });
    }
  }

  #reasonToSkip(step: Step): string | undefined {
    const { reads } = step;
    if (reads !== undefined && !this.#readable.has(reads)) return `the key cannot use ${reads}`;
    if (step.part === "paging") this.#pages.fillIn(step, this.#values);
    const missing = this.#values.missing(step);
    return missing && MISSING[missing];
  }

  async #runStep(step: Step): Promise<void> {
    let outgoing = this.#outgoing(step);
    let received = await this.#send(step, outgoing);
    for (let left = this.#otherIds(step); left > 0 && !isSuccess(received); left--) {
      this.#created.tryNextId("webhook");
      this.#setCreated("webhook");
      outgoing = this.#outgoing(step);
      received = await this.#send(step, outgoing);
    }
    if (received.status >= 300 && received.status < 400 && step.part === "reads") {
      throw explainRedirect(this.#options.baseUrl, received);
    }
    this.#learn(step, outgoing, received);
    this.#options.onStep({ step, status: received.status });
  }

  /** How many further ids to try: no read says by which of its ids a webhook goes. */
  #otherIds({ path, cause }: Step): number {
    const isWebhook = path.includes("{createdWebhook}") && cause === undefined;
    return isWebhook ? this.#created.countIds("webhook") - 1 : 0;
  }

  #outgoing(step: Step): Outgoing {
    const { method, origin } = step;
    return { method, origin, key: this.#client.keyOf(step), ...this.#values.fill(step) };
  }

  async #send(step: Step, outgoing: Outgoing): Promise<Received> {
    const { signal } = this.#options;
    const isRead = step.method === "GET";
    const send = () => this.#client.send(outgoing, { signal, isRead });
    if (step.creates !== undefined) return this.#create(step.creates, outgoing);
    if (step.confirms) return (await this.#confirm()) ?? send();
    if (step.untilFinal) return this.#follow(step, outgoing, send);
    return step.gives?.includes("startedPayment") ? this.#startPayment(outgoing) : send();
  }

  /** A payment that begins must be known to its end: Ctrl-C does not interrupt the request. */
  async #startPayment(outgoing: Outgoing): Promise<Received> {
    try {
      const request = { signal: undefined, isRead: false };
      const received = await this.#client.send(outgoing, request);
      this.#openPayment = isSuccess(received) ? findField(received.json, "reference") : undefined;
      return received;
    } catch (error) {
      if (!(error instanceof CliError) || error.exitCode !== EXIT.unreachable) throw error;
      const message = `${error.message}\nThe payment may have been started. Check: npx malipo payments list`;
      throw new CliError(EXIT.unknown, error.code, message, { cause: error });
    }
  }

  async #follow(
    step: Step,
    outgoing: Outgoing,
    send: () => Promise<Received>,
  ): Promise<Received> {
    const { signal, notify } = this.#options;
    const minutes = FOLLOW_MS / 60_000;
    notify(
      `Answer the prompt on the phone. The probe follows the payment for up to ${minutes} min.`,
    );
    const received = await followPayment(
      send,
      (changed) => this.#record(step, outgoing, changed),
      signal,
    );
    this.#openPayment = undefined;
    return received;
  }

  async #create(thing: Thing, outgoing: Outgoing): Promise<Received> {
    const mark = this.#values.get("mark") ?? "";
    const received = await this.#created.create(thing, mark, outgoing);
    this.#setCreated(thing);
    return received;
  }

  async #confirm(): Promise<Received | undefined> {
    const received = await this.#created.confirm();
    this.#setCreated("invoice");
    return received;
  }

  #setCreated(thing: Thing): void {
    const name = thing === "invoice" ? "createdInvoice" : "createdWebhook";
    this.#values.set(name, this.#created.idOf(thing));
  }

  #learn(step: Step, outgoing: Outgoing, received: Received): void {
    const isOk = isSuccess(received);
    const list = listOf(step.path);
    if (step.part === "reads" && !isOk) {
      this.#rejected.push({ step, outgoing, received });
      return;
    }
    if (step.cause === "unknown_id" && step.part === "refusals" && !this.#unknownIds.has(list)) {
      this.#unknownIds.set(list, received);
    }
    this.#record(step, outgoing, received);
    if (!isOk) return;
    this.#values.learn(step, received);
    if (step.part === "paging") this.#pages.learn(step, received, this.#values);
    if (step.method === "GET" && step.query === undefined) this.#pages.learnDefault(step, received);
    if (step.part !== "reads") return;
    this.#readable.add(step.path);
    if (step.method === "GET" && this.#values.get("readable") === undefined) {
      this.#values.set("readable", step.path);
    }
  }

  #record(step: Step, outgoing: Outgoing, received: Received): void {
    const verdict = judge(step, received, this.#unknownIds.get(listOf(step.path)));
    if (verdict !== "unclear") this.#client.record(outgoing, received, verdict);
  }

  /** @throws {CliError} if the service let nothing be read. */
  #checkReads(): void {
    const responses = this.#rejected.map(({ received }) => received);
    if (this.#values.get("readable") === undefined) {
      throw explainNoReads(this.#options.baseUrl, responses);
    }
    for (const { step, outgoing, received } of this.#rejected) {
      const { status } = received;
      // The key is known, because another read succeeded.
      const isScope = status === 401 || status === 403;
      this.#client.record(outgoing, received, { cause: isScope ? "missing_scope" : undefined });
      this.#missing.push(describeRejectedRead(step, received));
    }
  }

  async #deleteCreated(): Promise<string[]> {
    return this.#created.deleteAll((thing, id, received) => {
      const step = this.#options.steps.find(
        ({ part, path }) => part === "deletion" && path.startsWith(`/${thing}s/`),
      );
      if (step === undefined) return;
      // Only now is it sure which of its ids it goes by.
      this.#values.set(thing === "invoice" ? "createdInvoice" : "createdWebhook", id);
      this.#record(step, this.#outgoing(step), received);
      this.#options.onStep({ step, status: received.status });
    });
  }
}

/** `/invoices` for `/invoices/{invoice}`. */
const listOf = (path: string): string => path.replace(/\/\{\w+\}.*$/, "");

/** An error with what the user has to know about the service besides. */
function withRest(error: unknown, left: readonly string[], payment: string | undefined): unknown {
  if (!(error instanceof CliError)) return error;
  const rest = [
    ...left.map((one) => `Left at the service: ${one}. Delete it there.`),
    ...(payment === undefined
      ? []
      : [`The payment ${payment} was started, and may still be paid.`]),
  ];
  if (rest.length === 0) return error;
  const message = [error.message, ...rest].join("\n");
  return new CliError(error.exitCode, error.code, message, { cause: error });
}
