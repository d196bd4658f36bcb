export const LAYOUT = `
.top {
  position: sticky; top: 0; z-index: 5; display: flex; align-items: center; gap: 1rem 1.5rem; flex-wrap: wrap;
  padding: .6rem max(1.5rem, calc((100vw - 90rem) / 2)); border-bottom: 1px solid var(--line);
  background: color-mix(in srgb, var(--paper) 88%, transparent); backdrop-filter: blur(10px);
}
h1 { font-size: 1em; }
.brand { display: flex; align-items: center; gap: .6rem; color: var(--ink); font-size: 1.125rem; font-weight: 700; letter-spacing: -.02em; text-decoration: none; }
.brand small { margin-left: .4em; font-size: var(--body); font-weight: 450; letter-spacing: 0; color: var(--ink-2); }
.mark { width: 2rem; height: 2rem; }
.mark rect { fill: #0a6279; }
.mark path { fill: none; stroke: #fff; stroke-width: 2.6; stroke-linecap: round; stroke-linejoin: round; }
.mark .wave { stroke: #f4b860; stroke-width: 2; }
.live { display: flex; align-items: center; gap: .45em; font-size: var(--tiny); color: var(--ink-2); }
.live[hidden] { display: none; }
.live .dot { width: .5rem; height: .5rem; border-radius: 50%; background: var(--good); }
.live.lost { color: var(--bad); font-weight: 600; }
.live.lost .dot { background: var(--bad); }
.clock { margin-left: auto; display: flex; align-items: center; gap: .5rem 1rem; flex-wrap: wrap; }
.clock > p { display: flex; align-items: center; gap: .75rem; }
.clock .now { font-size: var(--big); font-weight: 600; letter-spacing: -.02em; line-height: 1; color: var(--ink); }
.clock p span { display: grid; font-size: var(--tiny); line-height: 1.35; color: var(--ink-2); }
.clock small { color: var(--ink-3); }
.steps { display: flex; align-items: center; }
.steps .steps-label { margin-right: .6rem; font-size: var(--tiny); color: var(--ink-2); }
.clock .steps button { border-radius: 0; margin-left: -1px; white-space: nowrap; }
.clock .steps button:first-of-type { border-radius: var(--r-1) 0 0 var(--r-1); margin-left: 0; }
.clock .steps button:last-of-type { border-radius: 0 var(--r-1) var(--r-1) 0; }
.custom input { width: 4rem; }

#said { position: fixed; z-index: 8; left: 50%; bottom: 1.5rem; transform: translateX(-50%); max-width: min(34rem, calc(100vw - 2rem)); }
#said:not(:empty) {
  padding: .65rem 1rem; border-radius: var(--r-2); background: var(--ink); color: var(--paper);
  font-weight: 550; box-shadow: 0 8px 30px rgb(0 0 0 / 25%); animation: rise .2s ease-out;
}
#said.bad:not(:empty) { background: var(--bad); color: var(--surface); }
@keyframes rise { from { opacity: 0; translate: 0 .5rem; } }

main {
  max-width: 93rem; margin: 0 auto; padding: 1.5rem 1.5rem 4rem; display: grid; gap: 1.25rem 1.5rem; align-items: start;
  grid-template-columns: 19.5rem minmax(0, 1fr) minmax(0, 1fr);
  grid-template-areas: "phone connect connect" "phone payments deliveries" "phone faults faults";
  grid-template-rows: auto auto 1fr;
}
#connect { grid-area: connect; }
#phone { grid-area: phone; }
#payments { grid-area: payments; }
#deliveries { grid-area: deliveries; }
#faults { grid-area: faults; }
.card { padding: 1rem 1.125rem; border: 1px solid var(--line); border-radius: var(--r-3); background: var(--surface); box-shadow: var(--shadow); }
.card-head { display: flex; align-items: center; justify-content: space-between; margin-bottom: .5rem; }
.card h2 { display: flex; align-items: center; gap: .5em; }
.card h2 .icon, .card > details > summary > .icon { color: var(--accent); }
.card > details > summary h2 { font-size: .9375rem; }
.card > details > summary { font-weight: 600; margin: -.35rem 0; padding: .35rem 0; }
.card > details > summary small { color: var(--ink-2); margin-left: .25rem; }
.card > details[open] > summary { margin-bottom: .9rem; }
.columns { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 1.5rem; }
.columns h3 { margin: 0 0 .6rem; }
.columns * + h3 { margin-top: 1.5rem; }
.empty { padding: .75rem 0; color: var(--ink-2); }
.empty form { margin-top: .6rem; }

.settings { display: grid; gap: .55rem 1.25rem; align-content: start; }
.connect .settings { grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); }
.connect .setting { grid-template-columns: 8rem minmax(0, 1fr); }
.connect h3 { margin: 1.1rem 0 .5rem; }
.setting { display: grid; grid-template-columns: 10rem minmax(0, 1fr); align-items: center; gap: .5rem; }
.setting dt { font-size: var(--small); font-weight: 550; color: var(--ink-2); display: grid; line-height: 1.35; }
.setting dt code { font-size: .6875rem; font-weight: 400; color: var(--ink-3); }
.setting dd { display: flex; align-items: center; justify-content: space-between; min-height: 2.125rem; padding: .15rem .25rem .15rem .65rem; border-radius: var(--r-1); background: var(--sunken); }
.setting dd code { font-size: var(--tiny); }

.welcome { padding: 1.75rem 2rem; }
.welcome h2 { font-size: var(--big); letter-spacing: -.02em; }
.lead { margin: .35rem 0 1.5rem; font-size: 1rem; color: var(--ink-2); }
.steps-list > li { counter-increment: step; position: relative; padding: 0 0 1.5rem 3rem; }
.steps-list { counter-reset: step; }
.steps-list > li::before {
  content: counter(step); position: absolute; left: 0; top: -.15rem; width: 1.875rem; height: 1.875rem; display: grid; place-items: center;
  border-radius: 50%; background: var(--accent-soft); color: var(--accent); font-weight: 650; font-size: var(--small);
}
.steps-list > li:not(:last-child)::after { content: ""; position: absolute; left: .9rem; top: 2.1rem; bottom: .35rem; border-left: 1.5px solid var(--line); }
.steps-list > li:last-child { padding-bottom: 0; }
.steps-list h3 { font-size: .9375rem; }
.steps-list p { margin-bottom: .6rem; color: var(--ink-2); }
.steps-list form.inline { max-width: 34rem; }

.shortcuts { display: none; }
.noscript { position: fixed; bottom: 0; left: 0; right: 0; padding: .5rem 1rem; text-align: center; font-size: var(--small); background: var(--waiting-soft); color: var(--waiting); }
.noscript a { color: inherit; }

@media (max-width: 70rem) {
  .steps .steps-label, .clock form.custom { display: none; }
  .card.connect > details > summary small { display: none; }
  main { grid-template-columns: 19.5rem minmax(0, 1fr); grid-template-areas: "phone connect" "phone payments" "phone deliveries" "faults faults"; grid-template-rows: auto auto 1fr auto; }
}
@media (max-width: 47rem) {
  .top { position: static; padding: .75rem 1rem; gap: .75rem; }
  .live { margin-left: auto; }
  .clock { margin: 0; width: 100%; justify-content: space-between; }
  .card > details > summary small { display: none; }
  main { display: flex; flex-direction: column; align-items: stretch; padding: 1rem 1rem 6rem; gap: 1rem; }
  .phone-pane { order: -1; }
  .welcome { padding: 1.25rem 1.125rem; order: -2; }
  .steps-list > li { padding-left: 0; }
  .steps-list > li::after { display: none; }
  .steps-list > li::before { position: static; float: left; margin-right: .6rem; }
  .steps-list h3 { line-height: 1.875rem; margin-bottom: .35rem; }
  .js .block.code pre { padding: 2.25rem .75rem .65rem; }
  .columns { grid-template-columns: minmax(0, 1fr); }
  .setting, .connect .setting { grid-template-columns: minmax(0, 1fr); gap: .15rem; }
  .setting dt { display: flex; gap: .6em; align-items: baseline; }
  .shortcuts {
    position: fixed; z-index: 6; inset: auto 0 0; display: grid; grid-template-columns: repeat(4, 1fr);
    padding-bottom: env(safe-area-inset-bottom); border-top: 1px solid var(--line); background: var(--surface);
  }
  .shortcuts a { position: relative; display: grid; justify-items: center; gap: .1rem; padding: .5rem 0 .55rem; font-size: .6875rem; font-weight: 550; color: var(--ink-2); text-decoration: none; }
  .shortcuts .icon { width: 1.4rem; height: 1.4rem; }
  .shortcuts small { position: absolute; top: .25rem; left: 55%; padding: 0 .35rem; border-radius: 99px; background: var(--accent); color: var(--on-accent); font-size: .625rem; font-weight: 650; }
  #said { bottom: 4.5rem; width: calc(100vw - 2rem); }
  .noscript { position: static; padding-bottom: 5rem; }
  button, input, select { min-height: 2.5rem; }
  input, select { font-size: 1rem; }
}
`;
