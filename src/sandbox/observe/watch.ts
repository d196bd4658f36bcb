import type { ApiRequest, ApiResponse, PlannedResponse } from "../api/messages.ts";

/** One request to the service and what became of it. */
export interface Exchange {
  /** On the sandbox's clock. */
  readonly at: number;
  readonly request: ApiRequest;
  /** `undefined`: no answer went out. */
  readonly response: ApiResponse | undefined;
  readonly fault: PlannedResponse["fault"];
}

/** Somebody who looks on, such as the page. Looking on changes nothing. */
export interface Watcher {
  /** Something is other than it was. Called often, in the middle of things: to be answered later. */
  changed(): void;
  exchanged(exchange: Exchange): void;
}

/** Those who look on. */
export type Watchers = Set<Watcher>;

export function notifyChanged(watchers: Watchers): void {
  for (const watcher of watchers) watcher.changed();
}

/** Shows those who look on what becomes of a request. */
export function watched(
  watchers: Watchers,
  at: () => number,
  request: ApiRequest,
  answer: PlannedResponse,
): PlannedResponse {
  // Reads are counted in microseconds: nobody pays for a page that nobody has opened.
  if (watchers.size === 0) return answer;
  const { fault } = answer;
  const show = (response: ApiResponse | undefined) => {
    const exchange = { at: at(), request, response, fault };
    for (const watcher of watchers) {
      watcher.exchanged(exchange);
      watcher.changed();
    }
  };
  if (fault === "reset" || fault === "hang") show(undefined);
  return {
    ...answer,
    respond: () => {
      const reply = answer.respond();
      show(reply);
      return reply;
    },
  };
}
