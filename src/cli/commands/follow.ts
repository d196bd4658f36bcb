import { setTimeout as sleep } from "node:timers/promises";
import type { FlagsOf } from "../../internal/flags.ts";
import type { Delivery } from "../../sandbox/index.ts";
import type { LoggedExchange } from "../../sandbox/observe/exchange-log.ts";
import type { Input } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import type { SandboxUrl } from "../flags/common.ts";
import type { LOGS } from "../flags/sandbox.ts";
import { parseUrl } from "../input/flag-values.ts";
import { type Io, stopSignal } from "../io.ts";
import { findSandbox } from "../sandbox/find-sandbox.ts";
import { querySandbox, runCommand } from "../sandbox/running-sandbox.ts";
import { attemptedAt, deliveryLine, requestLine } from "../sandbox/sandbox-log.ts";
import { printError, printLine } from "../terminal/output.ts";

/** What is new in a running sandbox since the last look. */
interface News {
  readonly requests: readonly LoggedExchange[];
  /** With a new attempt. */
  readonly deliveries: readonly Delivery[];
}

const INTERVAL_MS = 500;
const LIMIT = 200;

/** `malipo logs` */
export async function showLogs(input: Input<FlagsOf<typeof LOGS>>): Promise<number> {
  const { flags, json, io } = input;
  const print = (news: News) => {
    for (const line of json ? jsonLines(news) : textLines(news)) printLine(io, line);
  };
  const nextNews = newsOf(await findSandbox(input));
  if (flags.once) print(await nextNews());
  else await follow(io, nextNews, print);
  return EXIT.ok;
}

/** `malipo listen` */
export async function listen(input: Input<SandboxUrl>): Promise<number> {
  const { json, io } = input;
  const [receiver = ""] = input.args;
  const { href: url } = parseUrl(receiver, "<receiver>");
  const origin = await findSandbox(input);
  const nextNews = newsOf(origin);
  // What was delivered before this command is not shown.
  await nextNews();
  const { id } = await runCommand(origin, "webhooks/register", { url });
  if (!json) printError(io, `Webhooks go to ${url}. Press Ctrl-C to stop.`);
  try {
    await follow(io, nextNews, ({ deliveries }) => {
      const own = deliveries.filter((one) => one.url === url);
      for (const one of own) printLine(io, json ? JSON.stringify(one) : deliveryLine(one));
    });
  } finally {
    await runCommand(origin, "webhooks/remove", { id: String(id) });
  }
  return EXIT.ok;
}

/**
 * Returns a function that reads what has happened since its last call, the oldest first.
 *
 * @throws {CliError} if the sandbox does not respond.
 */
function newsOf(origin: string): () => Promise<News> {
  let lastRequest = 0;
  const known = new Map<string, number>();
  const hasNewAttempt = ({ id, attempts }: Delivery): boolean => {
    const before = known.get(id) ?? 0;
    known.set(id, attempts.length);
    return attempts.length > before;
  };
  return async () => {
    const [{ requests }, { deliveries }] = await Promise.all([
      querySandbox<{ requests: LoggedExchange[] }>(origin, `/requests?limit=${LIMIT}`),
      querySandbox<{ deliveries: Delivery[] }>(origin, `/deliveries?limit=${LIMIT}`),
    ]);
    const newest = requests[0]?.id ?? 0;
    // The sandbox was reset or restarted: it counts from the beginning.
    if (newest < lastRequest) lastRequest = 0;
    const fresh = requests.filter(({ id }) => id > lastRequest).reverse();
    lastRequest = newest;
    return { requests: fresh, deliveries: deliveries.filter(hasNewAttempt).reverse() };
  };
}

/** Calls `print` with what is new, until a signal to stop. */
async function follow(
  io: Io,
  nextNews: () => Promise<News>,
  print: (news: News) => void,
): Promise<void> {
  let isStopped = false;
  const stopped = stopSignal(io).then(() => {
    isStopped = true;
  });
  while (!isStopped) {
    print(await nextNews());
    await Promise.race([sleep(INTERVAL_MS), stopped]);
  }
}

/** One JSON document a line. */
const jsonLines = ({ requests, deliveries }: News): string[] => [
  ...requests.map((request) => JSON.stringify({ request })),
  ...deliveries.map((delivery) => JSON.stringify({ delivery })),
];

/** In the order in which it happened, by the sandbox's clock. */
function textLines({ requests, deliveries }: News): string[] {
  const lines = [
    ...requests.map((one) => [one.at, requestLine(one)] as const),
    ...deliveries.map((one) => [attemptedAt(one) || Infinity, deliveryLine(one)] as const),
  ];
  return lines.sort(([a], [b]) => a - b).map(([, line]) => line);
}
