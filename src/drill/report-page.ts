import type { DrillResult } from "./drill.ts";
import { escapeText, exitStatus, notesOf, reportPromises, summarize } from "./report.ts";

const STYLE = `
:root { color-scheme: light dark; --ok: light-dark(#14683a, #6fd39a); --bad: light-dark(#a3161b, #ff9a8f); --line: light-dark(#d5d5d5, #444) }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 64rem; margin: 2rem auto; padding: 0 1rem; background: light-dark(#fff, #16181a); color: light-dark(#1b1b1b, #ececec) }
h1 { font-size: 1.5rem } h2 { font-size: 1.1rem; margin-top: 2rem }
table { border-collapse: collapse; width: 100% } td, th { text-align: left; padding: .4rem .6rem; border-bottom: 1px solid var(--line) }
pre { overflow-x: auto; padding: .8rem; border: 1px solid var(--line); border-radius: .4rem }
.ok { color: var(--ok) } .FAILED { color: var(--bad); font-weight: 600 }
`;

/** The report as one HTML page that loads nothing. */
export function reportAsPage(result: DrillResult): string {
  const promises = reportPromises(result);
  const rows = promises.map(
    ({ name, state, failed }) =>
      `<tr><td class="${state.split(" ")[0]}">${state}</td><td>${escapeText(name)}</td><td>${failed} of ${result.results.length}</td></tr>`,
  );
  const stories = promises
    .filter(({ stories: list }) => list.length > 0)
    .map(
      ({ name, stories: list, cases }) =>
        `<h2>${escapeText(name)}</h2>\n<p>Cases: ${cases.join(", ")}</p>\n${list.map((lines) => `<pre>${escapeText(lines.join("\n"))}</pre>`).join("\n")}`,
    );
  const notes = notesOf(result).map((note) => `<li>${escapeText(note)}</li>`);
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Fire drill</title>
<style>${STYLE}</style>
<h1 class="${exitStatus(result) === 0 ? "ok" : "FAILED"}">${escapeText(summarize(result))}</h1>
<table><thead><tr><th>Result</th><th>Promise</th><th>Cases that broke it</th></tr></thead><tbody>
${rows.join("\n")}
</tbody></table>
${notes.length > 0 ? `<ul>${notes.join("\n")}</ul>` : ""}
${stories.join("\n")}
</html>
`;
}
