import type { IRedisClient, IRedisTransaction } from "bullmq";
import type { ScriptName } from "../shards/scripts.ts";

/** A command of BullMQ, by its name there, or one of our scripts. */
export type BatchCommand =
  | { readonly name: string; readonly args: unknown[] }
  | { readonly script: ScriptName; readonly args: unknown[] };

/** An event to remember. */
export interface Processed {
  /** The key of its job. */
  readonly key: string;
  readonly digest: string;
}

/** A command with what belongs to it. */
export interface BatchEntry {
  readonly before: readonly BatchCommand[];
  readonly command: BatchCommand;
  /** What to remember after it. */
  readonly processed: Processed | undefined;
}

/** Runs a command of BullMQ, or adds it to a transaction. */
type Execute = (client: IRedisClient | IRedisTransaction, name: string, args: unknown[]) => unknown;

interface Waiting extends BatchEntry {
  readonly resolve: (reply: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Runs commands that come at about the same time in one transaction: while one is under way, the next
 * ones gather. A transaction for each job would cost more than its commands.
 */
export class CommandBatch {
  readonly #execute: Execute;
  readonly #remember: (processed: readonly Processed[]) => BatchCommand;
  #waiting: Waiting[] = [];
  #isRunning = false;

  constructor(execute: Execute, remember: (processed: readonly Processed[]) => BatchCommand) {
    this.#execute = execute;
    this.#remember = remember;
  }

  /** Resolves with the reply to the command. */
  add(client: IRedisClient, entry: BatchEntry): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ...entry, resolve, reject });
      if (this.#isRunning) return;
      this.#isRunning = true;
      // What ends in the same turn of the event loop comes along.
      setImmediate(() => void this.#run(client));
    });
  }

  async #run(client: IRedisClient): Promise<void> {
    while (this.#waiting.length > 0) {
      const entries = this.#waiting;
      this.#waiting = [];
      await this.#runTogether(client, entries).catch((error) => {
        for (const { reject } of entries) reject(error);
      });
    }
    this.#isRunning = false;
  }

  async #runTogether(client: IRedisClient, entries: readonly Waiting[]): Promise<void> {
    const transaction = client.multi();
    for (const { before, command } of entries) {
      for (const one of [...before, command]) this.#send(transaction, one);
    }
    const after = this.#after(entries);
    for (const one of after) this.#send(transaction, one);
    const replies = (await transaction.exec()) ?? [];
    // Redis forgot the scripts: outside of a transaction, the client sends them again.
    if (replies.some(([error]) => error?.message.includes("NOSCRIPT"))) {
      return this.#runEach(client, entries);
    }
    let at = 0;
    for (const { before, resolve, reject } of entries) {
      at += before.length;
      const [error, reply] = replies[at++] ?? [new Error("Redis returned no reply.")];
      if (error === null) resolve(reply);
      else reject(error);
    }
  }

  #after(entries: readonly Waiting[]): BatchCommand[] {
    const processed = entries.flatMap((entry) => entry.processed ?? []);
    return processed.length === 0 ? [] : [this.#remember(processed)];
  }

  async #runEach(client: IRedisClient, entries: readonly Waiting[]): Promise<void> {
    for (const entry of entries) {
      for (const one of entry.before) await this.#send(client, one);
      const reply = this.#send(client, entry.command) as Promise<unknown>;
      const after = this.#after([entry]).map((one) => this.#send(client, one));
      const [result] = await Promise.allSettled([reply, ...after]);
      if (result.status === "fulfilled") entry.resolve(result.value);
      else entry.reject(result.reason);
    }
  }

  #send(client: IRedisClient | IRedisTransaction, command: BatchCommand): unknown {
    if ("name" in command) return this.#execute(client, command.name, command.args);
    return client.runCommand(command.script, command.args);
  }
}
