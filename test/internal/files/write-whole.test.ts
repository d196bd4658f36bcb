import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
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
  await expect(writeWhole(fs, path, "text", 0o644)).rejects.toThrow("not a regular file");
  expect(fs.readdirSync(folder).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  expect(fs.readdirSync(path)).toEqual(["inside"]);
});

test("writes bytes as they are", async () => {
  const path = join(folder, "bytes");
  await writeWhole(fs, path, Buffer.from([0xff, 0x00, 0xe9]), 0o600);
  expect([...fs.readFileSync(path)]).toEqual([0xff, 0x00, 0xe9]);
});

// As root, a rename would replace a device by a file.
describe.skipIf(process.platform === "win32")("what is not a regular file", () => {
  const pipe = join(folder, "pipe");
  beforeAll(() => execFileSync("mkfifo", [pipe]));

  test("is not replaced", async () => {
    const link = join(folder, "link-to-pipe");
    fs.symlinkSync(pipe, link);
    for (const path of [pipe, link]) {
      await expect(writeWhole(fs, path, "text", 0o600)).rejects.toThrow("not a regular file");
    }
    expect(fs.lstatSync(pipe).isFIFO()).toBe(true);
    expect(fs.readlinkSync(link)).toBe(pipe);
  });

  test("is a link that leads nowhere, too: the file elsewhere is not made", async () => {
    const target = join(folder, "nowhere");
    const link = join(folder, "link-to-nowhere");
    fs.symlinkSync(target, link);
    await expect(writeWhole(fs, link, "text", 0o600)).rejects.toThrow("leads nowhere");
    expect([fs.existsSync(target), fs.readlinkSync(link)]).toEqual([false, target]);
  });

  test("is no link to a regular file: the link stays, and its file is replaced", async () => {
    const target = join(folder, "target");
    const link = join(folder, "link");
    fs.writeFileSync(target, "before");
    fs.symlinkSync(target, link);
    await writeWhole(fs, link, "after", 0o600);
    expect([fs.readFileSync(target, "utf8"), fs.readlinkSync(link)]).toEqual(["after", target]);
  });
});
