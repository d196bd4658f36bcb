import { span } from "../../internal/span.ts";
import { machineTime } from "../clock.ts";
import type { StoredDelivery } from "../state/stored.ts";

/** What is known about an attempt for which the receiver did not return 200. */
export interface FailedAttempt {
  /** 0 if there was no response. */
  readonly status: number;
  /** Why there was no response, or an empty text. */
  readonly error: string;
  /** The response body. */
  readonly response: string;
  readonly url: string;
  /** The age of the signed timestamp by the machine's clock, which the receiver uses. */
  readonly ageMs: number;
  /** Its age by the sandbox's clock: above 0 for retries. */
  readonly sinceEventMs: number;
  readonly clock: "virtual" | "real";
  /** The faults that chaos injected. */
  readonly chaos: readonly string[];
}

/** The likely reason of a failure, and what to do about it. */
export interface FailureReason {
  readonly title: string;
  readonly advice: string;
}

/** When it is the reason, and what to do. `{host}`, `{path}` and `{status}` are filled in. */
type Row = readonly [
  when: (attempt: FailedAttempt) => boolean,
  advice: string | ((attempt: FailedAttempt) => string),
];

const MAX_CLOCK_DIFFERENCE_MS = 300_000;

function tooOldAdvice({ ageMs, clock, sinceEventMs }: FailedAttempt): string {
  if (clock === "virtual" && Math.abs(ageMs) > MAX_CLOCK_DIFFERENCE_MS) {
    const age = `${span(Math.abs(ageMs))} ${ageMs > 0 ? "behind" : "ahead of"}`;
    return `The sandbox's time is virtual. The signed timestamp is ${age} your machine's clock. Run the sandbox in real time, or remove the receiver's age limit in tests.`;
  }
  return sinceEventMs > 0
    ? `A retry keeps the timestamp of the event, which was ${span(sinceEventMs)} old. An age limit below the retry schedule (2 h 36 min here) loses events. Raise it, or remove it.`
    : "The receiver rejects the signed timestamp. Compare its clock with the clock of this machine.";
}

