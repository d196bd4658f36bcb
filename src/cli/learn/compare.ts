import type { FlagsOf } from "../../internal/flags.ts";
import { writeProfileFile } from "../../learn/profile-file.ts";
import { compareProfiles, isOfTwoServices } from "../../profile/compare-profiles.ts";
import { CHECK, DIFF, type Difference, MERGE } from "../../profile/compare-shapes.ts";
import { mergeValues } from "../../profile/merge.ts";
import { formatProfile } from "../../profile/parse-profile.ts";
import type { ServiceProfile } from "../../profile/profile-types.ts";
import { CliError } from "../cli-error.ts";
import type { Input, Output } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import type { LEARN_CHECK, LEARN_MERGE } from "../flags/learn.ts";
import { pathOf } from "../input/files.ts";
import { requireValue } from "../input/flag-values.ts";
import { paint, printable, printError, write } from "../terminal/output.ts";
import { askService, readProbeSettings } from "./ask-service.ts";
import { checkProfileOut, readProfile } from "./profile-arguments.ts";

/** `malipo learn diff A B` */
export async function diff({ args: [a = "", b = ""], io }: Input): Promise<Output> {
  const differences = compareProfiles(readProfile(io, a), readProfile(io, b), DIFF);
  return outputOf(differences, `${a} and ${b} say the same.`);
}

/** `malipo learn check [FILE] --against FILE` */
export async function check(input: Input<FlagsOf<typeof LEARN_CHECK>>): Promise<Output> {
  const against = requireValue(input.flags, "against");
  const known = readProfile(input.io, against);
  const [file] = input.args;
  const now = file === undefined ? await askAgain(input) : readProfile(input.io, file);
  const subject = file ?? "The service";
  return outputOf(
    compareProfiles(known, now, CHECK),
    `${subject} does what ${against} says, as far as it was asked.`,
    `${subject} differs from ${against}:\n\n`,
  );
}

/** What the service says now. The progress goes to the standard error. */
async function askAgain(input: Input<FlagsOf<typeof LEARN_CHECK>>): Promise<ServiceProfile> {
  const settings = await readProbeSettings(input);
  const target = { stream: input.io.stderr, isHidden: input.json };
  const { profile } = await askService(input.io, settings, target);
  return profile;
}

const MAX_EXAMPLES = 3;

/** `malipo learn merge A B [--out FILE]` */
export async function merge(input: Input<FlagsOf<typeof LEARN_MERGE>>): Promise<Output | number> {
  const { flags, io } = input;
  const [a = "", b = ""] = input.args;
  const { out } = flags;
  if (out !== undefined) checkProfileOut(io, out);
  const [one, other] = [readProfile(io, a), readProfile(io, b)];
  const differences = compareProfiles(one, other, MERGE);
  const { length } = differences;
  const places = length === 1 ? "1 place" : `${length} places`;
  const examples = formatDifferences(differences.slice(0, MAX_EXAMPLES));
  if (isOfTwoServices(one, other)) {
    const message = `${a} and ${b} were not merged, and nothing was written: they differ in ${places}, as the profiles of two services do:\n${examples}`;
    throw new CliError("two_services", message);
  }
  if (length > 0) {
    const message = `${a} and ${b} differ in ${places}, as those of a changed service do:\n${examples}`;
    printError(io, `malipo: ${message}`);
  }
  const merged = mergeValues(one, other);
  if (out === undefined) {
    write(io.stdout, formatProfile(merged));
    return EXIT.ok;
  }
  await writeProfileFile(pathOf(io, out), merged);
  const runs = Object.keys(merged.runs).length;
  return { value: { out, runs }, text: () => `The merged profile of ${runs} runs is in ${out}.` };
}

/** The exit code tells whether there are differences. */
function outputOf(differences: readonly Difference[], none: string, some = ""): Output {
  const alike = differences.length === 0;
  return {
    value: { alike, differences },
    text: () => (alike ? none : some + formatDifferences(differences)),
    exitCode: alike ? EXIT.ok : EXIT.failed,
  };
}

/** One paragraph for each place that differs. */
const formatDifferences = (differences: readonly Difference[]): string =>
  differences
    .map(({ path, before, after }) =>
      [
        paint("bold", printable(path)),
        `  ${paint("red", before === undefined ? "was not there" : printable(`was ${before}`))}`,
        `  ${paint("green", after === undefined ? "is gone" : printable(`is ${after}`))}`,
      ].join("\n"),
    )
    .join("\n");
