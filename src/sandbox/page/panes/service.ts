import type { ServiceProfile } from "../../../profile/types.ts";
import { ASSUMPTIONS, type Assumption } from "../../assumptions.ts";
import { badge, folded } from "../components.ts";
import { type Html, html } from "../html.ts";
import { icon } from "../icons.ts";
import type { PageContext } from "../view.ts";

/** One choice of the sandbox, and whether a profile decided it. */
interface ServicePart {
  readonly about: string;
  readonly text: string;
  readonly isLearned: boolean;
}

function partOf(profile: ServiceProfile, { about, choice, learn }: Assumption): ServicePart {
  // What a profile changes nothing about stays an assumption of the sandbox.
  const isTurned = "rule" in learn && !learn.knob.startsWith("none");
  const { seen, contradictions } = isTurned ? learn.rule(profile) : { seen: 0, contradictions: [] };
  return {
    about,
    text: contradictions.length > 0 ? contradictions.join("; ") : choice,
    isLearned: seen > 0,
  };
}

const known = new WeakMap<ServiceProfile, readonly ServicePart[]>();

/** What is learned comes first. The profile of a sandbox never changes, so this is done once. */
function partsOf(profile: ServiceProfile): readonly ServicePart[] {
  const parts =
    known.get(profile) ??
    Object.values<Assumption>(ASSUMPTIONS)
      .map((assumption) => partOf(profile, assumption))
      .sort((a, b) => Number(b.isLearned) - Number(a.isLearned));
  known.set(profile, parts);
  return parts;
}

const row = ({ about, text, isLearned }: ServicePart): Html =>
  html`<li><h3>${about}</h3>${isLearned ? badge("good", "check", "Learned") : badge("plain", "message", "Assumed")}<p>${text}</p></li>`;

/** Which parts of the sandbox are learned from a service: only there if it has a profile. */
export function servicePane({ server: { profile } }: PageContext): Html | undefined {
  if (profile === undefined) return undefined;
  const parts = partsOf(profile);
  const learned = parts.filter(({ isLearned }) => isLearned).length;
  return html`<section class="card" id="service" aria-label="Speaks like your service">
${folded(
  "service-details",
  html`${icon("message")}<h2>Speaks like your service</h2><small>${learned} parts are learned, ${parts.length - learned} are assumed</small>`,
  html`<ul class="parts">${parts.map(row)}</ul>`,
  undefined,
  "",
)}
</section>`;
}
