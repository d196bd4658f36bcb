import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

test("commands take their streams, variables, folder and signals from one value, not from the process", () => {
  const files = globSync("src/cli/**/*.ts").filter((path) =>
    /\bprocess\.(?:std\w+|env|cwd|chdir|argv|exit|exitCode|on|once|off|loadEnvFile)\b|\benvironmentVariable\(|\} = process;/i.test(
      readFileSync(path, "utf8"),
    ),
  );
  expect(files.sort()).toEqual(["src/cli/main.ts", "src/cli/run-process.ts"]);
});
