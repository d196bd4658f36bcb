import type { JobJson, RedisQueueBackend } from "bullmq";
import { conflictIdOf } from "../../conflicts.ts";
import { EventMissingError } from "../../errors.ts";
import { type NewDelivery, type Receipt, receiptFor } from "../../types.ts";
import { batchCommand, batchReplies, type Call } from "./batch.ts";
import { type Grouped, Groups } from "./groups.ts";
import { hasDigest, isDone, JOB_OPTIONS, jobDataOf, newJob } from "./job-data.ts";
import { type CommandRunner, runScript, scriptArguments } from "./scripts.ts";
import type { Shard } from "./shard.ts";
import { inTransaction, isReplyError } from "./transaction.ts";

/** A delivery, and who waits for its receipt. */
interface Waiting extends Grouped {
  readonly delivery: NewDelivery;
  readonly resolve: (receipt: Receipt | Promise<Receipt>) => void;
  readonly reject: (error: unknown) => void;
}

/** What was known of an event before it was added: nothing, its job, or the digest that is remembered. */
type Reply = string | null | Error;

/** Stores the deliveries of a shard. */
export class Acceptor {
  readonly #shard: Shard;
  readonly #replicas: number;
  readonly #groups = new Groups<Waiting>((group) => this.#storeGroup(group));

  constructor(shard: Shard, replicas: number) {
    this.#shard = shard;
    this.#replicas = replicas;
  }

  accept(delivery: NewDelivery): Promise<Receipt> {
    return new Promise((resolve, reject) => {
      this.#groups.add({ delivery, bytes: delivery.raw.byteLength, resolve, reject });
    });
  }

  /** What the shard knows of an event. */
  async known(key: string): Promise<string | null> {
    const [known] = (await runScript(this.#shard.redis, "malipoKnown", [this.#shard.key(key)])) as (
      | string
      | null
    )[];
    return known ?? null;
  }

  /** Equal events of a group share its result: none waits for the next group. */
  async #storeGroup(group: readonly Waiting[]): Promise<void> {
    const events = new Map<string, Waiting[]>();
    for (const one of group) {
      const same = events.get(one.delivery.key);
      if (same === undefined) events.set(one.delivery.key, [one]);
      else same.push(one);
    }
    const all = [...events.values()];
    try {
      await this.#store(all);
    } catch (error) {
      // Where Redis rejected the group, one event of it may be the reason.
      const rest = isReplyError(error) && all.length > 1 ? all : [];
      if (rest.length === 0) for (const { reject } of group) reject(error);
      for (const same of rest) {
        await this.#store([same]).catch((reason) => {
          for (const { reject } of same) reject(reason);
        });
      }
    }
  }

  /** Adds each event that is not known yet: what was known before, and the adding, in one moment. */
  async #store(events: readonly Waiting[][]): Promise<void> {
    const firsts = events.map(([first]) => (first as Waiting).delivery);
    const { redis, unprepared } = this.#shard;
    if (unprepared !== undefined) await unprepared;
    const dead = firsts.filter(({ deadLetterReason }) => deadLetterReason !== undefined);
    const others = firsts.filter(({ deadLetterReason }) => deadLetterReason === undefined);
    const batch = others.length === 0 ? undefined : await this.#batchOf(others);
    const replies = await inTransaction(redis, this.#replicas, (runner) => {
      if (batch !== undefined) runner.runCommand(batch.name, batch.args);
      for (const delivery of dead) this.#addDeadLetter(runner, delivery);
    });
    const added = batch === undefined ? [] : batchReplies<Reply>(replies.shift(), others.length);
    const known = new Map<NewDelivery, Reply>();
    for (const [at, delivery] of others.entries()) known.set(delivery, added[at] as Reply);
    for (const [at, delivery] of dead.entries()) known.set(delivery, replies[at] as Reply);
    for (const [at, same] of events.entries()) {
      this.#resolveAll(same, known.get(firsts[at] as NewDelivery) as Reply);
    }
  }

  /** Adds them by BullMQ's own command, all in one script. */
  async #batchOf(deliveries: readonly NewDelivery[]) {
    const { backend, redis } = this.#shard;
    let command = "";
    const calls: Call[] = [];
    const runner: CommandRunner = {
      runCommand: (name, args) => {
        command = name;
        calls.push([...args, this.#shard.key((deliveries[calls.length] as NewDelivery).key)]);
      },
    };
    for (const delivery of deliveries) {
      const { key, event } = delivery;
      await addJob(runner, backend, newJob(key, event, jobDataOf(delivery), JOB_OPTIONS));
    }
    return batchCommand(redis, { command, kind: "add", calls });
  }

  #addDeadLetter(runner: CommandRunner, delivery: NewDelivery): void {
    const { key, event, receivedAt, deadLetterReason = "" } = delivery;
    const keys = [this.#shard.key(key), this.#shard.key("failed")];
    const { data } = newJob(key, event, jobDataOf(delivery), JOB_OPTIONS);
    const options = JSON.stringify(JOB_OPTIONS);
    const args = [key, event, data, options, receivedAt, deadLetterReason, Date.now()];
    runner.runCommand("malipoAddDeadLetter", scriptArguments(keys, args));
  }

  #resolveAll(same: readonly Waiting[], before: Reply): void {
    const [first] = same as [Waiting, ...Waiting[]];
    for (const one of same) {
      if (before instanceof Error) one.reject(before);
      else if (one === first && before === null) one.resolve(receiptFor("accepted"));
      else one.resolve(this.compare(one.delivery, before ?? first.delivery.digest));
    }
  }

  /** The receipt for a delivery whose event is known already. Keeps it where it is a conflict. */
  async compare(delivery: NewDelivery, known: string): Promise<Receipt> {
    // A key without the data of an event: something else than this inbox wrote it.
    if (known === "") throw new EventMissingError("Redis");
    if (hasDigest(known, delivery.digest)) return receiptFor("duplicate");
    const id = conflictIdOf(delivery);
    const { redis, conflicts, unprepared } = this.#shard;
    if (unprepared !== undefined) await unprepared;
    const [before, added] = await inTransaction(redis, this.#replicas, (runner) => {
      runner.runCommand("malipoKnown", scriptArguments([this.#shard.conflictKey(id)], []));
      return addJob(runner, conflicts, newJob(id, delivery.event, jobDataOf(delivery), {}));
    });
    for (const reply of [before, added]) if (reply instanceof Error) throw reply;
    const [decided] = before as (string | null)[];
    // A person has decided on this one.
    return receiptFor(decided != null && isDone(decided) ? "duplicate" : "conflict");
  }
}

/** Adds a job by BullMQ's own command. */
export const addJob = (runner: CommandRunner, backend: RedisQueueBackend, job: JobJson): unknown =>
  backend.addJobToTransaction(
    runner as unknown as Parameters<RedisQueueBackend["addJobToTransaction"]>[0],
    job,
    job.id,
  );
