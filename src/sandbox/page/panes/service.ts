import { type ReportEntry, reportOn } from "../../assumption-report.ts";
import { ASSUMPTIONS, type Assumption } from "../../assumptions.ts";
import { type Badge, badge, foldedCard } from "../components.ts";
import { type Html, html } from "../html.ts";
import type { PageContext } from "../view.ts";

const row = (name: ReportEntry["name"], text: string, ...state: Badge): Html =>
  html`<li><div class="line"><h3>${ASSUMPTIONS[name].about}</h3>${badge(...state)}</div><p>${text}</p></li>`;

/** What a profile changes nothing about stays an assumption of the sandbox. */
function isLearned({ name, seen }: ReportEntry): boolean {
  const { learn }: Assumption = ASSUMPTIONS[name];
  return seen > 0 && "knob" in learn && !learn.knob.startsWith("none");
}

/** Which parts of the sandbox are learned from a service: only there if it has a profile. */
export function servicePane({ server: { profile } }: PageContext): Html | undefined {
  if (profile === undefined) return undefined;
  const parts = reportOn(profile);
  const learned = parts.filter(isLearned);
  const assumed = parts.filter((part) => !isLearned(part));
  return foldedCard(
    "service",
    "message",
    "Speaks like your service",
    `${learned.length} parts are learned, ${assumed.length} are assumed`,
    html`<ul class="parts">${learned.map((one) => row(one.name, one.found ?? one.assumed, "good", "check", "Learned"))}${assumed.map((one) => row(one.name, one.assumed, "plain", "message", "Assumed"))}</ul>`,
  );
}
