import type { AddressInfo } from "node:net";
import { afterAll, beforeAll } from "vitest";
import { folderServer } from "../support/folder-server.ts";

/** Serves a folder before the tests of a suite. Returns its address. */
export function serveFolder(folder: string): () => string {
  const server = folderServer(folder);
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
  afterAll(() => new Promise((resolve) => server.close(resolve)));
  return () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
