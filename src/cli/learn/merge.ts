import { writeProfileFile } from "../../learn/profile-file.ts";
import { mergeProfiles } from "../../profile/merge.ts";
import { formatProfile } from "../../profile/parse.ts";
import { CliError } from "../cli-error.ts";
import type { Input } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { printError, printResult, write } from "../terminal/output.ts";
import { checkProfileOut } from "./profile-out.ts";
import { findDisagreement, readProfile } from "./read-profile.ts";

/** `malipo learn merge A B [--out FILE]` */
export async function merge({ args: [a = "", b = ""], values, json }: Input): Promise<number> {
  const { out } = values;
  if (out !== undefined) checkProfileOut("out", out);
  const merged = mergeProfiles(readProfile(a), readProfile(b));
  const disagreement = findDisagreement(merged);
  if (disagreement?.isOfTwoServices) {
    const message = `${a} and ${b} were not merged, and nothing was written: ${disagreement.message}`;
    throw new CliError(EXIT.failed, "two_services", message);
  }
  if (disagreement) printError(`malipo: of the runs in ${a} and ${b}, ${disagreement.message}`);
  if (out === undefined) {
    write(process.stdout, formatProfile(merged));
    return EXIT.ok;
  }
  await writeProfileFile(out, merged);
  const runs = Object.keys(merged.runs).length;
  printResult(json, { out, runs }, () => `The merged profile of ${runs} runs is in ${out}.`);
  return EXIT.ok;
}
