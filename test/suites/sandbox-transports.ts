import type { Sandbox } from "malipo/sandbox";

/** A way to reach a sandbox. */
export interface Transport {
  readonly baseUrl: string;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly close: () => Promise<void> | void;
}

/** A request and its response, as the transport showed them. */
export interface Entry {
  /** `GET /merchant`, and a note. */
  readonly request: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** As much of it as arrived. */
  readonly body?: string;
  /** The body of the request, if it had one. */
  readonly requestBody?: string;
  /** The name of the error, if there was no response, or not all of it. */
  readonly error?: string;
  /** The code of the error's cause. */
  readonly errorCode?: string;
  /** What the script read from the sandbox. */
  readonly value?: unknown;
}

/** The headers of a response that the service sets. */
const HEADERS = [
  "content-type",
  "allow",
  "retry-after",
  "x-sandbox-fault",
  "x-sandbox-chaos-seed",
  "access-control-allow-origin",
  "access-control-allow-methods",
  "access-control-allow-headers",
  "access-control-expose-headers",
  "access-control-max-age",
];

/** Calls a sandbox through a transport, and records everything. */
export function createRecorder(sandbox: Sandbox, { baseUrl, fetch }: Transport) {
  const transcript: Entry[] = [];

  async function call(
    method: string,
    path: string,
    init: {
      key?: string | undefined;
      headers?: Record<string, string>;
      body?: unknown;
      note?: string;
      signal?: AbortSignal;
    } = {},
  ): Promise<Entry> {
    const { key, headers = {}, body, note, signal } = init;
    const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
    const request = [method, path, note].filter(Boolean).join(" ");
    const entry: { -readonly [Field in keyof Entry]: Entry[Field] } = {
      request,
      ...(text !== undefined && text.length < 10_000 && { requestBody: text }),
    };
    try {
      const response = await fetch(baseUrl + path, {
        method,
        headers: { ...(key !== undefined && { "x-api-key": key }), ...headers },
        ...(text !== undefined && { body: text }),
        ...(signal && { signal }),
      });
      entry.status = response.status;
      const own = HEADERS.flatMap((name) => {
        const value = response.headers.get(name);
        return value === null ? [] : [[name, value]];
      });
      entry.headers = Object.fromEntries(own);
      entry.body = "";
      const decoder = new TextDecoder();
      for await (const chunk of response.body ?? []) {
        entry.body += decoder.decode(chunk, { stream: true });
      }
    } catch (error) {
      const { name, cause } = error as { name: string; cause?: { code?: string } };
      entry.error = name;
      if (cause?.code !== undefined) entry.errorCode = cause.code;
    }
    transcript.push(entry);
    return entry;
  }

  /** Records something that the script reads from the sandbox. */
  function look(what: string, value: unknown): void {
    transcript.push({ request: `look: ${what}`, value: structuredClone(value) });
  }

  return { transcript, call, look, sandbox };
}

export type Recorder = ReturnType<typeof createRecorder>;

/** A part that a transport cannot show. */
export interface Limit {
  readonly what: string;
  readonly why: string;
  /** An entry without that part. */
  readonly without: (entry: Entry) => Entry;
}

/** What a mocked network cannot show. */
const MSW_LIMITS: readonly Limit[] = [
  {
    what: "the code `ECONNRESET` of a reset",
    why: "a mocked network error is a bare `TypeError`",
    without: ({ errorCode, ...entry }) =>
      errorCode === "ECONNRESET" ? entry : { ...entry, ...(errorCode && { errorCode }) },
  },
];

/** What only HTTP can show. */
const NO_SOCKET_LIMITS: readonly Limit[] = [
  {
    what: "413 for a body over 1 MiB",
    why: "there is no socket to guard",
    without: (entry) => (entry.request.endsWith("over 1 MiB") ? { request: entry.request } : entry),
  },
];

/** What each transport cannot show of what HTTP shows. Everything else is the same through all. */
export const TRANSPORT_LIMITS = {
  HTTP: [],
  "sandbox.fetch": NO_SOCKET_LIMITS,
  msw: [...NO_SOCKET_LIMITS, ...MSW_LIMITS],
} as const satisfies Record<string, readonly Limit[]>;

/** A transcript without what a transport cannot show. */
export const without = (transcript: readonly Entry[], limits: readonly Limit[]): Entry[] =>
  transcript.map((entry) => limits.reduce((left, limit) => limit.without(left), entry));
