import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { hasEnded, killChild, signalChild, startCommand } from "./child.ts";
import { sendRequest } from "./request-template.ts";
import type { DrillSettings } from "./settings.ts";

/** How long a shop may take until it is ready, and until it has ended. */
const MAX_START_MS = 60_000;
const MAX_STOP_MS = 10_000;
const MAX_OUTPUT = 2_000_000;

/** The shop under test: one process, or a group of them, that is killed and started again. */
export class ShopProcess {
  readonly origin: string;
  readonly #settings: DrillSettings;
  readonly #env: Readonly<Record<string, string>>;
  readonly #port: number;
  #child: ChildProcess | undefined;
  #isMeant = false;
  #output = "";
  /** Called for what the shop prints. */
  onOutput: (text: string) => void = () => {};
  /** Called when the shop ends and the drill did not end it. */
  onDeath: (how: string) => void = () => {};
  /** How often it was killed, and how often it was stopped and continued. */
  readonly counts = { kill: 0, stop: 0 };

  constructor(settings: DrillSettings, port: number, env: Readonly<Record<string, string>>) {
    this.#settings = settings;
    this.#port = port;
    this.#env = env;
    this.origin = `http://127.0.0.1:${port}`;
  }

  /** The end of what it printed. */
  get output(): string {
    return this.#output;
  }

  get isRunning(): boolean {
    return this.#child !== undefined && !hasEnded(this.#child);
  }

  /** @throws {Error} if the shop ends or is not ready in time. */
  async start(): Promise<void> {
    const child = startCommand(this.#settings.start, {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...this.#settings.env, ...this.#env, PORT: String(this.#port) },
    });
    this.#child = child;
    this.#isMeant = false;
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.#output = (this.#output + text).slice(-MAX_OUTPUT);
        this.onOutput(text);
      });
    }
    let isReady = false;
    child.once("exit", (code, signal) => {
      if (isReady && !this.#isMeant) this.onDeath(signal ?? `exit code ${code}`);
    });
    const deadline = performance.now() + MAX_START_MS;
    while (!(await this.#answers())) {
      if (hasEnded(child)) {
        throw new Error(
          `The shop ended before it was ready (${child.signalCode ?? `exit code ${child.exitCode}`}).`,
        );
      }
      if (performance.now() > deadline) {
        throw new Error(
          `The shop was not ready within ${MAX_START_MS / 1_000} s on port ${this.#port}.`,
        );
      }
      await sleep(20);
    }
    isReady = true;
  }

  async #answers(): Promise<boolean> {
    const { ready, headers } = this.#settings;
    if (ready === undefined) return this.#accepts();
    const response = await sendRequest(this.origin, ready, {}, headers, 2_000).catch(
      () => undefined,
    );
    return response !== undefined && response.status < 500;
  }

  async #accepts(): Promise<boolean> {
    const socket = connect(this.#port, "127.0.0.1");
    const isOpen = await Promise.race([
      once(socket, "connect").then(() => true),
      once(socket, "error").then(() => false),
    ]).catch(() => false);
    socket.destroy();
    return isOpen;
  }

  /** Kills it, and starts it again. */
  async kill(): Promise<void> {
    await this.#end();
    this.counts.kill++;
    await this.start();
  }

  async #end(): Promise<void> {
    this.#isMeant = true;
    if (this.#child !== undefined) await killChild(this.#child);
    // A process that the command has started may live a moment longer, and answer for the next one.
    while (await this.#accepts()) await sleep(5);
  }

  /** Stops it for a time, as a machine does that is suspended. */
  async pause(ms: number): Promise<void> {
    if (this.#child === undefined) return;
    signalChild(this.#child, "SIGSTOP");
    await sleep(ms);
    signalChild(this.#child, "SIGCONT");
    this.counts.stop++;
  }

  /** Restarts it as a deployment does: it may end what it is doing. */
  async restart(): Promise<void> {
    await this.close();
    await this.start();
  }

  async close(): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    this.#isMeant = true;
    const ended = hasEnded(child) ? Promise.resolve() : once(child, "exit");
    signalChild(child, "SIGTERM");
    await Promise.race([ended, sleep(MAX_STOP_MS)]);
    // What the shop has started may still live.
    await this.#end();
  }
}
