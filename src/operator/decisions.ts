import type { DecidedLine } from "../checkout/orders/decision-lines.ts";
import { isGatewayError } from "../errors/any.ts";
import { ConfigurationError } from "../errors/configuration.ts";
import { ReviewDecidedError } from "../errors/order.ts";
import { isObject } from "../internal/is-object.ts";
import { staffMessage } from "./case-words.ts";
import type { Sources } from "./entry.ts";
import { choose, type Target } from "./queue-lists.ts";
import { isSameRefund, RefundNotedError } from "./refund-form.ts";
import { messageOf } from "./wording.ts";

/** A line of the log of decisions. It has no phone and no name of a customer. */
export interface DecisionLine extends DecidedLine {
  /** From when on it is done, in milliseconds since the epoch. */
  readonly dueAt?: number | undefined;
  /** What the page needs to do it. */
  readonly target?: Target | undefined;
  /** Which process started it. */
  readonly runner?: string | undefined;
}

/** The place in which decisions are stored. Lines are only added. */
export interface DecisionLog {
  /** Adds a line at the end. */
  append(line: DecisionLine): Promise<void>;
  /** The last lines, at least 1,000 of them, in the order in which they were added. */
  read(): Promise<readonly DecisionLine[]>;
}

const MAX_LINES = 5_000;

function memoryLog(): DecisionLog {
  const lines: DecisionLine[] = [];
  return {
    append: async (line) => {
      lines.push(line);
      if (lines.length > 2 * MAX_LINES) lines.splice(0, MAX_LINES);
    },
    read: async () => lines.slice(-MAX_LINES),
  };
}

/** How much of the end of a file is read. */
const TAIL_BYTES = 2 * 1_048_576;

function lineOf(text: string): DecisionLine[] {
  try {
    const line: unknown = JSON.parse(text);
    return isObject(line) && typeof line.decision === "string"
      ? [line as unknown as DecisionLine]
      : [];
  } catch {
    // A process was killed while it wrote: the line is lost, the others are not.
    return [];
  }
}

/** A file with a line of JSON for each step of a decision, for all processes of a machine. */
function fileLog(path: string): DecisionLog {
  return {
    append: async (line) => {
      const { appendFile } = await import("node:fs/promises");
      await appendFile(path, `\n${JSON.stringify(line)}`, { mode: 0o600, flush: true });
    },
    read: async () => {
      const { open } = await import("node:fs/promises");
      const file = await open(path).catch((error: NodeJS.ErrnoException) => {
        if (error.code === "ENOENT") return undefined;
        throw error;
      });
      if (file === undefined) return [];
      try {
        const { size } = await file.stat();
        const length = Math.min(size, TAIL_BYTES);
        const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length);
        return buffer.toString("utf8").split("\n").flatMap(lineOf);
      } finally {
        await file.close();
      }
    },
  };
}

export function logFor(given: string | object | undefined): DecisionLog {
  if (given === undefined) return memoryLog();
  if (typeof given === "string" && given !== "") return fileLog(given);
  if (isObject(given)) return given as unknown as DecisionLog;
  throw new ConfigurationError(
    "`decisions` must be the path of a file, or an object with `append` and `read`.",
  );
}

/** A decision was begun, and something failed after that: it must not be told that nothing was changed. */
export class BegunError extends Error {}

/** A decision, as the page shows it. */
export interface Decision {
  readonly id: string;
  readonly state: DecisionLine["state"];
  readonly plan: DecisionLine;
  /** Its last line. */
  readonly last: DecisionLine;
}

/** The decisions of a log, the oldest first. The first line that starts or takes back a decision counts. */
function decisionsOf(lines: readonly DecisionLine[]): Decision[] {
  const decisions = new Map<string, Decision>();
  for (const line of lines) {
    const { decision: id, state } = line;
    const known = decisions.get(id);
    if (state === "planned") decisions.set(id, { id, state, plan: line, last: line });
    if (known === undefined) continue;
    const isFirst = known.state === "planned" && (state === "started" || state === "taken_back");
    const isEnd = known.state === "started" && (state === "done" || state === "failed");
    if (isFirst || isEnd) decisions.set(id, { ...known, state, last: line });
  }
  return [...decisions.values()];
}

/** A timer may fire a little before the clock shows its time. */
const EARLY_MS = 10;

/** Whether a person has made the same decision before: a double click, or a form that was sent again. */
const isRepeated = (error: unknown, by: string | undefined, action: string | undefined): boolean =>
  by !== undefined &&
  ((error instanceof ReviewDecidedError && error.by === by && error.decision === action) ||
    (error instanceof RefundNotedError && error.by === by));

const UNREADABLE = "The log of decisions cannot be read:";

/** What is known when an action fails: a store may fail after it has written, and a batch after its beginning. */
function failureOf(error: unknown, count: number, { by, target }: DecisionLine): string {
  const message = staffMessage(error);
  if (isRepeated(error, by, target?.action)) return `It was done before: ${message}`;
  if (isGatewayError(error) && error.outcome === "not_sent" && count === 1) {
    return `Nothing was changed: ${message}`;
  }
  const what = count === 1 ? "whether it was done" : `how many of the ${count} were done`;
  return `It is not known ${what}. What is left is still in the list. ${message}`;
}

