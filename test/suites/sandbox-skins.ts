import type { Sandbox } from "malipo/sandbox";

/** A way to reach a sandbox. */
export interface Skin {
  readonly baseUrl: string;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly close: () => Promise<void> | void;
}

/** What was asked, and what was seen of the answer. */
export interface Entry {
  /** `GET /merchant`, and what is special about it. */
  readonly asked: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** As far as it came. */
  readonly body?: string;
  /** The request's body, where there was one. */
  readonly sent?: string;
  /** The name of the error, where no answer came, or not the whole of it. */
  readonly failed?: string;
  /** The code of its cause. */
  readonly code?: string;
  /** What stood in the world, where the script looked. */
  readonly seen?: unknown;
}

/** The headers of an answer that are the service's own. */
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

/** Calls a sandbox through a skin, and writes down all that is seen. */
export function recorder(sandbox: Sandbox, { baseUrl, fetch }: Skin) {
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
    const asked = [method, path, note].filter(Boolean).join(" ");
    const entry: { -readonly [Field in keyof Entry]: Entry[Field] } = {
      asked,
      ...(text !== undefined && text.length < 10_000 && { sent: text }),
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
      entry.failed = name;
      if (cause?.code !== undefined) entry.code = cause.code;
    }
    transcript.push(entry);
    return entry;
  }

  /** Writes down what stands in the world. */
  function look(what: string, seen: unknown): void {
    transcript.push({ asked: `look: ${what}`, seen: structuredClone(seen) });
  }

  return { transcript, call, look, sandbox };
}

export type Recorder = ReturnType<typeof recorder>;

/** A thing that a skin cannot show. */
export interface Limit {
  readonly what: string;
  readonly why: string;
  /** An entry without that thing. */
  readonly without: (entry: Entry) => Entry;
}

/** What a mocked network cannot show. */
const MSW: readonly Limit[] = [
  {
    what: "the code `ECONNRESET` of a reset",
    why: "a mocked network error is a bare `TypeError`",
    without: ({ code, ...entry }) =>
      code === "ECONNRESET" ? entry : { ...entry, ...(code && { code }) },
  },
];

/** What no skin but HTTP can show. */
const NO_SOCKET: readonly Limit[] = [
  {
    what: "413 for a body over 1 MiB",
    why: "there is no socket to guard",
    without: (entry) => (entry.asked.endsWith("over 1 MiB") ? { asked: entry.asked } : entry),
  },
];

/** What each skin cannot show of what HTTP does. All else is the same through every one of them. */
export const CANNOT_SHOW = {
  HTTP: [],
  "sandbox.fetch": NO_SOCKET,
  msw: [...NO_SOCKET, ...MSW],
} as const satisfies Record<string, readonly Limit[]>;

/** A transcript without what cannot be shown. */
export const without = (transcript: readonly Entry[], limits: readonly Limit[]): Entry[] =>
  transcript.map((entry) => limits.reduce((left, limit) => limit.without(left), entry));
