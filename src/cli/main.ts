#!/usr/bin/env node
import { run } from "./run.ts";

// A reader that closes the pipe early (`malipo events list | head -1`) is not an error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
});

process.exitCode = await run(process.argv.slice(2));
