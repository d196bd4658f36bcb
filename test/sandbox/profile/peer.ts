import { createSandbox, type Sandbox, type SandboxOptions } from "../../../src/sandbox/index.ts";
import { createDialectService, type Dialect } from "../../support/dialects/index.ts";

/** A key by what it may do. `none` sends no key, `unknown` one that does not exist. */
export type KeyUse = "sandbox" | "secret" | "public" | "scopeless" | "none" | "unknown";

export interface Heard {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** A delivery as the receiver of a peer got it. */
interface Delivered {
  readonly at: number;
  readonly headers: Headers;
  readonly body: string;
  readonly status: number;
}

type Outcome = "approve" | "cancel" | "wrongPin" | "expire";

/** Something that speaks: a service, or a sandbox. One script runs against both. */
export interface Peer {
  readonly webhookSecret: string;
  readonly deliveries: Delivered[];
  /** What the receiver returns from now on. */
  receiverStatus: number;
  call(method: string, path: string, options?: CallOptions): Promise<Heard>;
  answer(phone: string, outcome: Outcome): Promise<void>;
  advance(ms: number): Promise<void>;
  settled(): Promise<void>;
}

export interface CallOptions {
  readonly key?: KeyUse;
  /** A string is sent unchanged. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const UNKNOWN_KEY = "sk_no_such_key_exists_000000";

type Fetch = (input: string, init: RequestInit) => Promise<Response>;

function caller(fetch: Fetch, baseUrl: string, keys: Readonly<Record<string, string>>) {
  return async (method: string, path: string, options: CallOptions = {}): Promise<Heard> => {
    const { key = "sandbox", body, headers = {} } = options;
    const used = key === "unknown" ? UNKNOWN_KEY : keys[key];
    const response = await fetch(baseUrl + path, {
      method,
      headers: { ...(used !== undefined && { "x-api-key": used }), ...headers },
      ...(body !== undefined && {
        body: typeof body === "string" ? body : JSON.stringify(body),
      }),
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
}

/** A receiver that remembers deliveries, and returns a given response. */
function receiver(now: () => number) {
  const state = { deliveries: [] as Delivered[], receiverStatus: 200 };
  const deliver = async (request: Request) => {
    const { receiverStatus: status } = state;
    const body = await request.text();
    state.deliveries.push({ at: now(), headers: request.headers, body, status });
    return new Response(null, { status });
  };
  return { state, deliver };
}

const WINDOW_MS = 10;

/** A service that speaks a dialect. A 429 is waited out, as a client does. */
export function servicePeer(dialect: Dialect): Peer {
  const { state, deliver } = receiver(() => service.now().getTime());
  const service = createDialectService(dialect, { deliver, windowMs: WINDOW_MS });
  const fetch: Fetch = async (input, init) => {
    for (;;) {
      const response = await service.fetch(input, init);
      if (response.status !== 429) return response;
      await new Promise((resolve) => setTimeout(resolve, WINDOW_MS));
    }
  };
  return Object.assign(state, {
    webhookSecret: service.webhookSecret,
    call: caller(fetch, service.baseUrl, service.keys),
    answer: async (phone: string, outcome: Outcome) => {
      service.answer(phone, outcome);
      await service.settled();
    },
    advance: (ms: number) => service.advance(ms),
    settled: () => service.settled(),
  });
}

const ACTS = { approve: "approve", cancel: "cancel", wrongPin: "enterWrongPin" } as const;

/** A sandbox, with a profile or without. */
export function sandboxPeer(options: SandboxOptions): Peer {
  const { state, deliver } = receiver(() => sandbox.clock.now().getTime());
  const sandbox: Sandbox = createSandbox({ ...options, auto: "none", deliver });
  const scopeless = sandbox.createKey({ kind: "secret", scopes: [] });
  return Object.assign(state, {
    webhookSecret: sandbox.webhookSecret,
    call: caller(sandbox.fetch, sandbox.baseUrl, { ...sandbox.keys, scopeless }),
    answer: async (phone: string, outcome: Outcome) => {
      if (outcome === "expire") await sandbox.clock.advance("61s");
      else sandbox.phone(phone)[ACTS[outcome]]();
      await sandbox.deliveries.settled();
    },
    advance: (ms: number) => sandbox.clock.advance(ms),
    settled: () => sandbox.deliveries.settled(),
  });
}
