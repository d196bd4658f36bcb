// Compiled, never run: it checks what the compiler accepts and rejects.
import { expectTypeOf, test } from "vitest";
import { type Input, lazily, type Output, runnable } from "../../src/cli/command.ts";
import type { ENV } from "../../src/cli/flags/sandbox.ts";
import type { VERIFY } from "../../src/cli/flags/tools.ts";
import { createGateway } from "../../src/cli/gateway-from-flags.ts";
import { readTimeout, readUrl } from "../../src/cli/input/flag-values.ts";
import { findSandbox } from "../../src/cli/sandbox/find-sandbox.ts";
import type { DrillFlags } from "../../src/drill/drill-options.ts";
import type { FlagRows, FlagsOf } from "../../src/internal/flags.ts";

const ROWS = {
  url: { value: "url", summary: "the address" },
  port: { value: "number", summary: "the port", default: "4010" },
  clock: { value: "kind", summary: "the clock", choices: ["real", "virtual"], default: "real" },
  state: { value: "state", summary: "the state", choices: ["open", "paid"] },
  set: { value: "path=text", summary: "a field", repeatable: true },
  "dry-run": { summary: "change nothing" },
} as const satisfies FlagRows;

type Flags = FlagsOf<typeof ROWS>;

declare const input: Input<Flags>;
declare const output: Output;

test("what a command gets for a flag follows from the row of the flag", () => {
  expectTypeOf<Flags>().toEqualTypeOf<{
    readonly url: string | undefined;
    readonly port: string;
    readonly clock: "real" | "virtual";
    readonly state: "open" | "paid" | undefined;
    readonly set: readonly string[];
    readonly "dry-run": boolean;
  }>();
  expectTypeOf<FlagsOf<typeof ENV>["kind"]>().toEqualTypeOf<"secret" | "public" | "sandbox">();
  expectTypeOf<FlagsOf<typeof VERIFY>["secret"]>().toEqualTypeOf<readonly string[]>();
  expectTypeOf<DrillFlags["double-click"]>().toEqualTypeOf<boolean>();
});

test("a misspelt flag does not compile", () => {
  // @ts-expect-error
  input.flags.dryRun;
  // @ts-expect-error
  readUrl(input.flags, "ulr");
  // @ts-expect-error: a switch has no value to read.
  readTimeout(input.flags, "dry-run");
  // @ts-expect-error: not one of the choices.
  input.flags.clock === "reel";
  // @ts-expect-error: a command that says nothing of its flags reads none.
  (({ flags }: Input) => flags.url)(input);
});

test("what reads a flag takes no command without that flag", () => {
  findSandbox(input);
  // @ts-expect-error: it reads --key-file.
  createGateway(input);
  // @ts-expect-error: it reads --url.
  findSandbox({ ...input, flags: { ulr: "http://localhost:4010" } });
});

test("a definition without the row of a flag that its command reads does not compile", () => {
  const run = async ({ flags }: Input<{ readonly url: string | undefined }>) =>
    flags.url === undefined ? 1 : output;
  runnable(ROWS, run);
  lazily(ROWS, async () => ({ run }), "run");
  const { url, ...others } = ROWS;
  // @ts-expect-error
  runnable(others, run);
  // @ts-expect-error
  lazily(others, async () => ({ run }), "run");
  // @ts-expect-error: it takes one text, not many.
  lazily({ url: { ...url, repeatable: true } }, async () => ({ run }), "run");
});
