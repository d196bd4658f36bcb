import { readFileSync } from "node:fs";

export const packageVersion = (): string =>
  JSON.parse(readFileSync(new URL(import.meta.resolve("malipo/package.json")), "utf8")).version;
