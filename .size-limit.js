// The paths of our tsconfig.json lead to the sources. A user bundles the files that package.json names.
const asInstalled = (platform) => (config) => ({
  ...config,
  platform,
  format: "esm",
  tsconfigRaw: {},
  plugins: [...(config.plugins ?? []), withoutPartsOnDemand],
});

/** What a page downloads at first: the entry and what it imports statically. */
const withoutPartsOnDemand = {
  name: "without-parts-on-demand",
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\.{1,2}\// }, ({ kind, path }) =>
      kind === "dynamic-import" ? { path, external: true } : undefined,
    ),
};

// The limits are the goals, but for one.
export default [
  {
    name: "Gateway for browsers, entry and static imports",
    path: "dist/index.js",
    import: "{ Gateway }",
    // The goal is 22 kB: `npm run bench` prints whether it is met. This limit stops growth.
    limit: "24 kB",
    modifyEsbuildConfig: asInstalled("browser"),
  },
  {
    name: "Gateway on Node, entry and static imports",
    path: "dist/index.js",
    import: "{ Gateway }",
    limit: "28 kB",
    modifyEsbuildConfig: asInstalled("node"),
  },
  {
    name: "verifyWebhook, Node",
    path: "dist/webhooks.js",
    import: "{ verifyWebhook }",
    limit: "2.4 kB",
    modifyEsbuildConfig: asInstalled("node"),
  },
  {
    name: "verifyWebhook, browser",
    path: "dist/webhooks.js",
    import: "{ verifyWebhook }",
    limit: "5.2 kB",
    modifyEsbuildConfig: asInstalled("browser"),
  },
  {
    name: "a page that follows a payment without a key, with React",
    path: "dist/react.js",
    import: "{ usePayment }",
    ignore: ["react"],
    limit: "3 kB",
    modifyEsbuildConfig: asInstalled("browser"),
  },
  {
    name: "the same without React",
    path: "dist/status.js",
    import: "{ followPayment }",
    limit: "3 kB",
    modifyEsbuildConfig: asInstalled("browser"),
  },
].map((check) => ({ gzip: true, ...check }));
