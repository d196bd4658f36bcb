import { compareProfiles } from "../../profile/compare-profiles.ts";
import { CHECK } from "../../profile/compare-shapes.ts";
import type { ServiceProfile } from "../../profile/types.ts";
import type { Input } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { requireValue } from "../input/flag-values.ts";
import { askService } from "../probe/ask-service.ts";
import { readProbeSettings } from "../probe/settings.ts";
import { printResult } from "../terminal/output.ts";
import { formatDifferences } from "./diff.ts";
import { readProfile } from "./read-profile.ts";

/** `malipo learn check [FILE] --against FILE` */
export async function check(input: Input): Promise<number> {
  const against = requireValue(input.values, "against");
  const known = readProfile(against);
  const [file] = input.args;
  const now = file === undefined ? await askAgain(input) : readProfile(file);
  const differences = compareProfiles(known, now, CHECK);
  const alike = differences.length === 0;
  const subject = file ?? "The service";
  printResult(input.json, { alike, differences }, () =>
    alike
      ? `${subject} does what ${against} says, as far as it was asked.`
      : `${subject} differs from ${against}:\n\n${formatDifferences(differences)}`,
  );
  return alike ? EXIT.ok : EXIT.failed;
}

/** What the service says now. The progress goes to the standard error. */
async function askAgain(input: Input): Promise<ServiceProfile> {
  const { profile } = await askService(await readProbeSettings(input), { stream: process.stderr });
  return profile;
}
