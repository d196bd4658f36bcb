import { setTimeout as sleep } from "node:timers/promises";
import type { Delivery } from "../../sandbox/index.ts";
import type { LoggedExchange } from "../../sandbox/observe/exchange-log.ts";
import type { Input } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { parseUrl } from "../input/flag-values.ts";
import { findSandbox } from "../sandbox/find-sandbox.ts";
import { querySandbox, runCommand } from "../sandbox/running-sandbox.ts";
import { attemptedAt, deliveryLine, requestLine } from "../sandbox/sandbox-log.ts";
import { stopSignal } from "../sandbox/stop-signal.ts";
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
export async function showLogs({ values, switches, json }: Input): Promise<number> {
  const print = json ? printJson : printText;
  const nextNews = newsOf(await findSandbox(values));
  if (switches.has("once")) print(await nextNews());
  else await follow(nextNews, print);
  return EXIT.ok;
}

/** `malipo listen` */
export async function listen({ args: [receiver = ""], values, json }: Input): Promise<number> {
  const { href: url } = parseUrl(receiver, "<receiver>");
  const origin = await findSandbox(values);
  const nextNews = newsOf(origin);
  // What was delivered before this command is not shown.
  await nextNews();
  const { id } = await runCommand(origin, "webhooks/register", { url });
  if (!json) printError(`Webhooks go to ${url}. Press Ctrl-C to stop.`);
  try {
    await follow(nextNews, ({ deliveries }) => {
      const own = deliveries.filter((one) => one.url === url);
      for (const one of own) printLine(json ? JSON.stringify(one) : deliveryLine(one));
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
async function follow(nextNews: () => Promise<News>, print: (news: News) => void): Promise<void> {
  let isStopped = false;
  const stopped = stopSignal().then(() => {
    isStopped = true;
  });
  while (!isStopped) {
    print(await nextNews());
    await Promise.race([sleep(INTERVAL_MS), stopped]);
  }
}

/** One JSON document a line. */
function printJson({ requests, deliveries }: News): void {
  for (const request of requests) printLine(JSON.stringify({ request }));
  for (const delivery of deliveries) printLine(JSON.stringify({ delivery }));
}

/** In the order in which it happened, by the sandbox's clock. */
function printText({ requests, deliveries }: News): void {
  const lines = [
    ...requests.map((one) => [one.at, requestLine(one)] as const),
    ...deliveries.map((one) => [attemptedAt(one) || Infinity, deliveryLine(one)] as const),
  ];
  for (const [, line] of lines.sort(([a], [b]) => a - b)) printLine(line);
}
