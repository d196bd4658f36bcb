import { compareProfiles } from "../../profile/compare-profiles.ts";
import { DIFF, type Difference } from "../../profile/compare-shapes.ts";
import type { Input } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { paint, printable, printResult } from "../terminal/output.ts";
import { readProfile } from "./read-profile.ts";

/** `malipo learn diff A B` */
export async function diff({ args: [a = "", b = ""], json }: Input): Promise<number> {
  const differences = compareProfiles(readProfile(a), readProfile(b), DIFF);
  const alike = differences.length === 0;
  printResult(json, { alike, differences }, () =>
    alike ? `${a} and ${b} say the same.` : formatDifferences(differences),
  );
  return alike ? EXIT.ok : EXIT.failed;
}

/** One paragraph for each place that differs. */
export const formatDifferences = (differences: readonly Difference[]): string =>
  differences.map(formatDifference).join("\n");

function formatDifference({ path, before, after }: Difference): string {
  const line = (colour: "red" | "green", text: string) => `  ${paint(colour, printable(text))}`;
  return [
    paint("bold", printable(path)),
    line("red", before === undefined ? "was not there" : `was ${before}`),
    line("green", after === undefined ? "is gone" : `is ${after}`),
  ].join("\n");
}
