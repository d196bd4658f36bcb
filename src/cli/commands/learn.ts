import type { Input, Output } from "../command.ts";
import { check, diff, merge } from "../learn/compare.ts";
import { openapi, types } from "../learn/documents.ts";
import { report } from "../learn/report.ts";
import { runProxy } from "../learn/run-proxy.ts";

const SUBCOMMANDS: Readonly<Record<string, (input: Input) => Promise<Output | number>>> = {
  report,
  types,
  diff,
  merge,
  openapi,
  check,
};

export const run = (input: Input): Promise<Output | number> =>
  (SUBCOMMANDS[input.subcommand] ?? runProxy)(input);
