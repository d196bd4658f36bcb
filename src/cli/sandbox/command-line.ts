/** An argument that a shell does not change. */
const PLAIN = /^[\w@%+=:,./-]+$/;

/** The command of this process, as a user types it again. */
export const commandLine = (args: readonly string[]): string =>
  ["npx malipo", ...args]
    .map((arg, index) =>
      index === 0 || PLAIN.test(arg) ? arg : `'${arg.replaceAll("'", "'\\''")}'`,
    )
    .join(" ");
