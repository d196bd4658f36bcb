import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import config from "../../vitest.config.ts";
import { CHANGES, sourceWith } from "../try-changes.ts";

const change = CHANGES.find(({ what }) => what === process.env.MALIPO_CHANGE);

/** Loads the source with the change of `MALIPO_CHANGE`. */
const plugin = {
  name: "changed source",
  enforce: "pre" as const,
  load: (id: string) =>
    change !== undefined && id.endsWith(`/src/${change.file}`) ? sourceWith(change) : null,
};

const projects = (config.test?.projects ?? []) as TestProjectInlineConfiguration[];

export default defineConfig({
  ...config,
  test: {
    ...config.test,
    // It would give the source as the run before it loaded it: its key is the file on the disk.
    fsModuleCache: false,
    projects: projects
      .filter(({ test }) => ["source", "engines", "alone"].includes(String(test?.name)))
      .map((project) => ({ ...project, plugins: [plugin] })),
  },
});
