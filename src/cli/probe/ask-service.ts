import type { WriteStream } from "node:tty";
import { ProbeError } from "../../errors/probe.ts";
import { type ProbeOptions, type ProbeResult, probe } from "../../learn/probe/probe.ts";
import { chooseSteps } from "../../learn/probe/steps/steps.ts";
import { CliError } from "../cli-error.ts";
import { EXIT } from "../exit-codes.ts";
import { stopSignal } from "../sandbox/stop-signal.ts";
import { write } from "../terminal/output.ts";
import { StatusLine, type StatusOutput } from "../terminal/status-line.ts";
import { formatPlan, stepName } from "./plan.ts";
import type { ProbeSettings } from "./settings.ts";

/**
 * Prints the plan, and then asks the service. Ctrl-C stops it, after what was created is deleted.
 *
 * @param out - The file that the profile goes to; `undefined` if it goes to none.
 * @throws {CliError} if the service cannot be probed.
 */
export async function askService(
  settings: ProbeSettings,
  stream: WriteStream,
  out?: string,
): Promise<ProbeResult> {
  const steps = chooseSteps(settings);
  write(stream, `${formatPlan(steps, settings, out)}\n\n`);
  const { clear, ...progress } = showProgress(stream, steps.length);
  const controller = new AbortController();
  void stopSignal().then(() => {
    const deletes = " It deletes what it created. To leave it there, press Ctrl-C again.";
    progress.notify(`The probe stops.${settings.write ? deletes : ""}`);
    controller.abort();
  });
  try {
    return await probe({ ...settings, ...progress, steps, signal: controller.signal });
  } catch (error) {
    throw toCliError(error, out);
  } finally {
    clear();
  }
}

/** Shows how far the probe is: a counter on a terminal, a line a step anywhere else. */
export function showProgress(output: StatusOutput, total: number) {
  const line = new StatusLine(output);
  let done = 0;
  const onStep: ProbeOptions["onStep"] = ({ step, status, skipped }) => {
    const count = `${String(++done).padStart(String(total).length)}/${total}`;
    const result = skipped === undefined ? status : `left out: ${skipped}`;
    line.show(`${count}  ${stepName(step)}  ${result}`);
  };
  return { onStep, notify: (message: string) => line.note(message), clear: () => line.clear() };
}

/** The error as the command line reports it, with what became of the file. */
function toCliError(error: unknown, out: string | undefined): unknown {
  if (!(error instanceof ProbeError)) return error;
  const { code, outcome, message } = error;
  const rest = out === undefined ? "" : `\n${out} was not written.`;
  const options = { cause: error, ...(outcome === "unknown" && { exitCode: EXIT.unknown }) };
  return new CliError(code, message + rest, options);
}
