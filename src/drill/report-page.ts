import { GROUPS } from "./cases.ts";
import {
  commandFor,
  escapeText,
  exitStatus,
  headlines,
  isBroken,
  notesOf,
  reportPromises,
  storyLines,
  summarize,
  untriedOf,
} from "./drill-report.ts";
import { PROMISES } from "./promises.ts";
import type { CaseResult, DrillResult } from "./run-drill.ts";

const STYLE = `
:root { color-scheme: light dark; --ok: light-dark(#14683a, #6fd39a); --bad: light-dark(#a3161b, #ff9a8f); --quiet: light-dark(#555, #b0b0b0); --line: light-dark(#d5d5d5, #444) }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 64rem; margin: 2rem auto; padding: 0 1rem; background: light-dark(#fff, #16181a); color: light-dark(#1b1b1b, #ececec); overflow-wrap: anywhere }
h1 { font-size: 1.6rem; line-height: 1.25 } h2 { font-size: 1.2rem; margin-top: 2rem }
a { color: light-dark(#0b57a4, #8dc1ff) }
.harm { font-size: 1.15rem; padding-left: 1.2rem }
.about, .why { color: var(--quiet) }
table { border-collapse: collapse; width: 100% } td, th { text-align: left; vertical-align: top; padding: .4rem .6rem .4rem 0; border-bottom: 1px solid var(--line) }
td:first-child { white-space: nowrap }
details { border-bottom: 1px solid var(--line); padding: .4rem 0 } summary { cursor: pointer }
ol { list-style: none; padding: .6rem; margin: .4rem 0; border: 1px solid var(--line); border-radius: .4rem } ol li { font-family: ui-monospace, monospace; font-size: .85rem; white-space: pre-wrap }
.ok { color: var(--ok) } .FAILED { color: var(--bad); font-weight: 600 }
`;

/** One case that broke a promise: a row that opens. */
function caseRow(result: CaseResult, seed: string): string {
  const { case: one, problems } = result;
  const wrong = PROMISES.filter(({ name }) => problems.has(name)).map(
    ({ name, cause, remedy, page }) =>
      // No link: the report is read in CI and in mails, where the package is not beside it.
      `<li><strong>${escapeText(problems.get(name) ?? "")}</strong><br>Usual cause: ${escapeText(cause)}. ${escapeText(remedy)}<br><span class="about">Read more: <code>node_modules/malipo/docs/${page}.md</code></span></li>`,
  );
  const lines = storyLines(result).map((line) => `<li>${escapeText(line)}</li>`);
  const why =
    one.why === undefined ? "" : `<p class="why">Why this case: ${escapeText(one.why)}.</p>`;
  return `<details id="case-${one.number}"><summary>Case ${one.number}: ${escapeText(one.text)}</summary>
${why}<ol>${lines.join("")}</ol>
<ul>${wrong.join("")}</ul>
<p>Again: <code>${escapeText(commandFor(result, seed))}</code></p>
</details>`;
}

/** The failed cases of each group. */
function failures({ results, seed }: DrillResult): string {
  const sections = Object.entries(GROUPS).map(([group, title]) => {
    const broken = results.filter((one) => isBroken(one) && one.case.group === group);
    const rows = broken.map((one) => caseRow(one, seed));
    return rows.length === 0 ? "" : `<h3>${title}</h3>\n${rows.join("\n")}`;
  });
  return results.some(isBroken) ? `<h2>What went wrong</h2>\n${sections.join("\n")}` : "";
}

/**
 * The report as one HTML page that loads nothing.
 *
 * @param version - Of this package.
 */
export function reportAsPage(result: DrillResult, version: string, date: Date): string {
  const status = exitStatus(result);
  const title =
    status === 0
      ? untriedOf(result).length === 0
        ? "The shop passed"
        : "The shop passed what was tried"
      : status === 1
        ? "The shop broke promises"
        : "The shop could not be tested";
  const rows = reportPromises(result).map(
    ({ name, state, failed, tested }) =>
      `<tr><td class="${state.split(" ")[0]}">${state}</td><td>${escapeText(name)}</td><td>${state === "not checked" ? "" : `${failed} of ${tested}`}</td></tr>`,
  );
  const list = (items: readonly string[], style = "") =>
    items.length === 0
      ? ""
      : `<ul${style}>${items.map((one) => `<li>${escapeText(one)}</li>`).join("\n")}</ul>`;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Fire drill</title>
<style>${STYLE}</style>
<main>
<h1 class="${status === 0 ? "ok" : "FAILED"}">${title}</h1>
${list(headlines(result), ' class="harm"')}
<p>${escapeText(summarize(result))}</p>
<p class="about">Each case is one order, and what goes wrong with it. Seed ${escapeText(result.seed)}, ${date.toISOString().slice(0, 16).replace("T", " ")} UTC, malipo ${escapeText(version)}.</p>
<h2>Promises</h2>
<table><thead><tr><th>Result</th><th>Promise</th><th>Broken in</th></tr></thead><tbody>
${rows.join("\n")}
</tbody></table>
${list(notesOf(result))}
${failures(result)}
</main>
</html>
`;
}
