import { ROWS, type Row } from "../endpoints.ts";
import { DeliveryQueue } from "./delivery-queue.ts";
import { type Call, finish, HANDLERS } from "./handlers.ts";
import { Rejected } from "./rejected.ts";
import { type ServedDialect, serveDialect } from "./serve.ts";
import { type KeyName, newStore, type Store } from "./store.ts";
import type { Dialect, Fields, Payment, Rejection } from "./types.ts";

/** A payment service in memory that speaks a dialect. It shares no code with the sandbox. */
export interface DialectService {
  readonly dialect: Dialect;
  /** What `fetch` answers for. */
  readonly baseUrl: string;
  readonly fetch: (input: Request | string | URL, init?: RequestInit) => Promise<Response>;
  /** `scopeless` is a secret key without any scope. */
  readonly keys: Readonly<Record<KeyName, string>>;
  readonly webhookSecret: string;
  /** How many requests it got. */
  readonly requests: number;
  /** The method and path of each request, in their order. */
  readonly seen: readonly string[];
  /** The time of the service. It stands still but for `advance`. */
  now(): Date;
  /** Moves the time on, and makes each delivery attempt that falls due, one after another. */
  advance(ms: number): Promise<void>;
  /** Resolves when all attempts that are due have ended. */
  settled(): Promise<void>;
  /** Answers the open prompt of a phone (254...). */
  answer(phone: string, outcome: "approve" | "cancel" | "wrongPin" | "expire"): void;
  /** Serves it over HTTP on 127.0.0.1. */
  serve(port?: number): Promise<ServedDialect>;
}

const OUTCOMES = { cancel: "cancelled", wrongPin: "wrongPin", expire: "expired" } as const;

/**
 * Starts a service.
 *
 * @param options - `deliver` sends the deliveries; the global `fetch` unless given. `windowMs`: for how
 *   long requests count towards the rate limit, in real time; a second unless given.
 */
export function createDialectService(
  dialect: Dialect,
  options: { deliver?: (request: Request) => Promise<Response>; windowMs?: number } = {},
): DialectService {
  const store = newStore(dialect.name, options.windowMs);
  const webhookSecret = `secret of ${dialect.name}`;
  const deliver = options.deliver ?? ((request) => globalThis.fetch(request));
  const queue = new DeliveryQueue({ store, dialect, secret: webhookSecret, deliver });
  const emit = (event: string, data: Fields) => queue.emit(event, data);
  const baseUrl = `https://${dialect.name}.example/v1`;
  const seen: string[] = [];

  const respond = async (request: Request, prefix: string): Promise<Response> => {
    const url = new URL(request.url);
    const path = url.pathname.slice(prefix.length) || "/";
    seen.push(`${request.method} ${path}`);
    const text = await request.text();
    return answerRequest({ store, dialect, emit }, request, {
      path,
      query: url.searchParams,
      text,
    });
  };

  return {
    dialect,
    baseUrl,
    fetch: (input, init) => respond(new Request(input, init), "/v1"),
    keys: store.keys,
    webhookSecret,
    get requests() {
      return store.requests;
    },
    seen,
    now: () => store.now,
    advance: (ms) => queue.advance(ms),
    settled: () => queue.settled(),
    answer: (phone, outcome) => {
      const payment = store.payments.find((one) => one.phone === phone && one.state === "pending");
      if (payment === undefined) throw new Error(`No prompt is open on ${phone}.`);
      finishPayment({ store, dialect, emit }, payment, outcome);
    },
    serve: (port) => serveDialect(respond, port),
  };
}

type Speaker = Pick<Call, "store" | "dialect" | "emit">;

function finishPayment(speaker: Speaker, payment: Payment, outcome: string): void {
  finish(speaker, payment, OUTCOMES[outcome as keyof typeof OUTCOMES]);
}

interface Received {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly text: string;
}

