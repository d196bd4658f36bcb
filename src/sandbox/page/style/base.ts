export const BASE = `
*, *::before, *::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; scroll-padding-top: 5rem; }
body {
  margin: 0; background: var(--paper); color: var(--ink);
  font: var(--body)/1.5 var(--sans); font-variant-numeric: tabular-nums;
  overflow-wrap: anywhere;
}
h1, h2, h3, p, ul, ol, dl, dd, pre, table { margin: 0; padding: 0; }
ul, ol { list-style: none; }
h2 { font-size: var(--title); font-weight: 650; letter-spacing: -.01em; }
h3 { font-size: var(--small); font-weight: 600; }
small { font-size: var(--tiny); font-weight: 400; }
a { color: var(--accent); text-underline-offset: 2px; }
code, pre { font-family: var(--mono); font-size: .92em; }
time { color: var(--ink-3); font-size: var(--tiny); white-space: nowrap; }
.icon {
  width: 1.15em; height: 1.15em; flex: none; fill: none; stroke: currentColor;
  stroke-width: 1.6; stroke-linecap: round; stroke-linejoin: round; vertical-align: -.2em;
}
.hint { color: var(--ink-2); font-size: var(--small); }
.unseen {
  position: absolute; width: 1px; height: 1px; overflow: hidden;
  clip-path: inset(50%); white-space: nowrap;
}
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
h2:focus-visible { outline-offset: 4px; }
.skip { position: absolute; left: -999px; top: .5rem; z-index: 9; padding: .5rem .75rem; border-radius: var(--r-1); background: var(--surface); }
.skip:focus { left: .5rem; }

button {
  font: inherit; font-weight: 550; color: var(--ink); cursor: pointer; white-space: nowrap; min-height: 2.125rem;
  display: inline-flex; align-items: center; justify-content: center; gap: .4em;
  padding: .25rem .75rem; border: 1px solid var(--edge); border-radius: var(--r-1); background: var(--surface);
  transition: background .12s, border-color .12s;
}
button:hover { background: var(--sunken); border-color: var(--ink-2); }
button:disabled { color: var(--ink-3); border-color: var(--line); background: none; cursor: default; opacity: .75; }
button.primary { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
button.primary:hover { background: var(--accent-hover); border-color: var(--accent-hover); }
button.quiet { border-color: transparent; background: none; color: var(--accent); }
button.quiet:hover { background: var(--accent-soft); }
button.danger { color: var(--bad); border-color: var(--bad); }
button.danger:hover { background: var(--bad-soft); }
label { display: grid; gap: .25rem; font-size: var(--small); font-weight: 550; color: var(--ink-2); }
input, select {
  font: inherit; font-weight: 400; color: var(--ink); width: 100%; min-width: 0; min-height: 2.125rem;
  padding: .25rem .6rem; border: 1px solid var(--edge); border-radius: var(--r-1); background: var(--surface);
}
input::placeholder { color: var(--ink-3); opacity: 1; }
input:focus-visible, select:focus-visible { outline-offset: -1px; border-color: var(--accent); }
form.grid { display: grid; grid-template-columns: 1fr 1fr; gap: .75rem; align-items: end; }
form.grid .primary { grid-column: 1 / -1; justify-self: start; }
form.grid .hint { grid-column: 1 / -1; }
form.inline { display: flex; gap: .5rem; align-items: end; }
form.inline label { flex: 1; min-width: 0; }

.badge {
  display: inline-flex; align-items: center; gap: .3em; padding: .1rem .5rem .1rem .4rem; border-radius: 99px;
  font-size: var(--tiny); font-weight: 600; white-space: nowrap; justify-self: end;
}
.badge.good { color: var(--good); background: var(--good-soft); }
.badge.bad { color: var(--bad); background: var(--bad-soft); }
.badge.waiting { color: var(--waiting); background: var(--waiting-soft); }
.badge.plain { color: var(--ink-2); background: var(--sunken); padding-left: .5rem; }

.copy { display: none; }
.js .copy {
  display: inline-flex; flex: none; min-height: 1.75rem; padding: 0 .45rem; font-size: var(--tiny);
  border-color: transparent; background: none; color: var(--ink-2);
}
.js .copy:hover { background: var(--accent-soft); color: var(--accent); }
.copy.done { color: var(--good); }
.block { position: relative; border: 1px solid var(--line); border-radius: var(--r-1); background: var(--sunken); }
.block pre { padding: .65rem .75rem; font-size: var(--tiny); line-height: 1.6; white-space: pre-wrap; max-height: 20rem; overflow: auto; }
.block.code pre { white-space: pre; }
.js .block pre { padding-right: 4.75rem; }
.block .copy { position: absolute; top: .3rem; right: .3rem; background: var(--sunken); }
details > summary { cursor: pointer; list-style: none; display: flex; align-items: center; gap: .45em; border-radius: var(--r-1); }
details > summary::-webkit-details-marker { display: none; }
details > summary::after {
  content: ""; width: .45em; height: .45em; margin: 0 .25em 0 auto; flex: none; border: solid var(--ink-3);
  border-width: 0 1.5px 1.5px 0; transform: rotate(45deg) translate(-.1em, -.1em); transition: transform .15s;
}
details[open] > summary::after { transform: rotate(225deg) translate(-.15em, -.15em); }
details.more > summary { padding: .4rem 0; color: var(--ink-2); font-size: var(--small); font-weight: 550; }
details.more > summary:hover { color: var(--ink); }
details.more > summary small { color: var(--ink-3); }
details.more[open] > :nth-child(2) { margin-top: .25rem; }

@media (prefers-reduced-motion: reduce) {
  *, *::before, *::after { animation: none !important; transition: none !important; scroll-behavior: auto !important; }
}
`;
