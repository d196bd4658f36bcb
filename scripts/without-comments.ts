import { readFile } from "node:fs/promises";
import type { Plugin } from "esbuild";
import ts from "typescript";

/** What a bundler must read: this call may be dropped if nothing uses its result. */
const ANNOTATION = /@__(?:PURE|NO_SIDE_EFFECTS)__/;

/** A source without its comments, but with the annotations for bundlers. */
function dropComments(source: string, path: string): string {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true);
  const dropped = new Map<number, number>();
  const visit = (node: ts.Node): void => {
    for (const { pos, end } of [
      ...(ts.getLeadingCommentRanges(source, node.pos) ?? []),
      ...(ts.getTrailingCommentRanges(source, node.end) ?? []),
    ]) {
      if (!ANNOTATION.test(source.slice(pos, end))) dropped.set(pos, end);
    }
    for (const child of node.getChildren(file)) visit(child);
  };
  visit(file);
  let at = 0;
  const kept = [...dropped]
    .sort(([a], [b]) => a - b)
    .map(([pos, end]) => {
      const before = source.slice(at, pos);
      at = end;
      return before;
    });
  return [...kept, source.slice(at)].join("");
}

/** Comments stay in the declarations, where editors show them. */
export const withoutComments: Plugin = {
  name: "without-comments",
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.ts$/ }, async ({ path }) => ({
      contents: dropComments(await readFile(path, "utf8"), path),
      loader: "ts",
    })),
};
