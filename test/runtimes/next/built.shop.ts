import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { installNextShop } from "../../../scripts/examples/next-shop.ts";
import { describeShop } from "../../suites/shop.ts";

const folder = mkdtempSync(join(tmpdir(), "malipo-next-"));
process.env.NEXT_TELEMETRY_DISABLED = "1";

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describeShop(
  "Next.js, built and started",
  () => {
    const next = installNextShop(folder);
    execFileSync(process.execPath, next("build"), { cwd: folder, stdio: "inherit" });
    return { args: next("start"), folder };
  },
  // Next ends the process itself, with the code of the signal.
  { endsWith: 143 },
);
