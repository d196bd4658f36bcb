const PARENT_POLL_MS = 500;

/** Resolves at the first signal to stop. The second signal ends the process at once. */
export const stopSignal = (): Promise<void> =>
  new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
      process.once(signal, () => resolve());
    }
    // npm forwards Ctrl-C. But a `kill` ends only npm, and its child would keep running and hold
    // the port: under npm, the end of the parent process is a signal to stop too.
    const { ppid, env } = process;
    if (env.npm_command === undefined) return;
    const timer = setInterval(() => {
      if (process.ppid === ppid) return;
      clearInterval(timer);
      resolve();
    }, PARENT_POLL_MS);
    // The timer must not hold up the end of a command.
    timer.unref();
  });
