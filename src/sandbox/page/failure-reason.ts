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

/** The likely reason of a failure, judged from outside, and what to do about it. */
export interface FailureReason {
  readonly title: string;
  readonly advice: string;
}

type Row = readonly [
  matches: (attempt: FailedAttempt) => boolean,
  reason: (attempt: FailedAttempt) => FailureReason,
];

const hostOf = ({ url }: FailedAttempt) => (URL.canParse(url) ? new URL(url).host : url);

const errorMatches =
  (pattern: RegExp) =>
  ({ error }: FailedAttempt) =>
    error !== undefined && pattern.test(error);

const responseMatches =
  (pattern: RegExp) =>
  ({ response }: FailedAttempt) =>
    pattern.test(response);

const statusIs =
  (...statuses: number[]) =>
  ({ status = 0 }: FailedAttempt) =>
    statuses.includes(status);

const statusFrom =
  (min: number, max: number) =>
  ({ status = 0 }: FailedAttempt) =>
    status >= min && status <= max;

const hasChaos =
  (name: string, ...statuses: number[]) =>
  ({ chaos = [], status = 0 }: FailedAttempt) =>
    chaos.includes(name) && (statuses.length === 0 || statuses.includes(status));

const reason = (title: string, advice: string) => (): FailureReason => ({ title, advice });

const TOO_OLD = "The clock: too old for the receiver";
const MAX_CLOCK_DIFFERENCE_MS = 300_000;

function clockReason({ clock, ageMs, sinceEventMs }: FailedAttempt): FailureReason {
  const difference = Math.abs(ageMs);
  if (clock === "virtual" && difference > MAX_CLOCK_DIFFERENCE_MS) {
    return {
      title: TOO_OLD,
      advice: `The sandbox's time is virtual. The signed timestamp is ${span(difference)} ${ageMs > 0 ? "behind" : "ahead of"} your machine's clock. Run the sandbox in real time, or remove the receiver's age limit in tests.`,
    };
  }
  if (sinceEventMs > 0) {
    return {
      title: TOO_OLD,
      advice: `A retry keeps the timestamp of the event, which was ${span(sinceEventMs)} old. An age limit below the retry schedule (2 h 36 min here) loses events. Raise it, or remove it.`,
    };
  }
  return {
    title: TOO_OLD,
    advice:
      "The receiver rejects the signed timestamp. Compare its clock with the clock of this machine.",
  };
}

