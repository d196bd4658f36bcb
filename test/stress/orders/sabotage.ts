import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";

/** A change of the source that breaks a promise. The campaign must notice it. */
export interface Sabotage {
  /** Under `src/checkout`. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
  /** The kind of breach that says so. */
  readonly breaks: string;
}

export const SABOTAGES: Readonly<Record<string, Sabotage>> = {
  "no time to send": {
    file: "order-engine.ts",
    from: "        sendBefore,\n",
    to: "",
    breaks: "sent late",
  },
  "a lost response ends the attempt": {
    file: "order-engine.ts",
    from: 'if (outcome === "unknown" || !isOwn) return { kind: "lost", number };',
    to: "",
    breaks: "a payment of no attempt",
  },
  "one key for all attempts": {
    file: "order-engine.ts",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a part of the source
    from: "/${number}`;",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a part of the source
    to: "/${number * 0}`;",
    breaks: "attempts",
  },
  "payments are not read": {
    file: "order-engine.ts",
    from: "const payment = await this.settings.gateway.payments.get(reference);",
    to: "if (reference !== undefined) return NOT_FOUND;\nconst payment = { status: '' };",
    breaks: "never ended",
  },
  "what is unknown is not looked up": {
    file: "order-engine.ts",
    from: 'const wasUnknown = found.state === "unknown";',
    to: "const wasUnknown = false;",
    breaks: "never ended",
  },
  "an effect is done twice": {
    file: "rules.ts",
    from: '"an effect is done once",\n      [6],\n      ({ effect }) => effect?.state === "due",',
    to: '"an effect is done once",\n      [6],\n      ({ effect }) => effect !== undefined,',
    breaks: "goods",
  },
  "the goods before the transaction": {
    file: "sqlite/orders.ts",
    from: "return await file.use(() => inTransaction(database, () => commitNow(change, within)));",
    to: `within.write?.(connection);
      return await file.use(() => inTransaction(database, () => commitNow(change, {})));`,
    breaks: "goods",
  },
  "a phone is asked for two orders": {
    file: "sql.ts",
    from: "if (openUntil > now) return",
    to: "if (openUntil > now && openUntil === 0) return",
    breaks: "two prompts on one phone",
  },
  "an order outside of the merchant's transaction": {
    file: "sqlite/orders.ts",
    from: "const committed = file.steps(commitSteps(change), theirs(transaction));",
    to: "const committed = await file.transaction(() => commitSteps(change));",
    breaks: "cart",
  },
  "what onPaid rolled back counts as given": {
    file: "sqlite/orders.ts",
    from: "if (!file.steps(isWrittenSteps(change))) throw rolledBack();",
    to: "",
    breaks: "goods",
  },
  "a review is decided by two people": {
    file: "decision-rules.ts",
    from: "reviewWith(order, review) === undefined,\n    refused,",
    to: "reviewWith(order, review) === undefined,\n    (order) => order,",
    breaks: "decided twice",
  },
  "an order that is over is paid": {
    file: "rules.ts",
    from: "isCompleted(order, input) && order.closed !== undefined,",
    to: "isCompleted(order, input) && order.closed === null,",
    breaks: "paid wrongly",
  },
};

const SHOP = fileURLToPath(new URL("./shop-process.ts", import.meta.url));
const TSCONFIG = fileURLToPath(new URL("../../../tsconfig.json", import.meta.url));

/** The times of the rules are those of a shop. A campaign has minutes. */
const SHORTER: readonly Pick<Sabotage, "file" | "from" | "to">[] = [
  { file: "inputs.ts", from: "lookMs: [5_000, 10 * MINUTE_MS]", to: "lookMs: [1_000, 5_000]" },
  { file: "inputs.ts", from: "effectMs: 90_000", to: "effectMs: 20_000" },
  { file: "inputs.ts", from: "effectTries: 12", to: "effectTries: 3" },
  { file: "give-goods.ts", from: "MAX_BACKOFF_MS = 300_000", to: "MAX_BACKOFF_MS = 4_000" },
];

/** Changes the source while it is bundled. A change that finds nothing to change is an error. */
function changing(changes: typeof SHORTER): Plugin {
  const left = new Set(changes);
  return {
    name: "changes",
    setup: (bundler) => {
      bundler.onLoad({ filter: /src[/\\]checkout[/\\].*\.ts$/ }, async ({ path }) => {
        let contents = await readFile(path, "utf8");
        for (const change of changes) {
          if (!path.endsWith(`src/checkout/${change.file}`)) continue;
          if (!contents.includes(change.from)) continue;
          contents = contents.replace(change.from, () => change.to);
          left.delete(change);
        }
        return { contents, loader: "ts" };
      });
      bundler.onEnd(() => {
        const errors = [...left].map(({ file, from }) => ({
          text: `src/checkout/${file} has no ${JSON.stringify(from)}: change the sabotage, too.`,
        }));
        return { errors };
      });
    },
  };
}

/** Bundles the process of the shop from the sources. */
export async function bundleShop(outfile: string, sabotage: Sabotage | undefined): Promise<void> {
  await build({
    entryPoints: [SHOP],
    ...{ outfile, bundle: true, platform: "node", format: "esm", logLevel: "error" },
    tsconfig: TSCONFIG,
    external: ["pg"],
    plugins: [changing(sabotage === undefined ? SHORTER : [...SHORTER, sabotage])],
  });
}
