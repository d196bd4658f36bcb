import type { ErrorResponse } from "./error-response.ts";
import type { RouteResult } from "./result.ts";

/** A request below the base URL, whichever transport it came by. */
export interface ApiRequest {
  readonly method: string;
  /** With its slash, percent-encoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly header: (name: string) => string | null | undefined;
  /** All headers as they were received, for the log. */
  readonly headers: () => Iterable<readonly [name: string, value: string]>;
  readonly body: string;
}

export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** What the sandbox decided, before it was put into words. `undefined`: a fault replaced it. */
  readonly decided?: RouteResult | ErrorResponse;
}

/** How a transport is to respond to a request, its fault included. */
export interface PlannedResponse {
  /** Milliseconds to wait first. */
  readonly latencyMs: number;
  /** What the transport has to break; `undefined`: the response is sent whole. */
  readonly fault: "reset" | "hang" | "truncate" | "lostResponse" | undefined;
  /** Does what the request asks for. Must not be called for `reset` and `hang`. */
  readonly respond: () => ApiResponse;
}