// The first one that fits is the likeliest. What the receiver wrote comes before what its status
// suggests.
const REASONS: Readonly<Record<string, Row>> = {
  "Chaos: lost on the way": [
    ({ chaos }) => chaos.includes("drop"),
    "The receiver never got it. It is retried automatically.",
  ],
  "Chaos: a wrong signature": [
    ({ chaos }) => chaos.includes("badSignature"),
    "The signature was made wrong on purpose, and it is right to reject it. The next attempt has the correct one.",
  ],
  "Chaos: a timestamp one day old": [
    ({ chaos, status }) => chaos.includes("staleTimestamp") && status === 401,
    "The timestamp was made old on purpose. It is right that a receiver with an age limit rejects it.",
  ],
  "Chaos: a new secret signs": [
    ({ chaos, status }) => chaos.includes("rotateSecret") && status === 401,
    "Give the receiver both secrets under Connect your application. It then accepts either of them.",
  ],
  "Unreachable: nothing listens at {host}": [
    ({ error }) => /ECONNREFUSED/.test(error),
    "Start your receiver, or register the address at which it listens.",
  ],
  "Unreachable: {host} has a port that fetch never calls": [
    ({ error }) => /bad port/i.test(error),
    "Browsers and fetch block some ports, such as 6000. Move your receiver to another port.",
  ],
  "Unreachable: the host {host} does not exist": [
    ({ error }) => /ENOTFOUND|EAI_AGAIN/.test(error),
    "Fix the webhook's address. On this machine, use http://127.0.0.1 and a port.",
  ],
  "Too slow: no response in time": [
    ({ error }) => /no response within/.test(error),
    "Verify the event, store it, return 200, and do the work afterwards. Check that every code path sends a response.",
  ],
  "Unreachable: TLS failed": [
    ({ error }) => /CERT|SSL|TLS|self.signed|EPROTO/i.test(error),
    "The certificate is not trusted here, or the receiver speaks plain http. On loopback, http:// is accepted.",
  ],
  "The receiver closed the connection without a response": [
    ({ error }) => /ECONNRESET|UND_ERR_SOCKET|socket hang up|EPIPE/.test(error),
    "It crashed, or closed the connection while it was reading. Its log shows more.",
  ],
  Unreachable: [({ error }) => /./.test(error), "There was no connection. The error is below."],
  "The clock: too old for the receiver": [
    ({ response }) => /time.?stamp|too old|stale|clock|replay.window|tolerance/i.test(response),
    tooOldAdvice,
  ],
  "The body was parsed before it was verified": [
    ({ response }) =>
      /not raw|raw body|re-?seriali[sz]|already.{0,12}parsed|body.?parser/i.test(response),
    "The signature covers the raw bytes. Verify them first, then parse: express.raw() on this route, rawBody in Nest, request.arrayBuffer() in other frameworks.",
  ],
  "The signature did not reach the receiver": [
    ({ response }) =>
      /(signature|header).{0,20}(missing|malformed|absent)|(missing|no) ([\w-]{1,20} )?signature/i.test(
        response,
      ),
    "It is in the header X-Service-Signature. Check that no proxy removes it, and that the receiver reads this header.",
  ],
  "Wrong secret, most likely": [
    ({ status }) => status === 401 || status === 403,
    "Give the receiver the webhook secret under Connect your application, without quotes or a line end. If it has that secret, the body was parsed and re-serialised before it was verified: verify the raw bytes.",
  ],
  "The receiver returned {status}, not 200": [
    ({ status }) => status > 200 && status < 300,
    "Only 200 acknowledges a delivery. After any other status it is retried.",
  ],
  "The receiver returned {status}, a redirect": [
    ({ status }) => status >= 300 && status <= 399,
    "Redirects are not followed. Register the address to which it leads.",
  ],
  "Not 200: nothing at this path": [
    ({ status }) => status === 404,
    "The receiver runs, but has no route for {path}.",
  ],
  "Not 200: the route does not accept POST": [
    ({ status }) => status === 405,
    "Deliveries are POST requests. Accept POST.",
  ],
  "Not 200: the receiver does not accept this body": [
    ({ status }) => status === 413 || status === 415,
    "It is application/json of a few hundred bytes. Check the limits and the types of its body parser.",
  ],
  "Not 200: the receiver is busy": [
    ({ status }) => status === 429 || status === 503,
    "The receiver asked to be retried later. The sandbox retries automatically.",
  ],
  "Not 200: the receiver failed with {status}": [
    ({ status }) => status >= 500 && status <= 599,
    "Its log shows the reason. Fix it, then send the delivery again from here.",
  ],
};

const OTHER: readonly [title: string, Row] = [
  "Not 200: the receiver returned {status}",
  [() => true, "Only 200 acknowledges a delivery. The response body is below."],
];

/** The likely reason of a failed attempt. */
export function findFailureReason(attempt: FailedAttempt): FailureReason {
  const { url, status } = attempt;
  const { host, pathname } = URL.canParse(url) ? new URL(url) : { host: url, pathname: url };
  const values: Readonly<Record<string, string | number>> = { host, path: pathname, status };
  const fill = (text: string) => text.replace(/\{(\w+)\}/g, (_, name) => String(values[name]));
  const known = Object.entries(REASONS).find(([, [when]]) => when(attempt));
  const [title, [, advice]] = known ?? OTHER;
  const text = typeof advice === "string" ? fill(advice) : advice(attempt);
  return { title: fill(title), advice: text };
}

/**
 * The likely reason why the last attempt of a delivery failed; `undefined` if it did not fail, or if there was
 * none.
 */
export function lastFailure(
  { attempts, responses, url, body, chaos }: StoredDelivery,
  clock: FailedAttempt["clock"],
): FailureReason | undefined {
  const last = attempts.at(-1);
  if (last === undefined || last.status === 200) return undefined;
  const { timestamp = "" } = JSON.parse(body) as { timestamp?: string };
  const signedAt = Date.parse(timestamp);
  return findFailureReason({
    status: last.status ?? 0,
    error: last.error ?? "",
    chaos: [...(last.chaos ?? []), ...(chaos?.faults ?? [])],
    response: responses?.[attempts.length - 1] ?? "",
    url,
    ageMs: machineTime() - signedAt,
    sinceEventMs: Date.parse(last.at) - signedAt,
    clock,
  });
}
