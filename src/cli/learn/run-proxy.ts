import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { settingsFrom } from "../../client/settings.ts";
import { ConfigurationError } from "../../errors/configuration.ts";
import type { FlagsOf } from "../../internal/flags.ts";
import { waitAtMost } from "../../internal/timeout.ts";
import { profileSaver } from "../../learn/profile-file.ts";
import { createProxy, type PassedLine, WEBHOOK_PATH } from "../../learn/proxy.ts";
import { Recorder } from "../../learn/recorder.ts";
import { usageError } from "../cli-error.ts";
import type { Input } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import type { LEARN_PROXY } from "../flags/learn.ts";
import { pathOf } from "../input/files.ts";
import { readUrl, readWholeNumber, requireValue } from "../input/flag-values.ts";
import { stopSignal } from "../io.ts";
import { MAX_PORT, portError } from "../port-error.ts";
import { paint, printError, printLine } from "../terminal/output.ts";
import { checkProfileOut } from "./profile-arguments.ts";

/** How long after a change the profile is saved. */
const SAVE_MS = 5_000;
/** How long requests may still take after Ctrl-C. */
const GRACE_MS = 10_000;

/** Runs the proxy until a signal stops it. */
export async function runProxy({
  flags,
  json,
  io,
}: Input<FlagsOf<typeof LEARN_PROXY>>): Promise<number> {
  const to = readTarget(flags);
  const port = readWholeNumber(flags, "port", 0, MAX_PORT);
  const webhooksTo = flags["webhooks-to"] === undefined ? undefined : readUrl(flags, "webhooks-to");
  const out = requireValue(flags, "out");
  const recorder = new Recorder({ by: "proxy", base: checkProfileOut(io, out) });
  const save = profileSaver(pathOf(io, out), () => recorder.profile());
  let timer: NodeJS.Timeout | undefined;
  const saveLater = () => {
    timer = undefined;
    save().catch((error: Error) => printError(io, `malipo: ${error.message}`));
  };
  const onExchange = (line: PassedLine) => {
    timer ??= setTimeout(saveLater, SAVE_MS);
    if (!json) printLine(io, formatLine(line));
  };
  const server = createProxy({ to, webhooksTo, recorder, onExchange });
  const baseUrl = await listen(server, port);
  const stopped = stopSignal(io);
  const webhooks = webhooksTo ? baseUrl + WEBHOOK_PATH : null;
  const ready = { base_url: baseUrl, to, out, webhooks, pid: process.pid };
  printLine(io, json ? JSON.stringify(ready) : formatReady(baseUrl, to, out, webhooks));
  await stopped;
  await close(server);
  clearTimeout(timer);
  await save();
  if (!json) printLine(io, `Stopped. What was learned is in ${out}.`);
  return EXIT.ok;
}

/** The base URL in `--to`, checked as the client checks its own: the key passes there. */
function readTarget(flags: FlagsOf<typeof LEARN_PROXY>): string {
  const baseUrl = requireValue(flags, "to");
  try {
    return settingsFrom({ apiKey: "pk_proxy", baseUrl }).baseUrl;
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw usageError(error.message.replace("`baseUrl`", "--to"));
  }
}

async function listen(server: Server, port: number): Promise<string> {
  server.listen(port, "127.0.0.1");
  await once(server, "listening").catch((error: unknown) => {
    throw portError(error, port, "malipo learn");
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Lets requests on their way come to their end: one of them may be a payment. */
async function close(server: Server): Promise<void> {
  const closed = once(server, "close");
  server.close();
  server.closeIdleConnections();
  if (await waitAtMost(closed, GRACE_MS)) return;
  server.closeAllConnections();
  await closed;
}

function formatLine({ name, status }: PassedLine): string {
  const time = paint("dim", new Date().toTimeString().slice(0, 8));
  return `${time}  ${name}  ${paint(status < 400 ? "green" : "yellow", String(status))}`;
}

/** @param webhooks - The address to which the service is to post its deliveries. */
const formatReady = (baseUrl: string, to: string, out: string, webhooks: string | null) => `
${paint("bold", "A proxy in front of your service is running on this machine.")}

  base URL  ${baseUrl}   in your shop, in the place of ${to}
${webhooks === null ? "" : `  webhooks  ${webhooks}   the service posts here; your receiver gets it\n`}  profile   ${out}   shapes, never values; keys pass through

Press Ctrl-C to stop.
`;
