import { span } from "./format.ts";

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

/** When it is the reason. `{host}`, `{path}` and `{status}` are filled into its title and its advice. */
type Row = readonly [when: (attempt: FailedAttempt) => boolean, title: string, advice: string];

const MAX_CLOCK_DIFFERENCE_MS = 300_000;

const TOO_OLD = "The clock: too old for the receiver";
const IS_TOO_OLD = /time.?stamp|too old|stale|clock|replay.window|tolerance/i;

// The first row that matches is the likeliest. What the receiver wrote comes before what its status
// suggests.
const ROWS: readonly Row[] = [
  [
    ({ chaos }) => chaos.includes("drop"),
    "Chaos: lost on the way",
    "The receiver never got it. It is retried automatically.",
  ],
  [
    ({ chaos }) => chaos.includes("badSignature"),
    "Chaos: a wrong signature",
    "The signature was made wrong on purpose, and it is right to reject it. The next attempt has the correct one.",
  ],
  [
    ({ chaos, status }) => chaos.includes("staleTimestamp") && status === 401,
    "Chaos: a timestamp one day old",
    "The timestamp was made old on purpose. It is right that a receiver with an age limit rejects it.",
  ],
  [
    ({ chaos, status }) => chaos.includes("rotateSecret") && status === 401,
    "Chaos: a new secret signs",
    "Give the receiver both secrets under Connect your application. It then accepts either of them.",
  ],
  [
    ({ error }) => /ECONNREFUSED/.test(error),
    "Unreachable: nothing listens at {host}",
    "Start your receiver, or register the address at which it listens.",
  ],
  [
    ({ error }) => /bad port/i.test(error),
    "Unreachable: {host} has a port that fetch never calls",
    "Browsers and fetch block some ports, such as 6000. Move your receiver to another port.",
  ],
  [
    ({ error }) => /ENOTFOUND|EAI_AGAIN/.test(error),
    "Unreachable: the host {host} does not exist",
    "Fix the webhook's address. On this machine, use http://127.0.0.1 and a port.",
  ],
  [
    ({ error }) => /no response within/.test(error),
    "Too slow: no response in time",
    "Verify the event, store it, return 200, and do the work afterwards. Check that every code path sends a response.",
  ],
  [
    ({ error }) => /CERT|SSL|TLS|self.signed|EPROTO/i.test(error),
    "Unreachable: TLS failed",
    "The certificate is not trusted here, or the receiver speaks plain http. On loopback, http:// is accepted.",
  ],
  [
    ({ error }) => /ECONNRESET|UND_ERR_SOCKET|socket hang up|EPIPE/.test(error),
    "The receiver closed the connection without a response",
    "It crashed, or closed the connection while it was reading. Its log shows more.",
  ],
  [
    ({ error }) => /./.test(error),
    "Unreachable",
    "There was no connection. The error is in the table below.",
  ],
  [
    ({ ageMs, clock, response }) =>
      IS_TOO_OLD.test(response) && clock === "virtual" && Math.abs(ageMs) > MAX_CLOCK_DIFFERENCE_MS,
    TOO_OLD,
    "The sandbox's time is virtual. The signed timestamp is {age} your machine's clock. Run the sandbox in real time, or remove the receiver's age limit in tests.",
  ],
  [
    ({ response, sinceEventMs }) => IS_TOO_OLD.test(response) && sinceEventMs > 0,
    TOO_OLD,
    "A retry keeps the timestamp of the event, which was {sinceEvent} old. An age limit below the retry schedule (2 h 36 min here) loses events. Raise it, or remove it.",
  ],
  [
    ({ response }) => IS_TOO_OLD.test(response),
    TOO_OLD,
    "The receiver rejects the signed timestamp. Compare its clock with the clock of this machine.",
  ],
  [
    ({ response }) =>
      /not raw|raw body|re-?seriali[sz]|already.{0,12}parsed|body.?parser/i.test(response),
    "The body was parsed before it was verified",
    "The signature covers the raw bytes. Verify them first, then parse: express.raw() on this route, rawBody in Nest, request.arrayBuffer() in other frameworks.",
  ],
  [
    ({ response }) =>
      /(signature|header).{0,20}(missing|malformed|absent)|(missing|no) ([\w-]{1,20} )?signature/i.test(
        response,
      ),
    "The signature did not reach the receiver",
    "It is in the header X-Service-Signature. Check that no proxy removes it, and that the receiver reads this header.",
  ],
  [
    ({ status }) => status === 401 || status === 403,
    "Wrong secret, most likely",
    "Give the receiver the webhook secret under Connect your application, without quotes or a line end. If it has that secret, the body was parsed and re-serialised before it was verified: verify the raw bytes.",
  ],
  [
    ({ status }) => status > 200 && status < 300,
    "The receiver returned {status}, not 200",
    "Only 200 acknowledges a delivery. After any other status it is retried.",
  ],
  [
    ({ status }) => status >= 300 && status <= 399,
    "The receiver returned {status}, a redirect",
    "Redirects are not followed. Register the address to which it leads.",
  ],
  [
    ({ status }) => status === 404,
    "Not 200: nothing at this path",
    "The receiver runs, but has no route for {path}.",
  ],
  [
    ({ status }) => status === 405,
    "Not 200: the route does not accept POST",
    "Deliveries are POST requests. Accept POST.",
  ],
  [
    ({ status }) => status === 413 || status === 415,
    "Not 200: the receiver does not accept this body",
    "It is application/json of a few hundred bytes. Check the limits and the types of its body parser.",
  ],
  [
    ({ status }) => status === 429 || status === 503,
    "Not 200: the receiver is busy",
    "The receiver asked to be retried later. The sandbox retries automatically.",
  ],
  [
    ({ status }) => status >= 500 && status <= 599,
    "Not 200: the receiver failed with {status}",
    "Its log shows the reason. Fix it, then send the delivery again from here.",
  ],
  [
    () => true,
    "Not 200: the receiver returned {status}",
    "Only 200 acknowledges a delivery. The response body is below.",
  ],
];

/** The likely reason of a failed attempt. */
export function findFailureReason(attempt: FailedAttempt): FailureReason {
  const [, title = "", advice = ""] = ROWS.find(([when]) => when(attempt)) ?? [];
  const { url, status, ageMs, sinceEventMs } = attempt;
  const { host, pathname } = URL.canParse(url) ? new URL(url) : { host: url, pathname: url };
  const values: Readonly<Record<string, string | number>> = {
    host,
    path: pathname,
    status,
    age: `${span(Math.abs(ageMs))} ${ageMs > 0 ? "behind" : "ahead of"}`,
    sinceEvent: span(sinceEventMs),
  };
  const fill = (text: string) => text.replace(/\{(\w+)\}/g, (_, name) => String(values[name]));
  return { title: fill(title), advice: fill(advice) };
}
