import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { writeWhole } from "../../../src/internal/files/write-whole.ts";

const folder = fs.mkdtempSync(join(tmpdir(), "malipo-write-whole-"));
afterAll(() => fs.rmSync(folder, { recursive: true }));

test("replaces a file, and sets its mode", async () => {
  const path = join(folder, "file");
  fs.writeFileSync(path, "before", { mode: 0o644 });
  await writeWhole(fs, path, "after", 0o600);
  expect(fs.readFileSync(path, "utf8")).toBe("after");
  expect(fs.statSync(path).mode & 0o777).toBe(0o600);
  expect(fs.readdirSync(folder)).toEqual(["file"]);
});

test("leaves no draft if it fails, and what was there unchanged", async () => {
  // A folder cannot be replaced by a file.
  const path = join(folder, "taken");
  fs.mkdirSync(join(path, "inside"), { recursive: true });
  await expect(writeWhole(fs, path, "text", 0o644)).rejects.toMatchObject({ code: "EISDIR" });
  expect(fs.readdirSync(folder).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  expect(fs.readdirSync(path)).toEqual(["inside"]);
});
