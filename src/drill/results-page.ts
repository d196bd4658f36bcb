import { type Html, html, inline, type Part, renderPage } from "../html/html.ts";
import type { CaseResult } from "./case-run.ts";
import { GROUPS } from "./cases.ts";
import { causeOf } from "./causes.ts";
import {
  commandFor,
  exitStatus,
  headlines,
  isBroken,
  notesOf,
  printableText,
  promiseResults,
  promisesOf,
  storyLines,
  summarize,
  untriedLines,
  untriedOf,
} from "./drill-results.ts";
import type { DrillResult } from "./run-drill.ts";

// The bundled stylesheet: see scripts/page-assets.ts.
declare const DRILL_STYLE: string;

/** One case that broke a promise: a row that opens. */
function caseRow(result: CaseResult, all: DrillResult): Html {
  const { case: one, problems } = result;
  const wrong = promisesOf(all)
    .filter(({ name }) => problems.has(name))
    .map(
      ({ name, remedy, page }) =>
        // No link: the page is read in CI and in mails, where the package is not beside it.
        html`<li><strong>${printableText(problems.get(name) ?? "")}</strong>Usual cause: ${causeOf(result, name)}. ${remedy}<br><span class="hint">Read more: <code>node_modules/malipo/docs/${page}.md</code></span></li>`,
    );
  const lines = storyLines(result).map((line) => html`<li>${printableText(line)}</li>`);
  const why = one.why !== undefined && html`<p class="hint">Why this case: ${one.why}.</p>`;
  return html`<details id="case-${one.number}"><summary>Case ${one.number}: ${one.text}</summary>
${why}<ol>${lines}</ol>
<ul>${wrong}</ul>
<p>Again: <code>${printableText(commandFor(result, all))}</code></p>
</details>`;
}

/** The failed cases of each group. */
function failures(result: DrillResult): Part {
  const { results } = result;
  const sections = Object.entries(GROUPS).map(([group, title]) => {
    const broken = results.filter((one) => isBroken(one) && one.case.group === group);
    return broken.length > 0 && html`<h3>${title}</h3>${broken.map((one) => caseRow(one, result))}`;
  });
  return (
    results.some(isBroken) &&
    html`<section class="card"><h2>What went wrong</h2>${sections}</section>`
  );
}

function titleOf(result: DrillResult): string {
  const status = exitStatus(result);
  if (status === 1) return "The shop broke promises";
  if (result.obstacles.length > 0) return "The shop could not be tested";
  return untriedOf(result).length === 0 ? "The shop passed" : "The shop passed what was tried";
}

const listOf = (items: readonly string[], tone = ""): Part =>
  items.length > 0 &&
  html`<ul class="${tone}">${items.map((item) => html`<li>${printableText(item)}</li>`)}</ul>`;

/**
 * The results as one HTML page that loads nothing.
 *
 * @param version - Of this package.
 */
export function resultsAsPage(result: DrillResult, version: string, date: Date): string {
  const rows = promiseResults(result).map(
    ({ name, state, failed, tested }) =>
      html`<tr><td class="${state.split(" ")[0] ?? ""}">${state}</td><td>${name}</td><td>${state !== "not checked" && `${failed} of ${tested}`}</td></tr>`,
  );
  const when = date.toISOString().slice(0, 16).replace("T", " ");
  return renderPage({
    title: "Fire drill",
    style: inline("style", DRILL_STYLE).element,
    head: "",
    body: html`<main>
<h1 class="${exitStatus(result) === 0 ? "ok" : "FAILED"}">${titleOf(result)}</h1>
<p class="notice ${exitStatus(result) === 0 ? "good" : "bad"}"><strong>${printableText(summarize(result).replace(`${titleOf(result)}. `, ""))}</strong></p>
${listOf(untriedLines(result))}
${listOf(headlines(result), "harm")}
<p class="hint">Each case is one order, and what goes wrong with it. Seed ${printableText(result.seed)}, ${when} UTC, malipo ${version}.</p>
<section class="card"><h2>Promises</h2>
<table><thead><tr><th>Result</th><th>Promise</th><th>Broken in</th></tr></thead><tbody>
${rows}
</tbody></table></section>
${listOf(notesOf(result))}
${failures(result)}
</main>`,
  });
}
