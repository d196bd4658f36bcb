import { describe, expect, test } from "vitest";
import { isBrowser } from "../../src/client/runtime.ts";

type Globals = Parameters<typeof isBrowser>[0];

const CHROME = { userAgent: "Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0", product: "Gecko" };
const NODE = { env: {}, versions: { node: "24.21.0" } };

// The globals of each runtime that tell it apart.
const BROWSERS: [string, Globals][] = [
  ["a window", { document: {}, navigator: CHROME }],
  ["a window with a bundler's process", { document: {}, navigator: CHROME, process: { env: {} } }],
  [
    "a window with a bundler's process and empty versions",
    { document: {}, navigator: CHROME, process: { env: {}, versions: {} } },
  ],
  ["a web worker", { WorkerGlobalScope: class {}, navigator: CHROME }],
  [
    "a web worker with a bundler's process",
    { WorkerGlobalScope: class {}, navigator: CHROME, process: { env: {}, versions: {} } },
  ],
  ["a service worker", { WorkerGlobalScope: class {}, navigator: { userAgent: CHROME.userAgent } }],
  ["React Native", { navigator: { product: "ReactNative" } }],
  [
    "React Native with an own process",
    { navigator: { product: "ReactNative" }, process: { env: { NODE_ENV: "production" } } },
  ],
];

// Places that give a page all of Node.
const ELECTRON = { ...NODE, versions: { ...NODE.versions, electron: "39.0.0" } };
const NW = { ...NODE, versions: { ...NODE.versions, nw: "0.104.0" } };

BROWSERS.push(
  [
    "Electron's renderer with Node",
    { process: { ...ELECTRON, type: "renderer" }, document: {}, navigator: CHROME },
  ],
  ["Electron's renderer, in a preload script", { process: { ...ELECTRON, type: "renderer" } }],
  [
    "a worker of Electron's renderer with Node",
    { process: { ...ELECTRON, type: "worker" }, WorkerGlobalScope: class {} },
  ],
  ["a service worker of Electron", { process: { ...ELECTRON, type: "service-worker" } }],
  ["Electron's renderer without Node", { document: {}, navigator: CHROME }],
  ["a window of NW.js", { process: NW, document: {}, navigator: CHROME }],
  ["a module that a window of NW.js requires", { process: NW }],
  ["NativeScript", { NativeScriptGlobals: {}, __runtimeVersion: "8.9.3" }],
  ["NativeScript before its core is loaded", { __runtimeVersion: "8.9.3" }],
  ["NativeScript with a navigator", { navigator: { product: "NativeScript" } }],
  ["NativeScript with the navigator of old apps", { navigator: { product: "NS" } }],
);

const SERVERS: [string, Globals][] = [
  ["Electron's main process", { process: { ...ELECTRON, type: "browser" } }],
  ["a utility process of Electron", { process: { ...ELECTRON, type: "utility" } }],
  ["Electron run as Node", { process: ELECTRON }],
  ["Node", { process: NODE, navigator: { userAgent: "Node.js/24" } }],
  ["Node before it had a navigator", { process: NODE }],
  ["Node under jsdom", { process: NODE, document: {}, navigator: CHROME }],
  ["Node under a worker's globals", { process: NODE, WorkerGlobalScope: class {} }],
  [
    "Bun",
    { process: { env: {}, versions: { node: "24.3.0" } }, navigator: { userAgent: "Bun/1.3" } },
  ],
  ["Deno", { Deno: {}, navigator: { userAgent: "Deno/2.5" } }],
  [
    "a Deno worker",
    { Deno: {}, WorkerGlobalScope: class {}, navigator: { userAgent: "Deno/2.5" } },
  ],
  [
    "Deno with a window's globals",
    { Deno: {}, document: {}, navigator: { userAgent: "Deno/2.5" } },
  ],
  [
    "Cloudflare Workers",
    { WorkerGlobalScope: class {}, navigator: { userAgent: "Cloudflare-Workers" } },
  ],
  [
    "Cloudflare Workers with Node's API",
    {
      WorkerGlobalScope: class {},
      navigator: { userAgent: "Cloudflare-Workers" },
      process: { env: {}, versions: {} },
    },
  ],
  ["a place that shows nothing", {}],
];

describe("these are browsers", () => {
  test.each(BROWSERS)("%s", (_, globals) => {
    expect(isBrowser(globals)).toBe(true);
  });
});

describe("these are not browsers", () => {
  test.each(SERVERS)("%s", (_, globals) => {
    expect(isBrowser(globals)).toBe(false);
  });

  test("the place in which these tests run", () => {
    expect(isBrowser()).toBe(false);
  });
});
