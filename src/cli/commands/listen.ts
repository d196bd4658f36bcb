import type { Input } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { parseUrl } from "../input/flag-values.ts";
import { findSandbox } from "../sandbox/find-sandbox.ts";
import { follow, newsOf } from "../sandbox/follow.ts";
import { runCommand } from "../sandbox/running-sandbox.ts";
import { logLines } from "../sandbox/sandbox-log.ts";
import { stopSignal } from "../sandbox/stop-signal.ts";
import { printError, printLine } from "../terminal/output.ts";

export async function run({ args: [receiver = ""], values, json }: Input): Promise<number> {
  const { href: url } = parseUrl(receiver, "<receiver>");
  const origin = await findSandbox(values);
  const nextNews = newsOf(origin);
  // What was delivered before this command is not shown.
  await nextNews();
  const { id } = await runCommand(origin, "webhooks/register", { url });
  if (!json) printError(`Webhooks go to ${url}. Press Ctrl-C to stop.`);
  try {
    await follow(
      nextNews,
      ({ deliveries }) => {
        const own = deliveries.filter((one) => one.url === url);
        const lines = json
          ? own.map((one) => JSON.stringify(one))
          : logLines({ payments: [], deliveries: own }, Date.now());
        for (const line of lines) printLine(line);
      },
      stopSignal(),
    );
  } finally {
    await runCommand(origin, "webhooks/remove", { id: String(id) });
  }
  return EXIT.ok;
}