/** Responds to one request. */
function answerRequest(speaker: Speaker, request: Request, received: Received): Response {
  const { store, dialect } = speaker;
  const n = ++store.requests;
  const left = Math.max((dialect.requestsPerSecond ?? 600) - store.recent - 1, 0);
  const headers = dialect.headers({ n, left });
  try {
    if (dialect.html) throw new Rejected("unknownPath", "It works!");
    countRequest(store, dialect);
    const { status, body } = decide(speaker, request, received, n);
    if (status === 204) return new Response(null, { status, headers });
    return Response.json(body, { status, headers });
  } catch (error) {
    if (!(error instanceof Rejected)) throw error;
    const status = dialect.html ? 200 : dialect.rejections[error.cause];
    const { cause, message, field } = error;
    const rejection: Rejection = { cause, status, message, field, path: received.path, n };
    const body = dialect.reject(rejection);
    const extra = cause === "rateLimit" ? { ...headers, "retry-after": "1" } : headers;
    if (typeof body !== "string") return Response.json(body, { status, headers: extra });
    const type = { "content-type": "text/html; charset=utf-8" };
    return new Response(body, { status, headers: { ...extra, ...type } });
  }
}

/** The path of an endpoint. */
const patternOf = ({ route }: Row) => new RegExp(`^${route.replace(/\{\w+\}/, "([^/]+)")}$`);
const PATTERNS = ROWS.map((row) => [row, patternOf(row)] as const);

/** @throws 429, when there were too many requests within a window of real time. */
function countRequest(store: Store, { requestsPerSecond = Infinity }: Dialect): void {
  if (Date.now() - store.recentSince >= store.windowMs) {
    store.recentSince = Date.now();
    store.recent = 0;
  }
  if (store.recent >= requestsPerSecond) throw new Rejected("rateLimit", "Too many requests.");
  store.recent++;
}

function decide(speaker: Speaker, request: Request, received: Received, n: number) {
  const { dialect } = speaker;
  const { path, query, text } = received;
  const found = PATTERNS.find(([one, at]) => one.method === request.method && at.test(path));
  if (found === undefined) throw unknownRoute(path);
  const [row, pattern] = found;
  checkKey(speaker, request, row);
  const [, id = ""] = pattern.exec(path) ?? [];
  const body = row.method === "POST" || row.method === "PUT" ? parseBody(text) : {};
  const call: Call = { ...speaker, id: decodeURIComponent(id), query, body, path };
  const decision = HANDLERS[row.name](call);
  if ("list" in decision) {
    return { status: 200, body: dialect.list(decision.items, decision.page, decision.list) };
  }
  const { status, resource, data } = decision;
  const documented = /^(\/payments\/|\/mobile-money\/payment)/.test(path);
  return { status, body: dialect.wrap(data, { documented, resource, n }) };
}

function unknownRoute(path: string): Rejected {
  const isPath = PATTERNS.some(([, pattern]) => pattern.test(path));
  return isPath
    ? new Rejected("wrongMethod", "The method is not allowed.")
    : new Rejected("unknownPath", "There is no such path.");
}

function checkKey({ store, dialect }: Speaker, { headers }: Request, row: Row): void {
  const [, bearer] = /^Bearer (\S+)$/i.exec(headers.get("authorization") ?? "") ?? [];
  const key = headers.get("x-api-key") ?? bearer;
  if (!key) throw new Rejected("noKey", "A key is required.");
  const name = Object.entries(store.keys).find(([, one]) => one === key)?.[0];
  if (name === undefined) throw new Rejected("unknownKey", "The key is not known.");
  const rejectsPublic = dialect.rejections.wrongKind >= 400 || dialect.chargesPublicKeys;
  if (name === "public" && row.open !== "to public keys" && rejectsPublic) {
    throw new Rejected("wrongKind", "A secret key is required.");
  }
  if (name === "scopeless" && dialect.hasScopes) {
    throw new Rejected(
      "missingScope",
      `The key lacks the scope ${row.scope ?? "payments.create"}.`,
    );
  }
}

function parseBody(text: string): Fields {
  try {
    const body: unknown = JSON.parse(text.trim() === "" ? "{}" : text);
    if (typeof body === "object" && body !== null && !Array.isArray(body)) return body as Fields;
  } catch {
    // Rejected below.
  }
  throw new Rejected("invalidJson", "The body is not a JSON object.");
}
