// Checks that every link of the built manual has a target: a file, and a place in it.
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const SITE = "docs/site";

const idsOf = (html: string): ReadonlySet<string> =>
  new Set([...html.matchAll(/\s(?:id|name)="([^"]+)"/g)].map(([, id = ""]) => id));

const pages = new Map(
  globSync(`${SITE}/**/*.html`).map((path) => [path, readFileSync(path, "utf8")]),
);
const ids = new Map([...pages].map(([path, html]) => [path, idsOf(html)]));

const dead: string[] = [];
let links = 0;
for (const [page, html] of pages) {
  for (const [, link = ""] of html.matchAll(/\s(?:href|src)="([^"]+)"/g)) {
    if (/^(?:[a-z]+:|\/\/)/i.test(link)) continue;
    links++;
    const [file = "", anchor = ""] = link.replaceAll("&amp;", "&").split("#");
    const from = file.startsWith("/") ? SITE : dirname(page);
    const named = file === "" ? page : join(from, decodeURI(file.split("?")[0] ?? ""));
    const path = named.endsWith("/") || named === SITE ? join(named, "index.html") : named;
    const found = existsSync(path);
    const inPage = ids.get(path);
    if (!found || (anchor !== "" && inPage?.has(decodeURIComponent(anchor)) === false)) {
      dead.push(`${page}: ${link}`);
    }
  }
}
console.log(`${pages.size} pages, ${links} links, ${dead.length} dead`);
for (const one of dead) console.log(`  ${one}`);
process.exit(dead.length === 0 ? 0 : 1);
