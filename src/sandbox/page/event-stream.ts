import type { ServerResponse } from "node:http";
import { clearTimeout, setTimeout } from "../clock/machine.ts";
import type { SandboxState } from "../sandbox-state.ts";

/** Changes within this many real milliseconds make one event. */
const BATCH_MS = 60;
/** A connection without data for long may be closed by something in between. */
const HEARTBEAT_MS = 20_000;
/** More pages than a developer opens. */
const MAX_CONNECTIONS = 64;

/** Server-sent events to open pages: something changed. What it is, they load themselves. */
export interface EventStream {
  /** Returns `false` if too many pages are connected already. */
  add(response: ServerResponse): boolean;
}

export function createEventStream(sandboxState: SandboxState): EventStream {
  const connections = new Set<ServerResponse>();
  let batch: ReturnType<typeof setTimeout> | undefined;
  let beating = false;

  function send(text: string): void {
    for (const response of connections) response.write(text);
  }

  function startHeartbeat(): void {
    if (beating) return;
    beating = true;
    setTimeout(beat, HEARTBEAT_MS).unref?.();
  }

  function beat(): void {
    beating = false;
    if (connections.size === 0) return;
    send(": heartbeat\n\n");
    startHeartbeat();
  }

  const watcher = {
    changed: () => {
      batch ??= setTimeout(() => {
        batch = undefined;
        send("event: changed\ndata:\n\n");
      }, BATCH_MS);
    },
    exchanged: () => {},
  };

  function remove(response: ServerResponse): void {
    connections.delete(response);
    if (connections.size > 0) return;
    sandboxState.watchers.delete(watcher);
    clearTimeout(batch);
    batch = undefined;
  }

  return {
    add: (response) => {
      if (connections.size >= MAX_CONNECTIONS) return false;
      response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
      // An event at every new connection: something may have happened since the last one.
      response.write("retry: 1000\nevent: changed\ndata:\n\n");
      response.on("close", () => remove(response));
      connections.add(response);
      sandboxState.watchers.add(watcher);
      startHeartbeat();
      return true;
    },
  };
}
