import type { ServerResponse } from "node:http";
import { clearTimeout, setTimeout } from "../clock/machine.ts";
import type { World } from "../state/world.ts";

/** How long changes are gathered before pages are told, in real milliseconds. */
const GATHER_MS = 60;
/** So that nobody between takes a quiet connection for a dead one. */
const HEARTBEAT_MS = 20_000;
/** More pages than a developer opens. */
const MOST_LISTENERS = 64;

/** Tells open pages that something changed, and never what: they look for themselves. */
export interface LivePages {
  /** Gives `false` where too many listen already. */
  add(response: ServerResponse): boolean;
}

export function createLivePages(world: World): LivePages {
  const open = new Set<ServerResponse>();
  let gathering: ReturnType<typeof setTimeout> | undefined;

  function say(text: string): void {
    for (const response of open) response.write(text);
  }
  function beat(): void {
    say(": still here\n\n");
    if (open.size > 0) setTimeout(beat, HEARTBEAT_MS).unref?.();
    else beating = false;
  }
  let beating = false;

  const watcher = {
    changed: () => {
      gathering ??= setTimeout(() => {
        gathering = undefined;
        say("event: changed\ndata:\n\n");
      }, GATHER_MS);
    },
    exchanged: () => {},
  };

  function leave(response: ServerResponse): void {
    open.delete(response);
    if (open.size > 0) return;
    world.watchers.delete(watcher);
    clearTimeout(gathering);
    gathering = undefined;
  }

  return {
    add: (response) => {
      if (open.size >= MOST_LISTENERS) return false;
      response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
      // Said again at every new connection: something may have happened in between.
      response.write("retry: 1000\nevent: changed\ndata:\n\n");
      response.on("close", () => leave(response));
      open.add(response);
      world.watchers.add(watcher);
      if (!beating) {
        beating = true;
        setTimeout(beat, HEARTBEAT_MS).unref?.();
      }
      return true;
    },
  };
}
