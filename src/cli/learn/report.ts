import { reportOn } from "../../learn/report.ts";
import { ASSUMPTIONS } from "../../sandbox/assumptions.ts";
import type { Input } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { printResult } from "../terminal/output.ts";
import { formatReport } from "./format-report.ts";
import { readProfile } from "./read-profile.ts";

/** `malipo learn report FILE` */
export async function report({ args: [file = ""], json }: Input): Promise<number> {
  const entries = reportOn(readProfile(file), ASSUMPTIONS);
  printResult(json, entries, () => formatReport(entries));
  return EXIT.ok;
}
