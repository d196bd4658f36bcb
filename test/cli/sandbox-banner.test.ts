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

const network: Ready = { ...ready, network_url: "http://gateway:4010" };

describe("what malipo sandbox prints when it starts", () => {
  test.each([
    ["without flags", ready],
    ["with all of them", full],
    ["in a test network", network],
    ["in a test network, with all flags", { ...full, network_url: network.network_url }],
  ])("has at most 15 lines, and its address once: %s", (_, one) => {
    const text = banner(one, true);
    expect(text.split("\n").length).toBeLessThanOrEqual(15);
    expect(text.split("127.0.0.1:4010")).toHaveLength(2);
  });

  test.each([full, { ...full, network_url: network.network_url }])(
    "fits 100 columns, and holds no key: the screen of a talk shows it",
    (one) => {
      const text = banner(one, true);
      for (const line of text.split("\n")) expect(line.length).toBeLessThanOrEqual(100);
      for (const key of ["sk_1", "pk_1", "sb_1", "whsec_1"]) expect(text).not.toContain(key);
    },
  );

  test("gives each command the address if it would not be found", () => {
    for (const line of banner(full, false).match(/npx malipo (env|clock|phone).*/g) ?? []) {
      expect(line).toContain("--url http://127.0.0.1:4010");
    }
  });

  test.each([true, false])(
    "gives each command the address that another container reaches (found: %s)",
    (isFound) => {
      const text = banner({ ...network, clock: "virtual" }, isFound);
      const commands = text.match(/npx malipo (env|clock|phone).*/g) ?? [];
      expect(commands).toHaveLength(4);
      for (const line of commands) expect(line).toContain("--url http://gateway:4010");
      expect(text).toContain('eval "$(npx malipo env --url http://gateway:4010)"');
    },
  );

  test("says where the commands run, and names the variables of a shop in another container", () => {
    const text = banner(network, true);
    expect(text).toContain("A first payment, in a shell of another container:");
    expect(text).toContain(
      "It sets MALIPO_BASE_URL, MALIPO_API_KEY, MALIPO_WEBHOOK_SECRET and MALIPO_TEST_NETWORK=1.",
    );
    expect(banner(ready, true)).not.toContain("container");
  });

  test("says that the keys are new, and how to keep them", () => {
    expect(banner(ready, true)).toContain("--state sandbox.json");
    expect(banner({ ...ready, is_new: false }, true)).not.toContain("--state");
  });
});
