import { ProbeError } from "../../errors/probe.ts";
import type { ServiceProfile } from "../../profile/types.ts";
import { createRecorder } from "../recorder.ts";
import { classify, isSuccess } from "./classify.ts";
import { describeRejectedRead, explainNoReads, explainRedirect, MISSING } from "./explain.ts";
import { Client, stopped } from "./http/client.ts";
import type { Received } from "./http/exchange.ts";
import type { Notify } from "./http/rate-limiter.ts";
import { PageEffects } from "./page-effects.ts";
import { type Sent, StepSender } from "./step-sender.ts";
import type { Part, Step } from "./steps/step.ts";
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
 * Sends the requests of the plan, and learns from its responses.
 *
 * @throws {ProbeError} for a service that cannot be probed, and if the signal stopped the probe. What
 *   was created is deleted before.
 */
export const probe = (options: ProbeOptions): Promise<ProbeResult> => new Probe(options).run();

class Probe {
  readonly #options: ProbeOptions;
  readonly #recorder = createRecorder({ by: "probe" });
  readonly #client: Client;
  readonly #sender: StepSender;
  readonly #values = new Values();
  readonly #pages = new PageEffects(this.#recorder);
  /** The paths that the key may read. */
  readonly #readable = new Set<string>();
  /** The reads that failed. Whether their cause is a scope shows only when another one succeeds. */
  readonly #rejected: { step: Step; sent: Sent }[] = [];
  /** How the service rejects an unknown id, by the path of the list. */
  readonly #unknownIds = new Map<string, Received>();
  readonly #missing: string[] = [];
  #slowestMs = 0;

  constructor(options: ProbeOptions) {
    this.#options = options;
    this.#client = new Client({ ...options, recorder: this.#recorder });
    this.#sender = new StepSender({ ...options, client: this.#client, values: this.#values });
    const mark = `malipo probe ${globalThis.crypto.randomUUID().slice(0, 8)}`;
    this.#values.set("mark", mark);
    this.#values.set("phone", options.phone);
  }

  async run(): Promise<ProbeResult> {
    const left: string[] = [];
    try {
      await this.#runPart("reads");
      this.#checkReads();
      for (const part of ["rejections", "prompt", "write", "paging"] as const) {
        await this.#runPart(part);
      }
      left.push(...(await this.#deleteCreated()));
      await this.#runPart("after deletion");
    } catch (error) {
      left.push(...(await this.#deleteCreated()));
      const hasLearned = this.#values.get("readable") !== undefined;
      if (!(error instanceof ProbeError && error.code === "rate_limit" && hasLearned)) {
        throw withRest(error, left, this.#sender.openPayment);
      }
      // What was learned before is true: a later probe can learn the rest.
      this.#missing.push(`${error.message} What was learned before stays`);
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
    if (step.part === "paging" && this.#slowestMs > MAX_READ_MS) return "the service is slow";
    if (step.part === "paging") this.#pages.fillIn(step, this.#values);
    if (step.part === "paging" && this.#pages.isKnown(step)) return "it is known by now";
    const missing = this.#values.missing(step);
    return missing && MISSING[missing];
  }

  async #runStep(step: Step): Promise<void> {
    const sent = await this.#sender.send(step, (changed) => this.#record(step, changed));
    if (step.part === "reads") this.#slowestMs = Math.max(this.#slowestMs, this.#client.lastMs);
    const { status } = sent.received;
    if (status >= 300 && status < 400 && step.part === "reads") {
      throw explainRedirect(this.#options.baseUrl, sent.received);
    }
    this.#learn(step, sent);
    this.#options.onStep({ step, status });
  }

  #learn(step: Step, sent: Sent): void {
    const { received } = sent;
    const isOk = isSuccess(received);
    const list = listOf(step.path);
    if (step.part === "reads" && !isOk) {
      this.#rejected.push({ step, sent });
      return;
    }
    if (step.cause === "unknown_id" && step.part === "rejections" && !this.#unknownIds.has(list)) {
      this.#unknownIds.set(list, received);
    }
    this.#record(step, sent);
    if (!isOk) return;
    this.#values.learn(step, received);
    if (step.part === "paging") this.#pages.learn(step, received, this.#values);
    if (step.part !== "reads") return;
    this.#readable.add(step.path);
    if (step.method === "GET" && this.#values.get("readable") === undefined) {
      this.#values.set("readable", step.path);
    }
  }

  #record(step: Step, { outgoing, received }: Sent): void {
    const outcome = classify(step, received, this.#unknownIds.get(listOf(step.path)));
    if (outcome !== "unclear") this.#client.record(outgoing, received, outcome);
  }

  /** @throws {ProbeError} if the service let nothing be read. */
  #checkReads(): void {
    const responses = this.#rejected.map(({ sent }) => sent.received);
    if (this.#values.get("readable") === undefined) {
      throw explainNoReads(this.#options.baseUrl, responses);
    }
    for (const { step, sent } of this.#rejected) {
      const { outgoing, received } = sent;
      const { status } = received;
      // The key is known, because another read succeeded.
      const isScope = status === 401 || status === 403;
      this.#client.record(outgoing, received, { cause: isScope ? "missing_scope" : undefined });
      this.#missing.push(describeRejectedRead(step, received));
    }
  }

  #deleteCreated(): Promise<string[]> {
    return this.#sender.deleteCreated((resource, received) => {
      const step = this.#options.steps.find(
        ({ part, path }) => part === "deletion" && path.startsWith(`/${resource}s/`),
      );
      if (step === undefined) return;
      this.#record(step, { outgoing: this.#sender.outgoing(step), received });
      this.#options.onStep({ step, status: received.status });
    });
  }
}

/** With slower reads, the many questions about paging would take many minutes. */
const MAX_READ_MS = 3_000;

/** `/invoices` for `/invoices/{invoice}`. */
const listOf = (path: string): string => path.split("/{", 1).join();

/** An error with what the user has to know about the service besides. */
function withRest(error: unknown, left: readonly string[], payment: string | undefined): unknown {
  if (!(error instanceof ProbeError)) return error;
  const rest = [
    ...left.map((one) => `Left at the service: ${one}. Delete it there.`),
    ...(payment === undefined
      ? []
      : [`The payment ${payment} was started, and may still be paid.`]),
  ];
  if (rest.length === 0) return error;
  return error.with([error.message, ...rest].join("\n"));
}
