import { writeProfileFile } from "../../learn/profile-file.ts";
import { compareProfiles, isOfTwoServices } from "../../profile/compare-profiles.ts";
import { MERGE } from "../../profile/compare-shapes.ts";
import { mergeProfiles } from "../../profile/merge.ts";
import { formatProfile } from "../../profile/parse.ts";
import { CliError } from "../cli-error.ts";
import type { Input } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { printError, printResult, write } from "../terminal/output.ts";
import { formatDifferences } from "./diff.ts";
import { checkProfileOut } from "./profile-out.ts";
import { readProfile } from "./read-profile.ts";

const MAX_EXAMPLES = 3;

const count = ({ length }: readonly unknown[]) => (length === 1 ? "1 place" : `${length} places`);

/** `malipo learn merge A B [--out FILE]` */
export async function merge({ args: [a = "", b = ""], values, json }: Input): Promise<number> {
  const { out } = values;
  if (out !== undefined) checkProfileOut("out", out);
  const [one, other] = [readProfile(a), readProfile(b)];
  const differences = compareProfiles(one, other, MERGE);
  if (isOfTwoServices(one, other)) {
    const message = `${a} and ${b} were not merged, and nothing was written: they differ in ${count(differences)}, as the profiles of two services do:\n${formatDifferences(differences.slice(0, MAX_EXAMPLES))}`;
    throw new CliError(EXIT.failed, "two_services", message);
  }
  if (differences.length > 0) {
    printError(
      `malipo: ${a} and ${b} differ in ${count(differences)}, as those of a changed service do:\n${formatDifferences(differences.slice(0, MAX_EXAMPLES))}`,
    );
  }
  const merged = mergeProfiles(one, other);
  if (out === undefined) {
    write(process.stdout, formatProfile(merged));
    return EXIT.ok;
  }
  await writeProfileFile(out, merged);
  const runs = Object.keys(merged.runs).length;
  printResult(json, { out, runs }, () => `The merged profile of ${runs} runs is in ${out}.`);
  return EXIT.ok;
}
