import { readFileSync } from "node:fs";

const { version } = JSON.parse(
  readFileSync(new URL("../package.json", import.meta.url), "utf8"),
) as { version: string };

/** The version of the package: a value for the `define` option of a build. */
export const packageVersion = { PACKAGE_VERSION: JSON.stringify(version) };
