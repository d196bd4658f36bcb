import { reportOn } from "../../learn/report.ts";
import { writeProfileFile } from "../../learn/profile-file.ts";
import { ASSUMPTIONS } from "../../sandbox/assumptions.ts";
import type { ServiceProfile } from "../../profile/types.ts";
import { CliError, usageError } from "../cli-error.ts";
import type { Input } from "../definitions/types.ts";
import { EXIT } from "../exit-codes.ts";
import { requireValue } from "../input/flag-values.ts";
import { formatReport } from "../learn/format-report.ts";
import { checkProfileOut } from "../learn/profile-out.ts";
import { formatPlan } from "../probe/plan.ts";
import { type ProbeResult, probe } from "../probe/probe.ts";
import { Progress } from "../probe/progress.ts";
import { type ProbeSettings, readProbeSettings } from "../probe/settings.ts";
import { chooseSteps } from "../probe/steps.ts";
import { stopSignal } from "../sandbox/stop-signal.ts";
import { paint, printable, printLine, printResult } from "../terminal/output.ts";

export async function run(input: Input): Promise<number> {
  const { values, json } = input;
  const settings = readProbeSettings(input);
  const out = requireValue(values, "out");
  checkReplaceable(out, checkProfileOut("out", out));
  const result = await runProbe(settings, out, json);
  await writeProfileFile(out, result.profile);
  const report = reportOn(result.profile, ASSUMPTIONS);
  const { requests, missing, left } = result;
  printResult(json, { out, requests, missing, left, report }, () =>
    [`\n${formatReport(report)}\n`, ...formatRest(result, out)].join("\n"),
  );
  return left.length === 0 ? EXIT.ok : EXIT.failed;
}

/** @throws {CliError} for a file with knowledge that a probe cannot find again. */
function checkReplaceable(out: string, existing: ServiceProfile | undefined): void {
  const runs = Object.values(existing?.runs ?? {});
  if (!runs.some(({ by }) => by.includes("observer") || by.includes("proxy"))) return;
  throw usageError(
    `${out} also holds what an observer or a proxy learned, and a probe replaces its file. Nothing was sent. Give another --out, and then merge the two: malipo learn merge ${out} other.json --out ${out}`,
  );
}

/** Prints the plan, then asks. With `--json`, the standard output is only for the result. */
async function runProbe(
  settings: ProbeSettings,
  out: string,
  json: boolean,
): Promise<ProbeResult> {
  const stream = json ? process.stderr : process.stdout;
  const steps = chooseSteps(settings.choices);
  stream.write(`${formatPlan(steps, { ...settings, out })}\n\n`);
  const progress = new Progress(stream, steps.length);
  const controller = new AbortController();
  void stopSignal().then(() => {
    progress.notify("The probe stops. It deletes what it created.");
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
function withOut(error: unknown, out: string): unknown {
  if (!(error instanceof CliError)) return error;
  const { exitCode, code, message } = error;
  return new CliError(exitCode, code, `${message}\n${out} was not written.`, { cause: error });
}

function formatRest({ requests, missing, left }: ProbeResult, out: string): string[] {
  return [
    ...missing.map((one) => `${paint("yellow", "Missing:")} ${printable(one)}`),
    ...left.map(
      (one) => `${paint("red", "Left at the service:")} ${printable(one)}. Delete it there.`,
    ),
    `${paint("green", `The profile is in ${out}`)}, from ${requests} requests. Next:`,
    "",
    `  npx malipo sandbox --profile ${out}`,
    `  npx malipo learn types ${out}`,
  ];
}
