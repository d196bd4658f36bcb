import { ProbeError } from "../../errors/probe-error.ts";
import { MINUTE_MS } from "../../internal/units.ts";
import { testedParameters } from "../../profile/paging.ts";
import type { ListPaging, ServiceProfile } from "../../profile/profile-types.ts";
import { Recorder } from "../recorder.ts";
import {
  classify,
  describeRejectedRead,
  explainNoReads,
  explainRedirect,
  explainRest,
  isAboutKey,
} from "./classify.ts";
import { CreatedResources } from "./created.ts";
import { type CreatedKind, findField, findItems } from "./find-fields.ts";
import { Client, isSuccess, isUnreachable, type Outgoing, type Received, stopped } from "./http.ts";
import { Values } from "./step-values.ts";
import { type Choices, LISTS, type Part, type Step } from "./steps.ts";
import { FOLLOW_MS, findInList, followPayment } from "./watch-payment.ts";

/** Whether the answer to a question about paging is known already. */
export function isPagingKnown(
  { query = {}, asks }: Step,
  list: ListPaging,
  isLongestKnown: boolean,
): boolean {
  if (asks === undefined) return false;
  if (asks === "longest") return isLongestKnown;
  const name = Object.keys(query).at(-1) ?? "";
  const { size, page, offset, cursor } = testedParameters([list]);
  const known = asks === "size" ? [size] : [page, offset, cursor];
  return known.some((one) => one !== undefined) || list.parameters?.[name] !== undefined;
}

/** What a probe is to do, checked. */
export interface ProbeOptions extends Pick<Choices, "phone" | "publicKey"> {
  readonly baseUrl: string;
  readonly key: string;
  readonly steps: readonly Step[];
  /** Ends the probe. What it created is still deleted. */
  readonly signal: AbortSignal;
  readonly onStep: (result: StepResult) => void;
  readonly notify: (message: string) => void;
}

/** What became of one step of the plan. */
interface StepResult {
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

/** With slower reads, the many questions about paging would take many minutes. */
const MAX_READ_MS = 3_000;

/** A service of someone else is not asked more, apart from reads that wait for the payment. */
export const MAX_REQUESTS = 60;

const AFTER_PAGING: readonly Part[] = ["deletion", "after deletion"];

/** `/invoices` for `/invoices/{invoice}`. */
const listOf = (path: string): string => path.split("/{", 1).join();

const createdValue = (kind: CreatedKind) =>
  kind === "invoice" ? ("createdInvoice" as const) : ("createdWebhook" as const);

/** A response to a step of the plan. */
interface Answer {
  readonly step: Step;
  readonly received: Received;
}

class Probe {
  readonly #options: ProbeOptions;
  readonly #recorder = new Recorder({ by: "probe" });
  readonly #client: Client;
  readonly #created: CreatedResources;
  readonly #values = new Values();
  /** The paths that the key may read. */
  readonly #readable = new Set<string>();
  /** The reads that failed. Whether their cause is a scope shows only when another one succeeds. */
  readonly #rejected: Answer[] = [];
  /** How the service rejects an unknown id, by the path of the list. */
  readonly #unknownIds = new Map<string, Received>();
  /** How many items each list showed. */
  readonly #items = new Map<string, number>();
  #isLongestKnown = false;
  /** The reads that only waited for the payment. */
  #waits = 0;
  readonly #missing: string[] = [];
  /** A payment that was started and whose end is not known. */
  #openPayment: string | undefined;
  #paymentStartedAt = 0;
  #slowestMs = 0;
  /** Whether the service was asked with the wrong kind of key, and its answer told nothing about the key. */
  #isKindUnclear = false;

