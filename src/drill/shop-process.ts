import type { ChildProcess } from "node:child_process";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import {
  freePort,
  hasEnded,
  isGroupAlive,
  killChild,
  killStrays,
  signalChild,
  startCommand,
} from "./child.ts";
import type { DrillSettings } from "./drill-settings.ts";
import { pace, until } from "./machine-pace.ts";
import { sendRequest } from "./request-template.ts";

/** How long a shop may take until it is ready, and until it has ended. */
const MAX_START_MS = 60_000;
const MAX_STOP_MS = 10_000;
/** How long what the command has started may live after the command. */
const MAX_STRAY_MS = 3_000;

interface ShopListener {
  readonly onOutput: (text: string) => void;
  /** Called when the shop ends and the drill did not end it. */
  readonly onDeath: (how: string) => void;
}

const exitOf = ({ exitCode, signalCode }: ChildProcess) => signalCode ?? `exit code ${exitCode}`;

/** A shop of which something lives on after its process group was killed. */
class StrayShopError extends Error {
  constructor(port: number) {
    super(
      `The shop still listens on port ${port} after it was killed: it leaves its process group. Start it in the foreground, without a daemon, nohup or setsid (--start).`,
    );
  }
}

/** The shop under test: one process, or a group of them, that is killed and started again. */
export class ShopProcess {
  /** Every process that the shop starts inherits it. */
  readonly #mark = crypto.randomUUID();
  readonly #settings: DrillSettings;
  readonly #listener: ShopListener;
  /** What the shop needs to know of its service. */
  env: Readonly<Record<string, string>> = {};
  #child: ChildProcess | undefined;
  #port = 0;
  /** Since when it can respond; `Infinity` while the drill has stopped it. */
  #upSince = Number.POSITIVE_INFINITY;
  #isClosed = false;

  constructor(settings: DrillSettings, listener: ShopListener) {
    this.#settings = settings;
    this.#listener = listener;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Whether the drill has let it run since a point in time, from `performance.now()`. */
  wasUpSince(time: number): boolean {
    return this.#upSince <= time;
  }

  /** @throws {Error} if the shop ends or is not ready in time. */
  async start(): Promise<void> {
    const { onOutput, onDeath } = this.#listener;
    this.#port ||= await freePort();
    if (this.#isClosed) throw new Error("The drill has ended.");
    const child = startCommand(this.#settings.start, {
      stdio: ["ignore", "pipe", "pipe"],
      // A shop needs its own variables. Those of the drill come last: no real key reaches the shop under their names.
      env: {
        ...process.env,
        ...this.#settings.env,
        ...this.env,
        PORT: String(this.#port),
        MALIPO_DRILL: this.#mark,
      },
    });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", onOutput);
    }
    const isReady = async () => {
      if (await this.#isReady()) return true;
      if (!hasEnded(child)) return false;
      throw new Error(`The shop ended before it was ready (${exitOf(child)}).`);
    };
    if (!(await until(isReady, MAX_START_MS))) {
      throw new Error(
        `The shop was not ready within ${MAX_START_MS / 1_000} s on port ${this.#port}.`,
      );
    }
    this.#upSince = performance.now();
    child.once("exit", () => {
      if (this.#upSince === Number.POSITIVE_INFINITY) return;
      this.#upSince = Number.POSITIVE_INFINITY;
      onDeath(exitOf(child));
    });
  }

  async #isReady(): Promise<boolean> {
    const { ready, headers } = this.#settings;
    if (ready === undefined) return this.#accepts();
    const sent = sendRequest(this.origin, ready, {}, headers, pace.scale(2_000));
    return sent.then(({ status }) => status < 500).catch(() => false);
  }

  #accepts(): Promise<boolean> {
    return new Promise((resolve) => {
      const socket = connect(this.#port, "127.0.0.1");
      socket.once("error", () => resolve(false));
      socket.once("connect", () => {
        socket.destroy();
        resolve(true);
      });
    });
  }

  /** Kills it, and starts it again. */
  async kill(): Promise<void> {
    await this.#end();
    await this.start();
  }

  async #end(): Promise<void> {
    this.#upSince = Number.POSITIVE_INFINITY;
    if (this.#child !== undefined) await killChild(this.#child);
    // A process that the command has started may live a moment longer, and answer for the next one.
    const isFree = async () => !(await this.#accepts());
    if (await until(isFree, MAX_STRAY_MS)) return;
    killStrays(this.#mark);
    throw new StrayShopError(this.#port);
  }

  /** Stops it for a time, as a machine does that is suspended. */
  async pause(ms: number, onStopped: () => void): Promise<void> {
    if (this.#child === undefined) return;
    this.#upSince = Number.POSITIVE_INFINITY;
    signalChild(this.#child, "SIGSTOP");
    onStopped();
    await sleep(ms);
    signalChild(this.#child, "SIGCONT");
    this.#upSince = performance.now();
  }

  /** Ends it for good, at once. Never rejects: what is wrong was said before. */
  async destroy(): Promise<void> {
    this.#isClosed = true;
    await this.#end().catch(() => {});
    killStrays(this.#mark);
  }

  /** Ends it as a deployment does: it may finish what it is doing. */
  async close(): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    this.#upSince = Number.POSITIVE_INFINITY;
    signalChild(child, "SIGTERM");
    await until(() => hasEnded(child), MAX_STOP_MS);
    // A shell ends at once: what it has started may still be finishing.
    await until(() => !isGroupAlive(child), MAX_STRAY_MS);
    await this.#end();
  }
}
