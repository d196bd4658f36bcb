import type { FlagsOf } from "../../internal/flags.ts";
import type { ProbeResult } from "../../learn/probe/run-probe.ts";
import { writeProfileFile } from "../../learn/profile-file.ts";
import type { ServiceProfile } from "../../profile/profile-types.ts";
import { assumptionResults } from "../../sandbox/assumption-results.ts";
import { usageError } from "../cli-error.ts";
import type { Input, Output } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import type { PROBE } from "../flags/learn.ts";
import { pathOf } from "../input/files.ts";
import { requireValue } from "../input/flag-values.ts";
import { askService, readProbeSettings } from "../learn/ask-service.ts";
import { formatAssumptions } from "../learn/list-assumptions.ts";
import { checkProfileOut } from "../learn/profile-arguments.ts";
import { paint, printable } from "../terminal/output.ts";

export async function run(input: Input<FlagsOf<typeof PROBE>>): Promise<Output> {
  const { flags, json, io } = input;
  const settings = await readProbeSettings(input);
  const out = requireValue(flags, "out");
  checkReplaceable(out, checkProfileOut(io, out));
  // With `--json`, the standard output is only for the result.
  const stream = json ? io.stderr : io.stdout;
  const result = await askService(io, settings, { stream, isHidden: json, out });
  await writeProfileFile(pathOf(io, out), result.profile);
  const assumptions = assumptionResults(result.profile);
  const { requests, missing, left } = result;
  return {
    value: { out, requests, missing, left, assumptions },
    text: () => [`\n${formatAssumptions(assumptions)}\n`, ...formatRest(result, out)].join("\n"),
    exitCode: left.length === 0 ? EXIT.ok : EXIT.failed,
  };
}

/** @throws {CliError} for a file with knowledge that a probe cannot find again. */
function checkReplaceable(out: string, existing: ServiceProfile | undefined): void {
  const runs = Object.values(existing?.runs ?? {});
  if (!runs.some(({ by }) => by.includes("observer") || by.includes("proxy"))) return;
  throw usageError(
    `${out} also holds what an observer or a proxy learned, and a probe replaces its file. Nothing was sent. Give another --out, and then merge the two: malipo learn merge ${out} other.json --out ${out}`,
  );
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
