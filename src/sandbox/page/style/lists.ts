export const LISTS = `
.filters { display: flex; flex-wrap: wrap; gap: .25rem; margin: .25rem 0 .5rem; }
.filters a { display: inline-flex; align-items: center; gap: .4em; padding: .2rem .65rem; border-radius: 99px; color: var(--ink-2); font-size: var(--small); text-decoration: none; }
.filters a:hover { background: var(--sunken); }
.filters a[aria-current] { background: var(--accent-soft); color: var(--accent); font-weight: 600; }
.filters small { color: inherit; }
.search { margin-bottom: .5rem; }
.rows { margin: .35rem -1.125rem 0; border-top: 1px solid var(--line); }
.row { border-bottom: 1px solid var(--line); }
.rows .row:last-child { border-bottom: 0; }
.row-head {
  display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: .1rem .75rem; align-items: center;
  padding: .6rem 1.125rem; color: inherit; text-decoration: none;
}
.row-head:hover { background: var(--sunken); }
.row-head:focus-visible { outline-offset: -2px; }
.row-main { display: flex; align-items: baseline; gap: .6rem; min-width: 0; }
.amount { font-weight: 650; letter-spacing: -.01em; white-space: nowrap; }
.event { font-weight: 600; white-space: nowrap; }
.tag { padding: 0 .4rem; border-radius: 4px; background: var(--sunken); color: var(--ink-2); font-size: var(--tiny); overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.row-head:hover .tag { background: var(--line); }
.row-sub { font-size: var(--small); color: var(--ink-2); min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.row-sub > .what:not(:first-child)::before, .payment .what::before { content: "·"; margin: 0 .4em; color: var(--ink-3); }
.row-head time { justify-self: end; }
.row-why { grid-column: 1 / -1; display: flex; gap: .4em; align-items: baseline; margin-top: .15rem; font-size: var(--small); font-weight: 550; color: var(--bad); }
.row-why .icon { translate: 0 .1em; }
.row-head[aria-expanded="true"] { background: var(--accent-soft); }
.row-head[aria-expanded="true"] .tag { background: var(--surface); }
.row.waiting .badge .icon { animation: breathe 1.8s ease-in-out infinite; }
@keyframes breathe { 50% { opacity: .35; } }

.detail { display: grid; gap: .75rem; padding: 1rem 1.125rem 1.25rem; border-top: 1px solid var(--line); }
.detail h3 { margin-top: .35rem; }
.timeline { display: grid; }
.timeline li { position: relative; display: grid; grid-template-columns: 1.75rem minmax(0, 1fr) auto; align-items: baseline; padding-bottom: .6rem; }
.timeline li:last-child { padding-bottom: 0; }
.timeline .icon { position: relative; z-index: 1; width: 1.3rem; height: 1.3rem; padding: .2rem; border-radius: 50%; background: var(--sunken); color: var(--ink-2); stroke-width: 2.2; align-self: start; }
.timeline li:not(:last-child)::before { content: ""; position: absolute; left: .6rem; top: 1.2rem; bottom: 0; border-left: 1.5px solid var(--line); }
.timeline .good .icon { background: var(--good-soft); color: var(--good); }
.timeline .bad .icon { background: var(--bad-soft); color: var(--bad); }
.timeline .waiting .icon { background: var(--waiting-soft); color: var(--waiting); }
.facts { display: grid; gap: .1rem; }
.facts div { display: grid; grid-template-columns: 7.25rem minmax(0, 1fr); gap: .5rem; align-items: center; min-height: 1.75rem; }
.facts dd { display: flex; align-items: center; gap: .35rem; }
.facts dt { font-size: var(--small); color: var(--ink-2); }
.facts dd code { font-size: var(--tiny); }
.raw { border: 1px solid var(--line); border-radius: var(--r-1); }
.raw > summary { padding: .4rem .6rem; font-size: var(--small); flex-wrap: wrap; }
.raw > summary code { min-width: 0; font-size: var(--tiny); }
.raw > summary::after { margin-left: auto; }
.raw > summary .badge { padding: 0 .45rem; }
.raw > .block { margin: 0 .5rem .5rem; }
.raw > .hint { padding: 0 .6rem .5rem; }
.refused { margin-top: .75rem; border-top: 1px solid var(--line); padding-top: .35rem; }
.refused > summary .icon { color: var(--bad); }
.refused .raw + .raw { margin-top: .4rem; }

.reason { display: flex; gap: .65rem; padding: .75rem .9rem; border-radius: var(--r-2); background: var(--bad-soft); color: var(--bad); }
.reason .icon { width: 1.35rem; height: 1.35rem; margin-top: .05rem; }
.reason p { margin-top: .15rem; color: var(--ink); }
.target code { font-size: var(--tiny); }
table { width: 100%; border-collapse: collapse; font-size: var(--small); }
th, td { padding: .3rem .5rem .3rem 0; text-align: left; vertical-align: baseline; }
thead th { font-weight: 550; color: var(--ink-2); border-bottom: 1px solid var(--line); }
tbody th { font-weight: 400; color: var(--ink-2); }
tbody tr + tr > * { border-top: 1px solid var(--line); }
tr.good td .icon { color: var(--good); }
tr.bad td .icon { color: var(--bad); }
td .icon { margin-right: .35em; }
.number { text-align: right; padding-right: 0; white-space: nowrap; }
.signature { display: flex; align-items: start; gap: .5rem; }
.signature code { font-size: var(--tiny); }
.webhooks { display: grid; gap: .35rem; margin: .25rem 0; }
.webhooks li { display: flex; align-items: center; justify-content: space-between; gap: .5rem; padding: .3rem .35rem .3rem .75rem; border-radius: var(--r-1); background: var(--sunken); }
.webhooks span { display: grid; min-width: 0; }
.webhooks code { font-size: var(--tiny); font-weight: 500; }
.webhooks small { color: var(--ink-2); }
.faults { display: grid; gap: .4rem; margin-bottom: .75rem; }
.faults li { padding: .4rem .65rem; border-radius: var(--r-1); background: var(--waiting-soft); color: var(--ink); }
.pager { display: flex; justify-content: space-between; align-items: center; padding-top: .75rem; margin: 0 -1.125rem; padding-inline: 1.125rem; border-top: 1px solid var(--line); font-size: var(--small); }
.pager span { color: var(--ink-2); }
.pager .off { color: var(--ink-3); }
.pager a { padding: .25rem .6rem; margin: 0 -.6rem; }
`;
