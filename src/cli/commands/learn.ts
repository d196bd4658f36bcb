import type { Input } from "../command.ts";
import { check } from "../learn/check.ts";
import { diff } from "../learn/diff.ts";
import { merge } from "../learn/merge.ts";
import { openapi } from "../learn/openapi.ts";
import { report } from "../learn/report.ts";
import { runProxy } from "../learn/run-proxy.ts";
import { types } from "../learn/types.ts";

const SUBCOMMANDS: Readonly<Record<string, (input: Input) => Promise<number>>> = {
  report,
  types,
  diff,
  merge,
  openapi,
  check,
};

export const run = (input: Input): Promise<number> =>
  (SUBCOMMANDS[input.subcommand] ?? runProxy)(input);
