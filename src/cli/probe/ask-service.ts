import type { WriteStream } from "node:tty";
import { ProbeError } from "../../errors/probe.ts";
import { type ProbeResult, probe } from "../../learn/probe/probe.ts";
import { chooseSteps } from "../../learn/probe/steps/steps.ts";
import { CliError } from "../cli-error.ts";
import { EXIT } from "../exit-codes.ts";
import { stopSignal } from "../sandbox/stop-signal.ts";
import { write } from "../terminal/output.ts";
import { formatPlan } from "./plan.ts";
import type { ProbeSettings } from "./settings.ts";
import { StepCounter } from "./step-counter.ts";

/** The output of a probe. */
export interface Surroundings {
  readonly stream: WriteStream;
  /** The file that the profile goes to; `undefined` if it goes to none. */
  readonly out?: string;
}

/**
 * Prints the plan, and then asks the service. Ctrl-C stops it, after what was created is deleted.
 *
 * @throws {CliError} if the service cannot be probed.
 */
export async function askService(
  settings: ProbeSettings,
  { stream, out }: Surroundings,
): Promise<ProbeResult> {
  const steps = chooseSteps(settings.choices);
  write(stream, `${formatPlan(steps, { ...settings, out })}\n\n`);
  const progress = new StepCounter(stream, steps.length);
  const controller = new AbortController();
  void stopSignal().then(() => {
    const { write } = settings.choices;
    progress.notify(
      `The probe stops.${write ? " It deletes what it created. To leave it there, press Ctrl-C again." : ""}`,
    );
    controller.abort();
  });
  try {
    return await probe({
      ...settings,
      steps,
      signal: controller.signal,
      onStep: (result) => progress.step(result),
      notify: (message) => progress.notify(message),
    });
  } catch (error) {
    throw toCliError(error, out);
  } finally {
    progress.clear();
  }
}

/** The error as the command line reports it, with what became of the file. */
function toCliError(error: unknown, out: string | undefined): unknown {
  if (!(error instanceof ProbeError)) return error;
  const { code, outcome, message } = error;
  const exitCode =
    outcome === "unknown" ? EXIT.unknown : code === "unreachable" ? EXIT.unreachable : EXIT.failed;
  const rest = out === undefined ? "" : `\n${out} was not written.`;
  return new CliError(exitCode, code, message + rest, { cause: error });
}
