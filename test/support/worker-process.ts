// A process of a test that does what the test tells it to. `answerTasks` is its side.
import { fork } from "node:child_process";
import { once } from "node:events";
import { endWithThisProcess, killChild } from "../../src/drill/child.ts";

export interface WorkerProcess<Task, Reply> {
  /** Rejects if the process ends before it has replied. */
  do(task: Task): Promise<Reply>;
  kill(): Promise<void>;
}

interface Message {
  readonly id: number;
}

/** The id of the message that says that a process is ready. */
const READY = 0;

/**
 * Starts a process, and waits until it is ready.
 *
 * @param file - Calls {@link answerTasks}. It gets the settings as its argument, in JSON.
 */
export async function startWorker<Task, Reply>(
  file: string,
  settings: object,
): Promise<WorkerProcess<Task, Reply>> {
  const child = fork(file, [JSON.stringify(settings)], { execArgv: [] });
  endWithThisProcess(child);
  const waiting = new Map<number, (reply: Reply) => void>();
  const replyTo = (id: number) =>
    new Promise<Reply>((resolve) => {
      waiting.set(id, resolve);
    });
  // Before anything is awaited: no message is missed.
  child.on("message", ({ id, reply }: Message & { readonly reply: Reply }) => {
    waiting.get(id)?.(reply);
    waiting.delete(id);
  });
  const ended = once(child, "exit").then(([code, signal]) =>
    Promise.reject(new Error(`The process ${file} has ended: ${signal ?? code}.`)),
  );
  ended.catch(() => {});
  const replied = (id: number): Promise<Reply> => Promise.race([replyTo(id), ended]);
  await replied(READY);
  let tasks = READY;
  return {
    do: (task) => {
      const id = ++tasks;
      const reply = replied(id);
      child.send({ id, task });
      return reply;
    },
    kill: () => killChild(child),
  };
}

/** In the process: does each task of the test, and says that it is ready. @param work - Never rejects. */
export function answerTasks<Task, Reply>(work: (task: Task) => Promise<Reply>): void {
  process.on("message", async ({ id, task }: Message & { readonly task: Task }) => {
    process.send?.({ id, reply: await work(task) });
  });
  process.on("disconnect", () => process.exit());
  process.send?.({ id: READY });
}

/** In the process: what {@link startWorker} was given. */
export const workerSettings = <Settings>(): Settings => JSON.parse(process.argv[2] ?? "{}");