/** Plans what a person decides, does it unless a person has taken it back, and stores who did what. */
export class Decisions {
  readonly #log: DecisionLog;
  readonly #sources: Sources;
  readonly #takeBackMs: number;
  /** Whether the log is that of the checkout, which is written in the transaction of a decision. */
  readonly #isOfCheckout: boolean;

  constructor(log: DecisionLog, sources: Sources, takeBackMs: number) {
    this.#log = log;
    this.#isOfCheckout = log === sources.checkout?.decisions;
    this.#sources = sources;
    this.#takeBackMs = takeBackMs;
  }

  list = async (): Promise<Decision[]> => decisionsOf(await this.#log.read());

  /**
   * Plans it, and does it at once if it cannot be taken back. Resolves with the decision; `undefined` if there
   * is no such action. Rejects if it is not possible any more.
   */
  async plan(target: Target, by: string | undefined): Promise<Decision | undefined> {
    const isSame = ({ plan: { target: other } }: Decision) =>
      other?.list === target.list && other.id === target.id && other.group === target.group;
    /** The same decision of the same person: a double click shows it, and changes nothing. */
    const isOwn = (one: Decision) =>
      isSame(one) &&
      by !== undefined &&
      one.plan.by === by &&
      one.plan.target?.action === target.action &&
      isSameRefund(one.plan.target.refund, target.refund);
    const chosen = await choose(this.#sources, target).catch(async (error) => {
      if (!isRepeated(error, by, target.action)) throw error;
      const made = (await this.list()).find((one) => one.state === "done" && isOwn(one));
      if (made === undefined) throw error;
      return made;
    });
    if (chosen === undefined) return undefined;
    if ("plan" in chosen) return chosen;
    const { choice, ids, about, orderId, payment } = chosen;
    const id = crypto.randomUUID();
    const at = Date.now();
    const open = (await this.list()).find((one) => one.state === "planned" && isSame(one));
    if (open !== undefined && isOwn(open)) return open;
    if (open !== undefined) {
      throw new Error(`${open.plan.by ?? "Someone"} has decided about it already.`);
    }
    const text = choice.says(ids.length);
    const dueAt = at + this.#takeBackMs;
    const plan = { decision: id, state: "planned", at, by, text, about, orderId, payment } as const;
    await this.#log.append({ ...plan, dueAt, target });
    if (this.#takeBackMs === 0) {
      await this.#run(id);
      const done = await this.list().catch((error) => {
        throw new BegunError(`It was decided. ${UNREADABLE} ${messageOf(error)}`);
      });
      return done.find((one) => one.id === id);
    }
    // If this process ends before, the next request does it.
    const waitMs = this.#takeBackMs + EARLY_MS;
    const timer = setTimeout(() => void this.runDue().catch(() => {}), waitMs);
    (timer as { unref?: () => void }).unref?.();
    return (await this.list()).find((one) => one.id === id);
  }

  /** Takes a decision back. Resolves with `false` if it is too late. */
  async takeBack(id: string, by: string | undefined): Promise<boolean> {
    const isOpen = (await this.list()).some((one) => one.id === id && one.state === "planned");
    if (!isOpen) return false;
    const text = "Taken back: nothing was changed.";
    await this.#log.append({ decision: id, state: "taken_back", at: Date.now(), by, text });
    return (await this.list()).some((one) => one.id === id && one.state === "taken_back");
  }

  /** Does what is due, in whatever process it was planned. */
  async runDue(): Promise<void> {
    const now = Date.now();
    const due = (await this.list()).filter(
      ({ state, plan }) => state === "planned" && (plan.dueAt ?? 0) <= now,
    );
    for (const { id } of due) await this.#run(id);
  }

  async #run(id: string): Promise<void> {
    const runner = crypto.randomUUID();
    await this.#log.append({
      decision: id,
      state: "started",
      at: Date.now(),
      text: "Started.",
      runner,
    });
    const decision = (await this.list()).find((one) => one.id === id);
    // Another process was first, or it was taken back.
    if (decision?.last.runner !== runner) return;
    const { target, by } = decision.plan;
    const lineOf = (state: "done" | "failed", text: string): DecisionLine => {
      return { decision: id, state, at: Date.now(), by, text };
    };
    const end = async (state: "done" | "failed", text: string) => {
      try {
        await this.#log.append(lineOf(state, text));
      } catch (error) {
        throw new BegunError(`${text} The log of decisions cannot be written: ${messageOf(error)}`);
      }
    };
    let chosen: Awaited<ReturnType<typeof choose>>;
    try {
      chosen = target && (await choose(this.#sources, target));
      if (chosen === undefined) throw new Error("It cannot be decided any more.");
    } catch (error) {
      const isDone = isRepeated(error, by, target?.action);
      const what = isDone ? "It was done before" : "Nothing was changed";
      return end("failed", `${what}: ${staffMessage(error)}`);
    }
    const { choice, ids } = chosen;
    const done = choice.done(ids.length);
    const isLogged = this.#isOfCheckout && choice.isLogged === true;
    try {
      await choice.run(ids, by, isLogged ? lineOf("done", done) : undefined);
    } catch (error) {
      return end("failed", failureOf(error, ids.length, decision.plan));
    }
    if (!isLogged) return end("done", done);
    // Another process has done the same at the same moment: then the line of this one was not written.
    const own = (await this.list()).find((one) => one.id === id);
    if (own?.state === "started") await end("failed", "It was done before.");
  }
}
