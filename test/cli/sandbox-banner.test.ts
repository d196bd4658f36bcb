import { describe, expect, test } from "vitest";
import { banner as painted } from "../../src/cli/sandbox/sandbox-banner.ts";
import type { Ready } from "../../src/cli/sandbox/sandbox-settings.ts";
import { rendered } from "../../src/cli/terminal/output.ts";

const banner = (ready: Ready, isFound: boolean) => rendered(painted(ready, isFound));

const ready: Ready = {
  url: "http://127.0.0.1:4010",
  base_url: "http://127.0.0.1:4010/api/v1",
  network_url: null,
  page: "http://127.0.0.1:4010/",
  keys: { secret: "sk_1", public: "pk_1", sandbox: "sb_1" },
  webhook_secret: "whsec_1",
  clock: "real",
  auto: "magic",
  webhook: null,
  state: null,
  profile: null,
  restored: false,
  is_new: true,
  pid: 1,
};
const full: Ready = {
  ...ready,
  clock: "virtual",
  auto: "approve",
  webhook: "http://localhost:3000/webhooks",
  profile: "malipo.service.json",
  state: "sandbox.json",
};

describe("what malipo sandbox prints when it starts", () => {
  test.each([
    ["without flags", ready],
    ["with all of them", full],
  ])("has at most 15 lines, and its address once: %s", (_, one) => {
    const text = banner(one, true);
    expect(text.split("\n").length).toBeLessThanOrEqual(15);
    expect(text.split("127.0.0.1:4010")).toHaveLength(2);
  });

  test("fits 100 columns, and holds no key: the screen of a talk shows it", () => {
    const text = banner(full, true);
    for (const line of text.split("\n")) expect(line.length).toBeLessThanOrEqual(100);
    for (const key of ["sk_1", "pk_1", "sb_1", "whsec_1"]) expect(text).not.toContain(key);
  });

  test("gives each command the address if it would not be found", () => {
    for (const line of banner(full, false).match(/npx malipo (env|clock|phone).*/g) ?? []) {
      expect(line).toContain("--url http://127.0.0.1:4010");
    }
  });

  test("says that the keys are new, and how to keep them", () => {
    expect(banner(ready, true)).toContain("--state sandbox.json");
    expect(banner({ ...ready, is_new: false }, true)).not.toContain("--state");
  });
});
