import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { endWithThisProcess, hasEnded, killChild, signalChild } from "./child.ts";
import type { GoodsCall, GoodsCalls, GoodsMessage } from "./goods-child.ts";
import { GOODS_CHILD } from "./goods-child.ts";

/** How long a call may take. A process that hangs must not hold the drill. */
const CALL_MS = 30_000;

/** What a process says by itself. */
export interface GoodsListener {
  happened(id: string): void;
  failed(text: string): void;
  output(text: string): void;
}

/** A process that runs the merchant's `onPaid`. */
export class GoodsProcess {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (message: GoodsMessage) => void>();
  readonly #ready: Promise<unknown>;
  #calls = 0;
  isStopped = false;

  /** @param path - The merchant's module. */
  constructor(path: string, env: Readonly<Record<string, string>>, listener: GoodsListener) {
    const [, cli = ""] = process.argv;
    this.#child = fork(cli, ["drill", "--goods", path], {
      env: { ...process.env, ...env, [GOODS_CHILD]: "1" },
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    endWithThisProcess(this.#child);
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on("data", (data: Buffer) => listener.output(data.toString()));
    }
    this.#ready = new Promise((resolve) => this.#waiting.set(0, resolve));
    this.#child.on("message", (message: GoodsMessage) => {
      if ("news" in message) listener[message.news](message.text);
      else this.#waiting.get(message.id)?.(message);
    });
    // A process that was killed, or whose module does not load.
    this.#child.once("exit", (code, signal) => {
      const error = `the process of onPaid ended (${signal ?? `exit code ${code}`})`;
      for (const [id, respond] of this.#waiting) respond({ id, error });
    });
    this.#child.on("error", () => {});
  }

  get isAlive(): boolean {
    return !hasEnded(this.#child) && !this.isStopped;
  }

  get wasKilled(): boolean {
    return this.#child.signalCode === "SIGKILL";
  }

  /** @throws {Error} if the process rejects the call, or ends before it has responded. */
  async ask<Name extends keyof GoodsCalls>(
    call: Name,
    ...given: Parameters<GoodsCalls[Name]>
  ): Promise<Awaited<ReturnType<GoodsCalls[Name]>>> {
    await this.#ready;
    const id = ++this.#calls;
    const message = await new Promise<GoodsMessage>((resolve) => {
      this.#waiting.set(id, resolve);
      const late = () => resolve({ id, error: `onPaid's process did not respond to ${call}` });
      setTimeout(late, CALL_MS).unref();
      if (hasEnded(this.#child)) resolve({ id, error: "the process of onPaid has ended" });
      else this.#child.send({ id, call, given } as GoodsCall, () => {});
    });
    this.#waiting.delete(id);
    if ("error" in message && message.error !== undefined) throw new Error(message.error);
    return ("value" in message ? message.value : undefined) as never;
  }

  /** Lets a process go on that has stopped itself. */
  goOn(): void {
    this.isStopped = false;
    signalChild(this.#child, "SIGCONT");
  }

  ended = async (): Promise<void> => {
    if (!hasEnded(this.#child)) await once(this.#child, "exit");
  };

  kill = (): Promise<void> => killChild(this.#child);
}
