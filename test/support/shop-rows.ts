import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach } from "vitest";

/** What was done in a shop, and what its own API said then. `npm run shops` prints a table of them. */
export interface ShopRow {
  readonly shop: string;
  readonly done: string;
  readonly said: string;
}

declare module "vitest" {
  interface TaskMeta {
    shopRows?: readonly ShopRow[];
  }
}

/**
 * Returns a function that notes a row of the test that runs. To be called where the tests are defined.
 *
 * @param shop - Its name and version, which may be known only when it is installed.
 */
export function shopRows(shop: () => string): (said: unknown, done?: string) => void {
  let noted: { said: string; done?: string | undefined }[] = [];
  afterEach(({ task }) => {
    const rows = noted.map(({ said, done = task.name }) => ({ shop: shop(), done, said }));
    noted = [];
    // A file may have several shops.
    task.meta.shopRows = [...(task.meta.shopRows ?? []), ...rows];
  });
  return (said, done) => {
    noted.push({ said: typeof said === "string" ? said : JSON.stringify(said), done });
  };
}

/** The version of a package as it is installed in a folder. */
export function installedVersion(folder: string, name: string): string {
  const file = join(folder, "node_modules", name, "package.json");
  return JSON.parse(readFileSync(file, "utf8")).version;
}
