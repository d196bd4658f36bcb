import type { ServerResponse } from "node:http";
import { clearInterval, clearTimeout, setInterval, setTimeout } from "../clock/time.ts";
import type { SandboxState } from "../sandbox-state.ts";

/** Changes within this many real milliseconds make one event. */
const BATCH_MS = 60;
/** A connection without data for long may be closed by something in between. */
const HEARTBEAT_MS = 20_000;
/** More pages than a developer opens. */
const MAX_CONNECTIONS = 64;

/** Server-sent events to open pages: something changed. The pages load what it is. */
export class EventStream {
  readonly #sandboxState: SandboxState;
  readonly #connections = new Set<ServerResponse>();
  #batch: ReturnType<typeof setTimeout> | undefined;
  #heartbeat: ReturnType<typeof setInterval> | undefined;

  constructor(sandboxState: SandboxState) {
    this.#sandboxState = sandboxState;
  }

  /** Returns `false` if too many pages are connected already. */
  add(response: ServerResponse): boolean {
    if (this.#connections.size >= MAX_CONNECTIONS) return false;
    response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
    // An event at every new connection: something may have happened since the last one.
    response.write("retry: 1000\nevent: changed\ndata:\n\n");
    response.on("close", () => this.#remove(response));
    this.#connections.add(response);
    this.#sandboxState.watchers.add(this);
    this.#heartbeat ??= setInterval(() => this.#send(": heartbeat\n\n"), HEARTBEAT_MS);
    return true;
  }

  changed(): void {
    this.#batch ??= setTimeout(() => {
      this.#batch = undefined;
      this.#send("event: changed\ndata:\n\n");
    }, BATCH_MS);
  }

  #send(text: string): void {
    for (const response of this.#connections) response.write(text);
  }

  #remove(response: ServerResponse): void {
    this.#connections.delete(response);
    if (this.#connections.size > 0) return;
    this.#sandboxState.watchers.delete(this);
    clearTimeout(this.#batch);
    clearInterval(this.#heartbeat);
    this.#batch = undefined;
    this.#heartbeat = undefined;
  }
}
