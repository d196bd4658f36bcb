// Checks the imports of `src`, types included: they go down the layers only, and the folders and files
// of each folder import each other in one direction. `npx node scripts/check-layers.ts`
import { globSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import ts from "typescript";
import { INTERNAL_IMPORTS } from "./entry-points.ts";
import { LAYERS, type Layer } from "./layers.ts";

/** The sources, by their paths relative to `src`. */
export type Sources = ReadonlyMap<string, string>;

interface Import {
  readonly from: string;
  /** A file relative to `src`, or the name of a package. */
  readonly to: string;
  readonly isFile: boolean;
}

const INTERNAL = new Map<string, string>(
  Object.entries(INTERNAL_IMPORTS).map(([name, path]) => [name, path.replace("src/", "")]),
);

function importsOf(from: string, text: string): Import[] {
  return ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => {
    const to = INTERNAL.get(fileName);
    if (to !== undefined) return { from, to, isFile: true };
    return fileName.startsWith(".")
      ? { from, to: posix.join(posix.dirname(from), fileName), isFile: true }
      : { from, to: fileName, isFile: false };
  });
}

const isIn = (path: string, place: string): boolean =>
  path === place || path.startsWith(`${place}/`);

function layerOf(path: string, layers: readonly Layer[]): Layer | undefined {
  const found = layers.filter((one) => isIn(path, one.path));
  return found.sort((a, b) => b.path.length - a.path.length)[0];
}

function isAllowed({ to, isFile }: Import, layer: Layer): boolean {
  if (isFile) return [layer.path, ...layer.imports].some((place) => isIn(to, place));
  return to.startsWith("node:") || layer.packages.some((name) => isIn(to, name));
}

function layerFindings(imports: readonly Import[], layers: readonly Layer[]): string[] {
  const findings = imports.flatMap((one) => {
    const layer = layerOf(one.from, layers);
    if (layer === undefined) return [`src/${one.from} is in no layer of scripts/layers.ts.`];
    if (isAllowed(one, layer)) return [];
    return [`src/${one.from} imports ${one.to}, which its layer (${layer.path}) may not.`];
  });
  return [...new Set(findings)];
}

/** What stands directly in a folder, with what each imports of the rest, and one import as the reason. */
type Neighbours = Map<string, Map<string, Import>>;

function neighboursByFolder(imports: readonly Import[]): Map<string, Neighbours> {
  const folders = new Map<string, Neighbours>();
  for (const one of imports.filter(({ isFile }) => isFile)) {
    const from = one.from.split("/");
    const to = one.to.split("/");
    const shared = from.findIndex((part, at) => part !== to[at]);
    const [a, b] = [from[shared], to[shared]];
    if (a === undefined || b === undefined) continue;
    const folder = from.slice(0, shared).join("/");
    const neighbours = folders.get(folder) ?? new Map();
    folders.set(folder, neighbours.set(a, (neighbours.get(a) ?? new Map()).set(b, one)));
  }
  return folders;
}

/** A way along the imports from a name back to itself; `undefined` if there is none. */
function circleFrom(start: string, neighbours: Neighbours): string[] | undefined {
  const seen = new Set<string>();
  const walk = (name: string, path: readonly string[]): string[] | undefined => {
    for (const next of neighbours.get(name)?.keys() ?? []) {
      if (next === start) return [...path, next];
      if (seen.has(next)) continue;
      seen.add(next);
      const found = walk(next, [...path, next]);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return walk(start, [start]);
}

function circleFindings(imports: readonly Import[]): string[] {
  return [...neighboursByFolder(imports)].flatMap(([folder, neighbours]) => {
    const reported = new Set<string>();
    return [...neighbours.keys()].flatMap((name) => {
      const circle = reported.has(name) ? undefined : circleFrom(name, neighbours);
      if (circle === undefined) return [];
      for (const one of circle) reported.add(one);
      const steps = circle.slice(1).map((to, at) => {
        const reason = neighbours.get(circle[at] ?? "")?.get(to);
        return `    ${reason?.from} imports ${reason?.to}`;
      });
      const place = folder === "" ? "src" : `src/${folder}`;
      return [`In ${place}, a circle: ${circle.join(" -> ")}\n${steps.join("\n")}`];
    });
  });
}

/** What is wrong with the imports; empty if nothing is. */
export function findWrongImports(sources: Sources, layers: readonly Layer[] = LAYERS): string[] {
  const imports = [...sources].flatMap(([path, text]) => importsOf(path, text));
  return [...layerFindings(imports, layers), ...circleFindings(imports)];
}

/** Layers whose folder or file is gone. */
export function findStaleLayers(paths: readonly string[], layers: readonly Layer[] = LAYERS) {
  return layers
    .filter(({ path: place }) => !paths.some((path) => isIn(path, place)))
    .map(({ path }) => `scripts/layers.ts has a row for src/${path}, which is gone.`);
}

/** The folder of a path, and its name without its extension. */
function placeOf(path: string): { readonly folder: string; readonly name: string } {
  const parts = path.split("/");
  const name = parts.at(-1)?.replace(/\.\w+$/, "") ?? "";
  return { folder: parts.slice(0, -1).join("/"), name };
}

const parentOf = (folder: string) => folder.split("/").slice(0, -1).join("/");

/** What a folder exports, and what a store says about its tables to the room for storage. */
const SHARED_NAMES = ["index", "tables"];

/**
 * File names that occur more than once. Only folders of one parent may share a name, in which it is that
 * of one kind: `sqlite/store.ts` and `redis/store.ts`.
 */
export function findRepeatedNames(paths: readonly string[]): string[] {
  const folders = new Map<string, string[]>();
  for (const { folder, name } of paths.map(placeOf)) {
    if (!SHARED_NAMES.includes(name)) folders.set(name, [...(folders.get(name) ?? []), folder]);
  }
  return [...folders]
    .filter(([, found]) => new Set(found.map(parentOf)).size > 1)
    .map(
      ([name, places]) =>
        `The name ${name} occurs in ${places.map((one) => `src/${one}`).join(", ")}.`,
    );
}

if (import.meta.main) {
  const paths = globSync("src/**/*.{ts,tsx}").map((path) => path.replaceAll("\\", "/"));
  const names = paths.map((path) => path.replace("src/", ""));
  const findings = [
    ...findWrongImports(new Map(names.map((name) => [name, readFileSync(`src/${name}`, "utf8")]))),
    ...findStaleLayers(names),
  ];
  const repeated = findRepeatedNames(names);
  for (const finding of [...findings, ...repeated]) console.log(finding);
  console.log(
    `${paths.length} files, ${findings.length} wrong imports, ${repeated.length} repeated names`,
  );
  process.exit(findings.length + repeated.length === 0 ? 0 : 1);
}
