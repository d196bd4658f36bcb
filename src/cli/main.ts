#!/usr/bin/env node
// An older Node.js cannot load the other modules: this one imports nothing before the check.
const OLDEST = [22, 13] as const;
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);

if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) {
  process.stderr.write(
    `malipo: This is Node.js ${process.versions.node}, and malipo requires ${OLDEST.join(".")} or later. Install it (https://nodejs.org, or: nvm install ${OLDEST[0]}), and run the command again.\n`,
  );
  process.exitCode = 2;
} else {
  // A reader that closes the pipe early (`malipo events list | head -1`) is not an error.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
  const [first, ...rest] = process.argv.slice(2);
  if (first === "--version" || first === "-v") {
    const { packageVersion } = await import("./package-version.ts");
    process.stdout.write(`${packageVersion()}\n`);
  } else {
    const { enableCompileCache } = await import("node:module");
    // It never throws: where no folder can be written, Node.js compiles again at each start.
    enableCompileCache();
    const { runProcess } = await import("./run-process.ts");
    process.exitCode = await runProcess(first === undefined ? [] : [first, ...rest]);
  }
}
