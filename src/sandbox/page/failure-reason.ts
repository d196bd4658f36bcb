import { span } from "./format.ts";

/** What is known about an attempt for which the receiver did not return 200. */
export interface FailedAttempt {
  readonly status?: number | undefined;
  readonly error?: string | undefined;
  /** The response body. */
  readonly response: string;
  readonly url: string;
  /** The age of the signed timestamp by the machine's clock, which the receiver uses. */
  readonly ageMs: number;
  /** Its age by the sandbox's clock: above 0 for retries. */
  readonly sinceEventMs: number;
  readonly clock: "virtual" | "real";
  /** The faults that chaos injected. */
  readonly chaos?: readonly string[] | undefined;
}

/** The likely reason of a failure, and what to do about it. */
export interface FailureReason {
  readonly title: string;
  readonly advice: string;
}

/** A reason, and what an attempt must have. `{host}`, `{path}` and `{status}` are filled in. */
interface Row extends FailureReason {
  readonly chaos?: string;
  readonly error?: RegExp;
  readonly response?: RegExp;
  /** The first and the last status. */
  readonly status?: readonly [first: number, last: number];
  readonly is?: (attempt: FailedAttempt) => boolean;
}

const MAX_CLOCK_DIFFERENCE_MS = 300_000;

const TOO_OLD = {
  title: "The clock: too old for the receiver",
  response: /time.?stamp|too old|stale|clock|replay.window|tolerance/i,
};

// The first row that matches is the likeliest. What the receiver wrote comes before what its status
// suggests.
const ROWS: readonly Row[] = [
  {
    chaos: "drop",
    title: "Chaos: lost on the way",
    advice: "The receiver never got it. It is retried automatically.",
  },
  {
    chaos: "badSignature",
    title: "Chaos: a wrong signature",
    advice:
      "The signature was made wrong on purpose, and it is right to reject it. The next attempt has the correct one.",
  },
  {
    chaos: "staleTimestamp",
    status: [401, 401],
    title: "Chaos: a timestamp one day old",
    advice:
      "The timestamp was made old on purpose. It is right that a receiver with an age limit rejects it.",
  },
  {
    chaos: "rotateSecret",
    status: [401, 401],
    title: "Chaos: a new secret signs",
    advice:
      "Give the receiver both secrets under Connect your application. It then accepts either of them.",
  },
  {
    error: /ECONNREFUSED/,
    title: "Unreachable: nothing listens at {host}",
    advice: "Start your receiver, or register the address at which it listens.",
  },
  {
    error: /bad port/i,
    title: "Unreachable: {host} has a port that fetch never calls",
    advice:
      "Browsers and fetch block some ports, such as 6000. Move your receiver to another port.",
  },
  {
    error: /ENOTFOUND|EAI_AGAIN/,
    title: "Unreachable: the host {host} does not exist",
    advice: "Fix the webhook's address. On this machine, use http://127.0.0.1 and a port.",
  },
  {
    error: /no response within/,
    title: "Too slow: no response in time",
    advice:
      "Verify the event, store it, return 200, and do the work afterwards. Check that every code path sends a response.",
  },
  {
    error: /CERT|SSL|TLS|self.signed|EPROTO/i,
    title: "Unreachable: TLS failed",
    advice:
      "The certificate is not trusted here, or the receiver speaks plain http. On loopback, http:// is accepted.",
  },
  {
    error: /ECONNRESET|UND_ERR_SOCKET|socket hang up|EPIPE/,
    title: "The receiver closed the connection without a response",
    advice: "It crashed, or closed the connection while it was reading. Its log shows more.",
  },
  {
    error: /./,
    title: "Unreachable",
    advice: "There was no connection. The error is in the table below.",
  },
  {
    ...TOO_OLD,
    is: ({ clock, ageMs }) => clock === "virtual" && Math.abs(ageMs) > MAX_CLOCK_DIFFERENCE_MS,
    advice:
      "The sandbox's time is virtual. The signed timestamp is {age} your machine's clock. Run the sandbox in real time, or remove the receiver's age limit in tests.",
  },
  {
    ...TOO_OLD,
    is: ({ sinceEventMs }) => sinceEventMs > 0,
    advice:
      "A retry keeps the timestamp of the event, which was {sinceEvent} old. An age limit below the retry schedule (2 h 36 min here) loses events. Raise it, or remove it.",
  },
  {
    ...TOO_OLD,
    advice:
      "The receiver rejects the signed timestamp. Compare its clock with the clock of this machine.",
  },
  {
    response: /not raw|raw body|re-?seriali[sz]|already.{0,12}parsed|body.?parser/i,
    title: "The body was parsed before it was verified",
    advice:
      "The signature covers the raw bytes. Verify them first, then parse: express.raw() on this route, rawBody in Nest, request.arrayBuffer() in other frameworks.",
  },
  {
    response:
      /(signature|header).{0,20}(missing|malformed|absent)|(missing|no) ([\w-]{1,20} )?signature/i,
    title: "The signature did not reach the receiver",
    advice:
      "It is in the header X-Service-Signature. Check that no proxy removes it, and that the receiver reads this header.",
  },
  {
    is: ({ status }) => status === 401 || status === 403,
    title: "Wrong secret, most likely",
    advice:
      "Give the receiver the webhook secret under Connect your application, without quotes or a line end. If it has that secret, the body was parsed and re-serialised before it was verified: verify the raw bytes.",
  },
  {
    status: [201, 299],
    title: "The receiver returned {status}, not 200",
    advice: "Only 200 acknowledges a delivery. After any other status it is retried.",
  },
  {
    status: [300, 399],
    title: "The receiver returned {status}, a redirect",
    advice: "Redirects are not followed. Register the address to which it leads.",
  },
  {
    status: [404, 404],
    title: "Not 200: nothing at this path",
    advice: "The receiver runs, but has no route for {path}.",
  },
  {
    status: [405, 405],
    title: "Not 200: the route does not accept POST",
    advice: "Deliveries are POST requests. Accept POST.",
  },
  {
    is: ({ status }) => status === 413 || status === 415,
    title: "Not 200: the receiver does not accept this body",
    advice:
      "It is application/json of a few hundred bytes. Check the limits and the types of its body parser.",
  },
  {
    is: ({ status }) => status === 429 || status === 503,
    title: "Not 200: the receiver is busy",
    advice: "The receiver asked to be retried later. The sandbox retries automatically.",
  },
  {
    status: [500, 599],
    title: "Not 200: the receiver failed with {status}",
    advice: "Its log shows the reason. Fix it, then send the delivery again from here.",
  },
];

const UNKNOWN: Row = {
  title: "Not 200: the receiver returned {status}",
  advice: "Only 200 acknowledges a delivery. The response body is below.",
};

function matches(attempt: FailedAttempt, { chaos, error, response, status, is }: Row): boolean {
  const [first, last] = status ?? [];
  return (
    (chaos === undefined || attempt.chaos?.includes(chaos) === true) &&
    (error === undefined || error.test(attempt.error ?? "")) &&
    (response === undefined || response.test(attempt.response)) &&
    (first === undefined || within(attempt.status, first, last)) &&
    (is === undefined || is(attempt))
  );
}

const within = (status = 0, first: number, last = first) => status >= first && status <= last;

/** The likely reason of a failed attempt. */
export function findFailureReason(attempt: FailedAttempt): FailureReason {
  const { title, advice } = ROWS.find((row) => matches(attempt, row)) ?? UNKNOWN;
  const { url, status = "nothing", ageMs, sinceEventMs } = attempt;
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