  constructor(options: ProbeOptions) {
    this.#options = options;
    this.#client = new Client({ ...options, recorder: this.#recorder });
    this.#created = new CreatedResources(this.#client);
    this.#values.set("mark", this.#created.mark);
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
      if (!(error instanceof ProbeError)) throw error;
      if (error.code !== "rate_limit" || this.#values.get("readable") === undefined) {
        throw explainRest(error, left, this.#openPayment);
      }
      // What was learned before is true: a later probe can learn the rest.
      this.#missing.push(`${error.message} What was learned before stays`);
    }
    const { requests } = this.#client;
    return { profile: this.#recorder.profile(), requests, missing: this.#missing, left };
  }

  async #runPart(part: Part): Promise<void> {
    for (const step of this.#options.steps.filter((one) => one.part === part)) {
      if (this.#options.signal.aborted) throw stopped();
      const skipped = this.#reasonToSkip(step);
      if (skipped !== undefined) this.#options.onStep({ step, skipped });
      else await this.#runStep(step);
    }
  }

  #reasonToSkip(step: Step): string | undefined {
    const { reads, part, cause } = step;
    // An unknown id tells nothing about the key if the service looks for the id first.
    if (part === "write" && cause === "wrong_kind" && !this.#isKindUnclear) {
      return "it is known by now";
    }
    if (reads !== undefined && !this.#readable.has(reads)) return `the key cannot use ${reads}`;
    if (part === "paging") {
      if (this.#slowestMs > MAX_READ_MS) return "the service is slow";
      const after = this.#options.steps.filter((one) => AFTER_PAGING.includes(one.part)).length;
      if (this.#client.requests - this.#waits + after >= MAX_REQUESTS) {
        return `a probe asks at most ${MAX_REQUESTS} questions`;
      }
      const longest = this.#longestList();
      this.#values.set("longestList", longest);
      const list = this.#recorder.lists[`GET ${longest}`] ?? {};
      this.#values.set("pageSize", testedParameters([list]).size);
      if (isPagingKnown(step, list, this.#isLongestKnown)) return "it is known by now";
    }
    return this.#values.reasonToSkip(step);
  }

  #longestList(): string | undefined {
    const known = LISTS.filter((path) => this.#items.has(path));
    const longest = Math.max(...known.map((path) => this.#items.get(path) ?? 0));
    return known.find((path) => this.#items.get(path) === longest);
  }

  async #runStep(step: Step): Promise<void> {
    const received = await this.#send(step);
    const { status } = received;
    if (step.part === "reads") {
      this.#slowestMs = Math.max(this.#slowestMs, this.#client.lastMs);
      if (status >= 300 && status < 400) throw explainRedirect(this.#options.baseUrl, received);
    }
    this.#learn({ step, received });
    this.#options.onStep({ step, status });
  }

  #outgoing(step: Step): Outgoing {
    const { key: own, publicKey } = this.#options;
    // Of the same kind, so that only the key itself is unknown.
    const unknown = `${own.slice(0, 3)}malipo_probe_unknown`;
    const key = { own, public: publicKey, unknown, none: undefined }[step.key ?? "own"];
    return { method: step.method, origin: step.origin, key, ...this.#values.fill(step) };
  }

  /** Sends a step in the way that it needs: what it creates or starts is not forgotten. */
  async #send(step: Step): Promise<Received> {
    const { creates, confirms, payment, method, cause } = step;
    const way = cause !== undefined ? "wrong" : method === "GET" ? "read" : "write";
    const send = () => this.#client.send(this.#outgoing(step), way, this.#options.signal);
    if (creates !== undefined) {
      const received = await this.#created.create(creates, this.#outgoing(step));
      this.#values.set(createdValue(creates), this.#created.idOf(creates));
      return received;
    }
    if (confirms !== undefined) {
      return this.#created.confirm(confirms, () => {
        this.#values.set(createdValue(confirms), this.#created.idOf(confirms));
        return send();
      });
    }
    if (payment === undefined) return send();
    if (payment === "start") return this.#startPayment(this.#outgoing(step));
    const before = this.#client.requests;
    const received = await (payment === "listed"
      ? this.#findInList(send)
      : this.#followPayment(step, send));
    this.#waits += this.#client.requests - before - 1;
    return received;
  }

  /** Ctrl-C does not interrupt the request: its outcome must be known. */
  async #startPayment(outgoing: Outgoing): Promise<Received> {
    this.#paymentStartedAt = performance.now();
    try {
      const received = await this.#client.send(outgoing, "write");
      this.#openPayment = isSuccess(received) ? findField(received.json, "reference") : undefined;
      return received;
    } catch (error) {
      if (!isUnreachable(error)) throw error;
      throw error.with(
        `${error.message}\nThe payment may have been started. Check: npx malipo payments list`,
        "unknown",
      );
    }
  }

  /** From before it was sent: a payment without a response is as old. */
  async #findInList(read: () => Promise<Received>): Promise<Received> {
    const reference = this.#openPayment;
    if (reference === undefined) return read();
    const { received, isListed } = await findInList(read, reference, this.#options.signal);
    const tookMs = performance.now() - this.#paymentStartedAt;
    if (isListed) this.#recorder.recordListed("GET /payments", tookMs);
    else if (isSuccess(received) && !this.#options.signal.aborted) {
      this.#missing.push(
        "How long a new payment takes to appear in the list: it did not appear within 5 min.",
      );
    }
    return received;
  }

  async #followPayment(step: Step, read: () => Promise<Received>): Promise<Received> {
    const { signal, notify } = this.#options;
    notify(
      `Answer the prompt on the phone. The probe follows the payment for up to ${FOLLOW_MS / MINUTE_MS} min.`,
    );
    const onChange = (received: Received) => this.#record({ step, received });
    const { received, hasEnded } = await followPayment(read, onChange, signal);
    if (hasEnded) this.#openPayment = undefined;
    else if (!signal.aborted) {
      notify("The payment is still open. The probe goes on, and does not learn how it ends.");
    }
    return received;
  }

  #learn(answer: Answer): void {
    const { step, received } = answer;
    const { part, path, cause, method, asks, provides = [] } = step;
    const isOk = isSuccess(received);
    if (part === "reads" && !isOk) {
      this.#rejected.push(answer);
      return;
    }
    const list = listOf(path);
    if (cause === "unknown_id" && part === "rejections" && !this.#unknownIds.has(list)) {
      this.#unknownIds.set(list, received);
    }
    this.#record(answer);
    if (!isOk) return;
    this.#values.learn(provides, received.json);
    if (asks === "longest") this.#isLongestKnown = true;
    if (LISTS.some((one) => one === path)) this.#items.set(path, findItems(received.json).length);
    if (part !== "reads") return;
    this.#readable.add(path);
    if (method === "GET") this.#values.set("readable", this.#values.get("readable") ?? path);
  }

  #record({ step, received }: Answer): void {
    const cause = classify(step, received, this.#unknownIds.get(listOf(step.path)));
    if (cause === "unclear") this.#isKindUnclear = true;
    else this.#recorder.record({ ...received, cause });
  }

  /** @throws {ProbeError} if the service let nothing be read. */
  #checkReads(): void {
    if (this.#values.get("readable") === undefined) {
      const responses = this.#rejected.map(({ received }) => received);
      throw explainNoReads(this.#options.baseUrl, responses);
    }
    for (const { step, received } of this.#rejected) {
      // The key is known, because another read succeeded.
      const cause = isAboutKey(received) ? "missing_scope" : undefined;
      this.#recorder.record({ ...received, cause });
      this.#missing.push(describeRejectedRead(step, received));
    }
  }

  /** @returns What is left at the service, in words. */
  #deleteCreated(): Promise<string[]> {
    return this.#created.deleteAll((kind, id, received) => {
      const value = createdValue(kind);
      // Only now is it sure which of its ids it goes by.
      this.#values.set(value, id);
      const step = this.#options.steps.find(
        ({ part, path }) => part === "deletion" && path.includes(`{${value}}`),
      );
      if (step === undefined) return;
      this.#record({ step, received });
      this.#options.onStep({ step, status: received.status });
    });
  }
}
