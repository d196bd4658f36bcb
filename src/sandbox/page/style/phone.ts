// The phone is a thing, so it looks the same by day and by night; what it shows follows the theme.
const DHOW =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 300 150' preserveAspectRatio='none'%3E%3Ccircle cx='216' cy='62' r='26' fill='%23ffd9a0' fill-opacity='.85'/%3E%3Cpath d='M0 84h300v66H0z' fill='%230b3c49' fill-opacity='.94'/%3E%3Cg fill='%23041820'%3E%3Cpath d='M70 90h74l-12 14H84z'/%3E%3Cpath d='M103 88 92 24c22 8 40 32 50 60z' fill='%23f1dcc0'/%3E%3Cpath d='M101 90 90 20l3-.5L105 90z'/%3E%3C/g%3E%3Cg stroke='%23ffd9a0' stroke-opacity='.35' stroke-width='2' stroke-linecap='round'%3E%3Cpath d='M196 96h42m-34 10h28m-18 10h10M40 112h34m30 14h46M20 134h22'/%3E%3C/g%3E%3C/svg%3E";
const WALLPAPER =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='48' height='48' fill='none' stroke='%23fff' stroke-opacity='.07' stroke-width='1.5'%3E%3Cpath d='M24 4 44 24 24 44 4 24zM24 14l10 10-10 10-10-10z'/%3E%3Ccircle cx='0' cy='0' r='5'/%3E%3Ccircle cx='48' cy='0' r='5'/%3E%3Ccircle cx='0' cy='48' r='5'/%3E%3Ccircle cx='48' cy='48' r='5'/%3E%3C/svg%3E";

