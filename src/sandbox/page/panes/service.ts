import { joinFindings } from "../../../profile/rules/finding.ts";
import type { ServiceProfile } from "../../../profile/types.ts";
import { ASSUMPTIONS, type Assumption } from "../../assumptions.ts";
import { badge, foldedCard } from "../components.ts";
import { type Html, html } from "../html.ts";
import type { PageContext } from "../view.ts";

/** One choice of the sandbox, and whether a profile decided it. */
function partOf(profile: ServiceProfile, { about, choice, learn }: Assumption) {
  // What a profile changes nothing about stays an assumption of the sandbox.
  const isTurned = "rule" in learn && !learn.knob.startsWith("none");
  const { seen, contradictions } = joinFindings(isTurned ? learn.rule(profile) : []);
  const text = contradictions.length > 0 ? contradictions.join("; ") : choice;
  return { about, text, isLearned: seen > 0 };
}

const row = ({ about, text, isLearned }: ReturnType<typeof partOf>): Html =>
  html`<li><h3>${about}</h3>${isLearned ? badge("good", "check", "Learned") : badge("plain", "message", "Assumed")}<p>${text}</p></li>`;

/** Which parts of the sandbox are learned from a service: only there if it has a profile. */
export function servicePane({ server: { profile } }: PageContext): Html | undefined {
  if (profile === undefined) return undefined;
  const parts = Object.values<Assumption>(ASSUMPTIONS).map((one) => partOf(profile, one));
  // What is learned comes first.
  const [learned, assumed] = [true, false].map((is) =>
    parts.filter(({ isLearned }) => isLearned === is),
  ) as [typeof parts, typeof parts];
  return foldedCard(
    "service",
    "message",
    "Speaks like your service",
    `${learned.length} parts are learned, ${assumed.length} are assumed`,
    html`<ul class="parts">${[...learned, ...assumed].map(row)}</ul>`,
  );
}
