import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Engine, type Recipe, say, startEngine } from "./engine.ts";

/** An engine of a test's own, whose clock can be set while it runs. */
export interface EngineWithClock extends Engine {
  /** Sets the clock of the server to so much after the time of this machine. */
  setClock(aheadMs: number): void;
}

/** The library that sets the clock of a process. `undefined` if this machine has none. */
function faketimeLibrary(): string | undefined {
  const { stdout } = spawnSync("faketime", ["-f", "+0", "printenv", "LD_PRELOAD"], {
    encoding: "utf8",
  });
  return stdout?.trim() || undefined;
}

/** Starts an engine with a clock. `undefined` if this machine cannot, which it says. */
export async function startWithClock(
  recipe: Recipe | undefined,
): Promise<EngineWithClock | undefined> {
  const library = faketimeLibrary();
  if (library === undefined) {
    say("NOT RUN: the tests that set the clock of an engine. Install faketime (libfaketime).");
    return undefined;
  }
  if (recipe === undefined) return undefined;
  let setClock = (_: number) => {};
  const engine = await startEngine({
    ...recipe,
    prepare: async (folder) => {
      await recipe.prepare?.(folder);
      setClock = (aheadMs) =>
        writeFileSync(join(folder, "clock"), `${aheadMs < 0 ? "" : "+"}${aheadMs / 1_000}`);
      setClock(0);
    },
    command: (folder, port) => [
      "env",
      // With the allocator of libc, since that of Redis asks for the time while this library reads the file.
      `LD_PRELOAD=${library}:libc.so.6`,
      `FAKETIME_TIMESTAMP_FILE=${join(folder, "clock")}`,
      // The clock is set for every process of the engine at once. Timers go on.
      "FAKETIME_NO_CACHE=1",
      "FAKETIME_DONT_FAKE_MONOTONIC=1",
      ...recipe.command(folder, port),
    ],
  });
  return { ...engine, setClock: (aheadMs) => setClock(aheadMs) };
}