export const PHONE = `
.phone-pane { display: grid; grid-template-columns: minmax(0, 1fr); gap: .9rem; justify-items: center; position: sticky; top: 5.25rem; }
.phones { display: flex; flex-wrap: wrap; justify-content: center; gap: .15rem; margin: 0 -.5rem; }
.phones a { display: inline-flex; align-items: center; gap: .35em; padding: .25rem .5rem; border-radius: 99px; font-size: var(--tiny); white-space: nowrap; color: var(--ink-2); text-decoration: none; }
.phones a:hover { background: var(--line); }
.phones a[aria-current] { background: var(--surface); color: var(--ink); font-weight: 600; box-shadow: 0 0 0 1px var(--edge); }
.phones .dot { width: .5rem; height: .5rem; border-radius: 50%; background: #d97706; }

.device {
  position: relative; width: 18.75rem; max-width: 100%; padding: .7rem; border-radius: 3.1rem;
  background: linear-gradient(135deg, #474b50, #17191b 22%, #0d0e0f 70%, #33373b);
  box-shadow: inset 0 0 0 1px #6b7177, inset 0 0 0 3px #121314, 0 24px 48px -18px rgb(20 30 40 / 45%), 0 6px 14px rgb(20 30 40 / 14%);
}
.device::before, .device::after { content: ""; position: absolute; width: 3px; border-radius: 2px; background: linear-gradient(90deg, #17191b, #54595e); }
.device::before { right: -3px; top: 8.5rem; height: 4rem; }
.device::after { left: -3px; top: 7rem; height: 2.4rem; background: linear-gradient(270deg, #17191b, #54595e); box-shadow: 0 3.1rem 0 #33373b; }
.speaker { position: absolute; z-index: 3; top: 1.2rem; left: 50%; width: 5rem; height: 1.35rem; margin-left: -2.5rem; border-radius: 99px; background: #000; }
.speaker::after { content: ""; position: absolute; right: .4rem; top: .4rem; width: .55rem; height: .55rem; border-radius: 50%; background: radial-gradient(circle at 35% 35%, #39506b, #0a1018 65%); }
.screen {
  position: relative; display: flex; flex-direction: column; min-height: 37rem; overflow: hidden; border-radius: 2.5rem; color: #fff;
  background: url("${DHOW}") bottom / 100% 9.5rem no-repeat, url("${WALLPAPER}"), linear-gradient(180deg, #07293a, #0d4a5e 45%, #3c7c80 68%, #e0a468 90%);
}
.screen.off { background: #050607; display: grid; place-items: center; }
.screen.off p { display: grid; justify-items: center; gap: .6rem; color: #9aa3ab; }
.screen.off .icon { width: 2rem; height: 2rem; }
.bar { display: flex; align-items: center; gap: .35rem; padding: .75rem 1.5rem .4rem; font-size: .75rem; font-weight: 600; }
.bar .bars { margin-left: auto; width: 1rem; height: .7rem; background: linear-gradient(#fff, #fff) 0 100% / 3px 35%, linear-gradient(#fff, #fff) 4.3px 100% / 3px 55%, linear-gradient(#fff, #fff) 8.6px 100% / 3px 78%, linear-gradient(#fff, #fff) 13px 100% / 3px 100%; background-repeat: no-repeat; }
.bar .battery { width: 1.35rem; height: .65rem; border-radius: 3px; border: 1px solid rgb(255 255 255 / 75%); background: linear-gradient(90deg, #fff 72%, transparent 0) content-box; padding: 1px; }
.home { display: flex; flex-direction: column; align-items: center; padding: 1.1rem .8rem; transition: filter .2s, opacity .2s; }
.screen.ringing { background: url("${WALLPAPER}"), linear-gradient(180deg, #07293a, #0d4a5e 60%, #1a5f6c); }
.ringing .home { filter: blur(5px); opacity: .55; }
.big-clock { font-size: 3.4rem; font-weight: 300; line-height: 1.05; letter-spacing: -.03em; }
.big-date { font-size: var(--small); opacity: .9; }
.quiet-screen { margin-top: 1.75rem; padding: .75rem 1rem; border-radius: var(--r-2); background: rgb(4 26 34 / 62%); font-size: var(--small); text-align: center; }
.quiet-screen .countdown { color: inherit; vertical-align: middle; }
.messages { width: 100%; margin-top: 1.4rem; display: grid; gap: .45rem; }
.message { display: grid; grid-template-columns: auto 1fr; gap: .6rem; padding: .65rem .75rem; border-radius: var(--r-3); background: rgb(255 255 255 / 94%); color: #1b2025; font-size: var(--tiny); line-height: 1.45; }
.message-icon { display: grid; place-items: center; width: 1.7rem; height: 1.7rem; border-radius: .55rem; background: #17693c; color: #fff; font-size: .9rem; }
.message.failed .message-icon { background: #ab251c; }
.message time { display: block; color: #59616a; font-size: .6875rem; }

.dialog {
  position: absolute; inset: auto .5rem .5rem; max-height: calc(100% - 3.2rem); overflow: auto; display: grid; grid-template-columns: minmax(0, 1fr); gap: .55rem; padding: 1rem 1rem .9rem; border-radius: 2rem;
  background: var(--surface); color: var(--ink); box-shadow: 0 -10px 40px rgb(0 0 0 / 35%); animation: ring .3s cubic-bezier(.2, .9, .3, 1.1);
}
@keyframes ring { from { transform: translateY(1.5rem); opacity: 0; } }
.dialog-head { display: flex; align-items: center; justify-content: space-between; }
.dialog h3 { color: var(--ink-2); }
.countdown { position: relative; display: inline-grid; place-items: center; width: 2.6rem; height: 2.6rem; color: var(--ink); }
.countdown svg { grid-area: 1 / 1; width: 100%; height: 100%; rotate: -90deg; fill: none; stroke: var(--line); stroke-width: 3; }
.countdown .left { stroke: var(--accent); stroke-linecap: round; transition: stroke-dasharray .3s linear; }
.countdown b { grid-area: 1 / 1; font-size: .6875rem; font-weight: 650; white-space: nowrap; }
.countdown.late .left { stroke: var(--bad); }
.screen .quiet-screen .countdown b { color: #fff; }
.ask { line-height: 1.35; color: var(--ink-2); }
.ask .amount { display: block; font-size: 1.625rem; font-weight: 700; letter-spacing: -.03em; line-height: 1.15; color: var(--ink); }
.ask strong { color: var(--ink); font-weight: 600; }
.ask-facts { display: grid; grid-template-columns: minmax(0, 1fr); gap: .1rem; font-size: var(--small); }
.ask-facts div { display: flex; gap: .5em; }
.ask-facts dt { flex: none; color: var(--ink-2); }
.ask-facts dd { font-weight: 550; min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.pin { display: grid; gap: .4rem; }
.pin > label { font-size: var(--tiny); }
.pin-field { min-height: 2.75rem; font: 700 1.375rem/1 var(--mono); letter-spacing: .75em; text-align: center; text-indent: .75em; -webkit-text-security: disc; border-radius: var(--r-2); background: var(--sunken); }
.pin .hint { font-size: var(--tiny); text-align: center; margin-top: -.1rem; }
.pad { display: none; }
.js .pad { display: grid; grid-template-columns: repeat(3, 1fr); gap: .3rem; }
.pad button { min-height: 2.45rem; font-size: 1.125rem; font-weight: 550; border-color: transparent; background: var(--sunken); border-radius: var(--r-2); }
.pad button:hover { background: var(--line); }
.pad button:active { background: var(--accent-soft); }
.answers { display: grid; grid-template-columns: 1fr 1fr; gap: .4rem; }
.answers button { min-height: 2.6rem; border-radius: 99px; }
.acts { display: flex; flex-wrap: wrap; justify-content: center; gap: .4rem; }
.phone-pane > .more { width: 18.75rem; }
.phone-pane > .more > form { margin-bottom: .6rem; }

@media (max-width: 47rem) {
  .phone-pane { position: static; }
  .phone-pane > .more { width: 100%; max-width: 22rem; }
  .screen { min-height: 34.5rem; }
  .phone-pane { min-width: 0; }
}
`;
