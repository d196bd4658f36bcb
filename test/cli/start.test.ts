import { build } from "esbuild";
import { expect, test } from "vitest";

/** The files that are loaded before a command is: no import of theirs waits for one. */
async function filesAtStart(): Promise<string[]> {
  const entry = "src/cli/run.ts";
  const { metafile } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    metafile: true,
    splitting: true,
    format: "esm",
    platform: "node",
    outdir: "unused",
    packages: "external",
    external: ["#page"],
  });
  const found = new Set([entry]);
  // A set that grows is iterated to its end.
  for (const file of found) {
    for (const { path, kind } of metafile.inputs[file]?.imports ?? []) {
      if (kind === "import-statement") found.add(path);
    }
  }
  return [...found];
}

test("the command line starts without the schemas, the client and the sandbox's service", async () => {
  const files = await filesAtStart();
  expect(files).toContain("src/cli/definitions/index.ts");
  expect(files.filter((path) => /zod|\bky\b|client\/|sandbox\/(?:api|http)\//.test(path))).toEqual(
    [],
  );
});
