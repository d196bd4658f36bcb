import { globSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

const FILES = globSync(".github/workflows/*.yml");
const read = (file: string) => readFileSync(file, "utf8");

describe.each(FILES)("%s", (file) => {
  const text = read(file);

  test("pins each action to a commit", () => {
    const actions = [...text.matchAll(/uses: (\S+)(.*)/g)];
    expect(actions.length).toBeGreaterThan(0);
    for (const [, action, comment] of actions) {
      expect(action).toMatch(/@[\da-f]{40}$/);
      expect(comment).toMatch(/^ # v\d/);
    }
  });

  test("leaves no credentials behind after a checkout", () => {
    const checkouts = text.split("actions/checkout@").slice(1);
    for (const step of checkouts) {
      expect(step.split("- uses:")[0]).toContain("persist-credentials: false");
    }
  });

  test("names no registry host", () => {
    expect(text).not.toMatch(/registry/);
  });
});

test("the job that may publish installs and runs nothing of the project", () => {
  const [, publish = ""] = read(".github/workflows/release.yml").split(/^ {2}publish:$/m);
  expect(publish).toContain("id-token: write");
  expect(publish).not.toMatch(/checkout|npm (?:ci|install|run|test)|npx/);
  const [before = ""] = read(".github/workflows/release.yml").split(/^ {2}publish:$/m);
  expect(before).not.toContain("id-token");
});
