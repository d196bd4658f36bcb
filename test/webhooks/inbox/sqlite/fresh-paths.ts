import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Paths of files that do not exist yet, in a new folder. */
export function freshPaths() {
  const folder = mkdtempSync(join(tmpdir(), "malipo-inbox-"));
  let files = 0;
  return {
    fresh: () => join(folder, `${++files}.db`),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
