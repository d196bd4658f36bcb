import type { WriteStream } from "node:tty";
import { CliError } from "../cli-error.ts";
import { stopSignal } from "../sandbox/stop-signal.ts";
import { write } from "../terminal/output.ts";
import { type ProbeResult, probe } from "./probe.ts";
import type { ProbeSettings } from "./settings.ts";
import { StepCounter } from "./step-counter.ts";
import { formatPlan } from "./steps/plan.ts";
import { chooseSteps } from "./steps/steps.ts";

/** Where a probe shows what it does. */
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
    throw withOut(error, out);
  } finally {
    progress.clear();
  }
}

/** Says of the file what became of it. */
function withOut(error: unknown, out: string | undefined): unknown {
  if (!(error instanceof CliError) || out === undefined) return error;
  const { exitCode, code, message } = error;
  return new CliError(exitCode, code, `${message}\n${out} was not written.`, { cause: error });
}
