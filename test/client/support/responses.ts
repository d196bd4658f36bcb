import type { GatewayOptions } from "malipo";

/** The type of a `fetch`. */
export type Fetch = NonNullable<GatewayOptions["fetch"]>;

/** One attempt, as it reached `fetch`. */
export interface Attempt {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly body: string | undefined;
  readonly init: RequestInit;
}

/** What happens to one attempt. */
export type Step = (attempt: Attempt) => Response | Promise<Response>;

/** A `fetch` that takes one step after another and repeats the last one. It records what was sent. */
export function script(...steps: Step[]): { fetch: Fetch; sent: Attempt[] } {
  const sent: Attempt[] = [];
  const fetch: Fetch = async (url, init) => {
    const body = typeof init.body === "string" ? init.body : undefined;
    const attempt = {
      method: init.method ?? "",
      url,
      headers: new Headers(init.headers),
      body,
      init,
    };
    sent.push(attempt);
    const step = steps[Math.min(sent.length, steps.length) - 1];
    if (step === undefined) throw new Error("The script has no steps.");
    return step(attempt);
  };
  return { fetch, sent };
}

export const json =
  (value: unknown, init?: ResponseInit): Step =>
  () =>
    Response.json(value, init);

export const text =
  (body: string | null, init?: ResponseInit): Step =>
  () =>
    new Response(body, init);

export const status = (code: number, headers: Record<string, string> = {}): Step =>
  json({ success: false, error: `no: ${code}` }, { status: code, headers });

export const html = (code = 200): Step =>
  text("<html><h1>Hello</h1></html>", {
    status: code,
    headers: { "content-type": "text/html" },
  });

/** A failure with its code, as Node's `fetch` reports one. */
export function fetchFailed(code: string, syscall: string): TypeError {
  const cause = Object.assign(new Error(`${syscall} ${code}`), { code, syscall });
  return new TypeError("fetch failed", { cause });
}

export const fail =
  (error: unknown): Step =>
  () =>
    Promise.reject(error);

export const connectionRefused = fail(fetchFailed("ECONNREFUSED", "connect"));
export const noSuchHost = fail(fetchFailed("ENOTFOUND", "getaddrinfo"));
export const reset = fail(fetchFailed("ECONNRESET", "read"));

/** Never responds, and ends only when it is aborted. */
export const hang: Step = ({ init: { signal } }) =>
  new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));

/** Never responds and ignores its signal. */
export const neverResponds: Step = () => new Promise(() => {});

/** A 2xx whose body begins, and then does what `then` does. */
function begun(then: (controller: ReadableStreamDefaultController, signal: AbortSignal) => void) {
  return ({ init: { signal } }: Attempt) =>
    new Response(
      new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode('{"success":true,"da'));
          then(controller, signal as AbortSignal);
        },
      }),
      { headers: { "content-type": "application/json" } },
    );
}

/** A 2xx whose body breaks off. */
export const truncated: Step = begun((controller) =>
  controller.error(new TypeError("terminated", { cause: fetchFailed("ECONNRESET", "read") })),
);

/** A 2xx whose body never ends, unless it is aborted. */
export const endless: Step = begun((controller, signal) =>
  signal.addEventListener("abort", () => controller.error(signal.reason)),
);

/** Another step, after a delay. */
export const late =
  (ms: number, step: Step): Step =>
  async (attempt) => {
    await new Promise((resolve) => setTimeout(resolve, ms));
    return step(attempt);
  };
