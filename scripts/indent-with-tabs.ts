import ts from "typescript";

/** The positions of the lines that begin inside a text: their spaces belong to it. */
function linesInTexts(code: string): Set<number> {
  const found = new Set<number>();
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteral(node) || ts.isTemplateLiteralToken(node)) {
      const [from, to] = [node.getStart(), node.getEnd()];
      for (let at = code.indexOf("\n", from); at >= 0 && at < to; at = code.indexOf("\n", at + 1)) {
        found.add(at + 1);
      }
    }
    node.forEachChild(visit);
  };
  visit(ts.createSourceFile("chunk.js", code, ts.ScriptTarget.Latest, true));
  return found;
}

/** A tab for every two spaces at the beginning of a line: what is packed gets 60 kB smaller. */
export function indentWithTabs(code: string): string {
  const kept = linesInTexts(code);
  return code.replace(/^(?: {2})+/gm, (spaces, at: number) =>
    kept.has(at) ? spaces : "\t".repeat(spaces.length / 2),
  );
}
