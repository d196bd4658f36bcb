import type { Input } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { findSandbox } from "../sandbox/find-sandbox.ts";
import { follow, type News, newsOf } from "../sandbox/follow.ts";
import { attemptedAt, logLines, requestLine } from "../sandbox/sandbox-log.ts";
import { stopSignal } from "../sandbox/stop-signal.ts";
import { printLine } from "../terminal/output.ts";

export async function run({ values, switches, json }: Input): Promise<number> {
  const print = json ? printJson : printText;
  const nextNews = newsOf(await findSandbox(values));
  if (switches.has("once")) print(await nextNews());
  else await follow(nextNews, print, stopSignal());
  return EXIT.ok;
}

/** One JSON document a line. */
function printJson({ requests, deliveries }: News): void {
  for (const request of requests) printLine(JSON.stringify({ request }));
  for (const delivery of deliveries) printLine(JSON.stringify({ delivery }));
}

/** In the order in which it happened, by the sandbox's clock. */
function printText({ requests, deliveries }: News): void {
  const lines = [
    ...requests.map((one) => ({ at: one.at, text: requestLine(one) })),
    ...deliveries.map((one) => {
      const at = attemptedAt(one) || Number.POSITIVE_INFINITY;
      return { at, text: logLines({ payments: [], deliveries: [one] }, Date.now()).join("\n") };
    }),
  ];
  for (const { text } of lines.sort((a, b) => a.at - b.at)) printLine(text);
}
