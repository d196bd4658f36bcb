// The paths of our tsconfig.json lead to the sources. A user bundles the files that package.json names.
const asInstalled = (platform) => (config) => ({
  ...config,
  platform,
  format: "esm",
  tsconfigRaw: {},
});

export default [
  {
    name: "Gateway, with everything it needs",
    path: "dist/index.js",
    import: "{ Gateway }",
    // The goal is 26 kB, and `npm run bench` prints whether it is met. This limit stops growth.
    limit: "39.5 kB",
    modifyEsbuildConfig: asInstalled("browser"),
  },
  {
    name: "verifyWebhook, Node",
    path: "dist/webhooks.node.js",
    import: "{ verifyWebhook }",
    // The goal is 2.2 kB, as above.
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
].map((check) => ({ gzip: true, ...check }));
