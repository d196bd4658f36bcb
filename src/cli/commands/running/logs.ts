import type { Input } from "../../definitions/types.ts";
import { EXIT } from "../../exit-codes.ts";
import { findSandbox } from "../../sandbox/find-sandbox.ts";
import { Follower, follow, type LoggedRequest, type News } from "../../sandbox/follow.ts";
import { stopSignal } from "../../sandbox/stop-signal.ts";
import { paint, printable, printLine } from "../../terminal/output.ts";
import { logLines } from "../../terminal/sandbox-log.ts";

export async function run({ values, switches, json }: Input): Promise<number> {
  const print = json ? printJson : printText;
  const follower = new Follower(await findSandbox(values));
  if (switches.has("once")) print(await follower.next());
  else await follow(follower, print, stopSignal());
  return EXIT.ok;
}

/** One JSON document a line. */
function printJson({ requests, deliveries }: News): void {
  for (const request of requests) printLine(JSON.stringify({ request }));
  for (const delivery of deliveries) printLine(JSON.stringify({ delivery }));
}

function printText({ requests, deliveries }: News): void {
  for (const request of requests) printLine(requestLine(request));
  for (const line of logLines({ payments: [], deliveries })) printLine(line);
}

function requestLine({ at, line, status, fault }: LoggedRequest): string {
  const time = paint("dim", new Date(at).toTimeString().slice(0, 8));
  const colour = status !== undefined && status < 400 ? "green" : "red";
  const result = status === undefined ? "no response" : String(status);
  const reason = fault === undefined ? "" : `  fault: ${printable(fault)}`;
  return `${time}  request  ${paint(colour, result)}  ${printable(line)}${reason}`;
}
