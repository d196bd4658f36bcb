import { span } from "./format.ts";

/** What is known of an attempt that was not answered 200. */
export interface Refused {
  readonly status?: number | undefined;
  readonly error?: string | undefined;
  /** What the receiver wrote. */
  readonly answer: string;
  readonly url: string;
  /** How old the signed timestamp was by the machine's clock, which is the receiver's. */
  readonly ageMs: number;
  /** How old it was by the sandbox's clock: above 0 for retries. */
  readonly heldMs: number;
  readonly clock: "virtual" | "real";
  /** What chaos did to it. */
  readonly chaos?: readonly string[] | undefined;
}

/** Why a delivery was refused, as far as it can be told from outside, and what to do about it. */
export interface Reason {
  readonly title: string;
  readonly advice: string;
}

type Row = readonly [fits: (refused: Refused) => boolean, reason: (refused: Refused) => Reason];

const hostOf = ({ url }: Refused) => (URL.canParse(url) ? new URL(url).host : url);
const failed =
  (pattern: RegExp) =>
  ({ error }: Refused) =>
    error !== undefined && pattern.test(error);
const says =
  (pattern: RegExp) =>
  ({ answer }: Refused) =>
    pattern.test(answer);
const answers =
  (...statuses: number[]) =>
  ({ status = 0 }: Refused) =>
    statuses.includes(status);
const reason = (title: string, advice: string) => (): Reason => ({ title, advice });

function clockReason({ clock, ageMs, heldMs }: Refused): Reason {
  const title = "The clock: too old for the receiver";
  if (clock === "virtual" && Math.abs(ageMs) > 300_000) {
    return {
      title,
      advice: `The sandbox's time is virtual, and the signed timestamp lies ${span(Math.abs(ageMs))} ${ageMs > 0 ? "behind" : "ahead of"} your machine's clock. Run the sandbox in real time, or lift the receiver's age limit for tests.`,
    };
  }
  return {
    title,
    advice:
      heldMs > 0
        ? `A retry keeps its first timestamp: this one was ${span(heldMs)} old. An age limit below the retry schedule (2 h 36 min here) loses events; raise it, or leave it out.`
        : "The receiver refuses the signed timestamp. Compare its clock with this machine's.",
  };
}

// Read from the top; the first row that fits is the likeliest. What the receiver says of itself
// comes before what its status alone lets one guess.
const ROWS: readonly Row[] = [
  [
    ({ chaos = [] }) => chaos.includes("drop"),
    reason("Chaos: lost on its way", "The receiver never saw it. It is tried again by itself."),
  ],
  [
    ({ chaos = [] }) => chaos.includes("badSignature"),
    reason(
      "Chaos: a wrong signature",
      "It was spoilt on purpose, and refusing it is right. The next attempt is signed rightly.",
    ),
  ],
  [
    ({ chaos = [], status }) => chaos.includes("staleTimestamp") && status === 401,
    reason(
      "Chaos: a timestamp a day old",
      "It was made old on purpose. A receiver with an age limit refuses it, and does well.",
    ),
  ],
  [
    ({ chaos = [], status }) => chaos.includes("rotateSecret") && status === 401,
    reason(
      "Chaos: a new secret signs",
      "Give the receiver both secrets shown under Connect your application; it accepts either while they change.",
    ),
  ],
  [
    failed(/ECONNREFUSED/),
    (one) => ({
      title: `Unreachable: nothing listens at ${hostOf(one)}`,
      advice: "Start your receiver, or register the address that it listens at.",
    }),
  ],
  [
    failed(/bad port/i),
    (one) => ({
      title: `Unreachable: ${hostOf(one)} has a port that fetch never calls`,
      advice: "Browsers and fetch refuse some ports, such as 6000. Move your receiver to another.",
    }),
  ],
  [
    failed(/ENOTFOUND|EAI_AGAIN/),
    (one) => ({
      title: `Unreachable: no such host as ${hostOf(one)}`,
      advice: "Mend the webhook's address. On one machine, http://127.0.0.1 and a port will do.",
    }),
  ],
  [
    failed(/no response within/),
    reason(
      "Too slow: no answer in time",
      "Verify, store, answer 200; do the work afterwards. And see that every branch answers at all.",
    ),
  ],
  [
    failed(/CERT|SSL|TLS|self.signed|EPROTO/i),
    reason(
      "Unreachable: TLS failed",
      "The certificate is not trusted here, or the receiver speaks plain http. On loopback, http:// is accepted.",
    ),
  ],
  [
    failed(/ECONNRESET|UND_ERR_SOCKET|socket hang up|EPIPE/),
    reason(
      "The receiver hung up without an answer",
      "It crashed, or closed the connection while reading. Its own log says more.",
    ),
  ],
  [failed(/./), reason("Unreachable", "No connection came about. See the error below.")],
  [says(/time.?stamp|too old|stale|clock|replay.window|tolerance/i), clockReason],
  [
    says(/not raw|raw body|re-?seriali[sz]|already.{0,12}parsed|body.?parser/i),
    reason(
      "The body was parsed before it was verified",
      "The signature covers the raw bytes. Take them first: express.raw() above express.json(), rawBody in Nest, request.arrayBuffer() elsewhere; then parse.",
    ),
  ],
  [
    says(/(signature|header).{0,20}(missing|malformed|absent)|(missing|no) .{0,20}signature/i),
    reason(
      "The signature did not reach the receiver",
      "It travels in X-Service-Signature. See that no proxy drops it, and that the receiver reads this very name.",
    ),
  ],
  [
    answers(401, 403),
    reason(
      "Wrong secret, most likely",
      "Give the receiver the webhook secret that stands under Connect your application, without quotes or a line end. If it has it, the body was parsed and written again (re-serialised) before it was verified: check the raw bytes.",
    ),
  ],
  [
    ({ status = 0 }) => status > 200 && status < 300,
    ({ status }) => ({
      title: `Answered ${status}, not 200`,
      advice: "Only 200 acknowledges. Anything else, a 2xx too, is sent again.",
    }),
  ],
  [
    ({ status = 0 }) => status >= 300 && status < 400,
    ({ status }) => ({
      title: `Answered ${status}: a redirect`,
      advice: "Redirects are not followed. Register the address that it leads to.",
    }),
  ],
  [
    answers(404),
    (one) => ({
      title: "Not 200: nothing at this path",
      advice: `The receiver runs, but has no route for ${URL.canParse(one.url) ? new URL(one.url).pathname : one.url}.`,
    }),
  ],
  [
    answers(405),
    reason("Not 200: the route takes no POST", "Deliveries are POST requests. Add the method."),
  ],
  [
    answers(413, 415),
    reason(
      "Not 200: the receiver does not take this body",
      "It is application/json of a few hundred bytes. Look at the limits and types of its body parser.",
    ),
  ],
  [
    answers(429, 503),
    reason("Not 200: the receiver is busy", "It asked for time. The next attempt comes by itself."),
  ],
  [
    ({ status = 0 }) => status >= 500,
    ({ status }) => ({
      title: `Not 200: the receiver failed with ${status}`,
      advice: "Its own log says why. Mend it, then send again from here.",
    }),
  ],
];

/** The likely reason of a refusal. */
export function reasonOf(refused: Refused): Reason {
  const [, make] = ROWS.find(([fits]) => fits(refused)) ?? [];
  return (
    make?.(refused) ?? {
      title: `Not 200: answered ${refused.status ?? "nothing"}`,
      advice: "Only 200 acknowledges. What the receiver wrote stands below.",
    }
  );
}
