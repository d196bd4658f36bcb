// The paths of our tsconfig lead to the sources: what a user bundles is what package.json names.
const asInstalled = (platform) => (config) => ({ ...config, platform, tsconfigRaw: {} });

export default [
  {
    name: "Gateway, everything in",
    path: "dist/index.js",
    import: "{ Gateway }",
    limit: "20 kB",
    modifyEsbuildConfig: asInstalled("browser"),
  },
  {
    name: "verifyWebhook, Node",
    path: "dist/webhooks.node.js",
    import: "{ verifyWebhook }",
    limit: "1.5 kB",
    modifyEsbuildConfig: asInstalled("node"),
  },
  {
    name: "verifyWebhook, browser",
    path: "dist/webhooks.js",
    import: "{ verifyWebhook }",
    limit: "4.5 kB",
    modifyEsbuildConfig: asInstalled("browser"),
  },
].map((check) => ({ gzip: true, ...check }));
