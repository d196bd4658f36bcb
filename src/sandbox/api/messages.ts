/** A request below the base URL, as every skin hands it over. */
export interface ApiRequest {
  readonly method: string;
  /** With its slash, still encoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly header: (name: string) => string | null | undefined;
  /** All of them, as they came: to show them. */
  readonly headers: () => Iterable<readonly [name: string, value: string]>;
  readonly body: string;
}

/** What to answer, and what a skin has to break on its way. */
export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface PlannedResponse {
  /** Milliseconds to wait first. */
  readonly latencyMs: number;
  /** `undefined`: the reply goes out whole. */
  readonly fault: "reset" | "hang" | "truncate" | "lostResponse" | undefined;
  /** Does what the request asks for, and gives the answer. Not called for `reset` and `hang`. */
  readonly respond: () => ApiResponse;
}
