import type { ApiRequest, ApiResponse, PlannedResponse } from "./messages.ts";

export interface Exchange {
  /** On the sandbox's clock. */
  readonly at: number;
  readonly request: ApiRequest;
  /** `undefined`: no response was sent. */
  readonly response: ApiResponse | undefined;
  readonly fault: PlannedResponse["fault"];
}

/** Follows what happens in a sandbox, as its page does. Must not change anything. */
export interface Watcher {
  /** Called after any change, often, and while a change is under way: react later. */
  changed?(): void;
  exchanged?(exchange: Exchange): void;
}

export type Watchers = Set<Watcher>;

/** Shows a request and its response to the watchers, as soon as there is a response. */
export function observeResponse(
  watchers: Watchers,
  now: () => number,
  request: ApiRequest,
  planned: PlannedResponse,
): PlannedResponse {
  // A read takes microseconds, so a sandbox without watchers skips this.
  if (watchers.size === 0) return planned;
  const { fault } = planned;
  const notify = (response: ApiResponse | undefined) => {
    const exchange = { at: now(), request, response, fault };
    for (const watcher of watchers) {
      watcher.exchanged?.(exchange);
      watcher.changed?.();
    }
  };
  if (fault === "reset" || fault === "hang") notify(undefined);
  return {
    ...planned,
    respond: () => {
      const response = planned.respond();
      notify(response);
      return response;
    },
  };
}
