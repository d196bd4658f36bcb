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