// The first row that matches is the likeliest. What the receiver says comes before what its status
// suggests.
const ROWS: readonly Row[] = [
  [
    hasChaos("drop"),
    reason("Chaos: lost on the way", "The receiver never got it. It is retried automatically."),
  ],
  [
    hasChaos("badSignature"),
    reason(
      "Chaos: a wrong signature",
      "The signature was made wrong on purpose, and it is right to reject it. The next attempt has the correct one.",
    ),
  ],
  [
    hasChaos("staleTimestamp", 401),
    reason(
      "Chaos: a timestamp one day old",
      "The timestamp was made old on purpose. It is right that a receiver with an age limit rejects it.",
    ),
  ],
  [
    hasChaos("rotateSecret", 401),
    reason(
      "Chaos: a new secret signs",
      "Give the receiver both secrets under Connect your application. It then accepts either of them.",
    ),
  ],
  [
    errorMatches(/ECONNREFUSED/),
    (attempt) => ({
      title: `Unreachable: nothing listens at ${hostOf(attempt)}`,
      advice: "Start your receiver, or register the address at which it listens.",
    }),
  ],
  [
    errorMatches(/bad port/i),
    (attempt) => ({
      title: `Unreachable: ${hostOf(attempt)} has a port that fetch never calls`,
      advice:
        "Browsers and fetch block some ports, such as 6000. Move your receiver to another port.",
    }),
  ],
  [
    errorMatches(/ENOTFOUND|EAI_AGAIN/),
    (attempt) => ({
      title: `Unreachable: the host ${hostOf(attempt)} does not exist`,
      advice: "Fix the webhook's address. On this machine, use http://127.0.0.1 and a port.",
    }),
  ],
  [
    errorMatches(/no response within/),
    reason(
      "Too slow: no response in time",
      "Verify the event, store it, return 200, and do the work afterwards. Check that every code path sends a response.",
    ),
  ],
  [
    errorMatches(/CERT|SSL|TLS|self.signed|EPROTO/i),
    reason(
      "Unreachable: TLS failed",
      "The certificate is not trusted here, or the receiver speaks plain http. On loopback, http:// is accepted.",
    ),
  ],
  [
    errorMatches(/ECONNRESET|UND_ERR_SOCKET|socket hang up|EPIPE/),
    reason(
      "The receiver closed the connection without a response",
      "It crashed, or closed the connection while it was reading. Look at its log.",
    ),
  ],
  [
    errorMatches(/./),
    reason("Unreachable", "There was no connection. The error is in the table below."),
  ],
  [responseMatches(/time.?stamp|too old|stale|clock|replay.window|tolerance/i), clockReason],
  [
    responseMatches(/not raw|raw body|re-?seriali[sz]|already.{0,12}parsed|body.?parser/i),
    reason(
      "The body was parsed before it was verified",
      "The signature covers the raw bytes. Verify them first, then parse: express.raw() on this route, rawBody in Nest, request.arrayBuffer() in other frameworks.",
    ),
  ],
  [
    responseMatches(
      /(signature|header).{0,20}(missing|malformed|absent)|(missing|no) .{0,20}signature/i,
    ),
    reason(
      "The signature did not reach the receiver",
      "It is in the header X-Service-Signature. Check that no proxy removes it, and that the receiver reads this header.",
    ),
  ],
  [
    statusIs(401, 403),
    reason(
      "Wrong secret, most likely",
      "Give the receiver the webhook secret under Connect your application, without quotes or a line end. If it has that secret, the body was parsed and re-serialised before it was verified: verify the raw bytes.",
    ),
  ],
  [
    statusFrom(201, 299),
    ({ status }) => ({
      title: `The receiver returned ${status}, not 200`,
      advice: "Only 200 acknowledges a delivery. After any other status it is retried.",
    }),
  ],
  [
    statusFrom(300, 399),
    ({ status }) => ({
      title: `The receiver returned ${status}, a redirect`,
      advice: "Redirects are not followed. Register the address to which it leads.",
    }),
  ],
  [
    statusIs(404),
    ({ url }) => ({
      title: "Not 200: nothing at this path",
      advice: `The receiver runs, but has no route for ${URL.canParse(url) ? new URL(url).pathname : url}.`,
    }),
  ],
  [
    statusIs(405),
    reason("Not 200: the route does not accept POST", "Deliveries are POST requests. Accept POST."),
  ],
  [
    statusIs(413, 415),
    reason(
      "Not 200: the receiver does not accept this body",
      "It is application/json of a few hundred bytes. Look at the limits and types of its body parser.",
    ),
  ],
  [
    statusIs(429, 503),
    reason("Not 200: the receiver is busy", "It asked for time. It is retried automatically."),
  ],
  [
    statusFrom(500, 599),
    ({ status }) => ({
      title: `Not 200: the receiver failed with ${status}`,
      advice: "Its log says why. Fix it, then send the delivery again from here.",
    }),
  ],
];

/** The likely reason of a failed attempt. */
export function findFailureReason(attempt: FailedAttempt): FailureReason {
  const [, reasonFor] = ROWS.find(([matches]) => matches(attempt)) ?? [];
  return (
    reasonFor?.(attempt) ?? {
      title: `Not 200: the receiver returned ${attempt.status ?? "nothing"}`,
      advice: "Only 200 acknowledges a delivery. The response body is below.",
    }
  );
}
