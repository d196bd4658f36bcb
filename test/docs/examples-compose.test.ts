import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { type Installed, installPacked } from "../support/installed.ts";
import {
  type Container,
  execIn,
  type Place,
  readCompose,
  startService,
} from "./support/compose.ts";
import { hasNamespaces, twoMachines } from "./support/namespaces.ts";

const PAGE = "docs/guides/ci.md";
const NAMES = ["gateway", "shop"] as const;
const ORDER = "4F1A9C07B2E8";

interface Example {
  readonly title: string;
  readonly file: string;
  readonly image: RegExp;
  readonly user: string;
  /** Puts the files of the shop beside `node_modules`. */
  readonly fill: (folder: string) => void;
}

const EXAMPLES: readonly Example[] = [
  {
    title: "a shop on Express",
    file: "examples/compose.yaml",
    image: /^node:24-/,
    user: "node",
    fill: (folder) => {
      cpSync("examples/express", folder, { recursive: true });
      const express = join(folder, "node_modules/express");
      symlinkSync(realpathSync("node_modules/express"), express);
    },
  },
  {
    title: "a shop in Python",
    file: "examples/python/compose.yaml",
    image: /^python:3/,
    user: "nobody",
    fill: (folder) => cpSync("examples/python/shop.py", join(folder, "shop.py")),
  },
];

const hasPython = spawnSync("python3", ["-c", "import sqlite3"]).status === 0;
const canRun = ({ title }: Example) => hasNamespaces && (!title.includes("Python") || hasPython);

const serviceNamed = (file: string, name: string) => {
  const service = readCompose(file)[name];
  if (service === undefined) throw new Error(`${file} has no service ${name}.`);
  return service;
};

describe.each(EXAMPLES)("the compose file of $title", ({ file, image, user }) => {
  test("has the shop and the sandbox, and the shop waits until the sandbox is healthy", () => {
    const services = readCompose(file);
    expect(Object.keys(services)).toEqual(NAMES);
    expect(services.shop?.depends_on).toEqual({
      gateway: { condition: "service_healthy", restart: "true" },
    });
  });

  test("the sandbox has a Node.js that the package supports", () => {
    const { engines } = JSON.parse(readFileSync("package.json", "utf8"));
    const [, major] = /^node:(\d+)/.exec(serviceNamed(file, "gateway").image) ?? [];
    expect(Number(major)).toBeGreaterThanOrEqual(Number(/\d+/.exec(engines.node)?.[0]));
  });

  test("no container is root, or writes into the folder of the shop", () => {
    const shop = serviceNamed(file, "shop");
    expect([shop.image, shop.user]).toEqual([expect.stringMatching(image), user]);
    expect(serviceNamed(file, "gateway").user).toBe("node");
    for (const name of NAMES) {
      const { working_dir, volumes } = serviceNamed(file, name);
      expect(volumes).toEqual([`.:${working_dir}:ro`]);
    }
  });

  test.each(NAMES)("%s is published on this machine only", (name) => {
    const [port = ""] = serviceNamed(file, name).ports;
    expect(port).toMatch(/^127\.0\.0\.1:(\d+):\1$/);
  });

  test("holds no key", () => expect(readFileSync(file, "utf8")).not.toMatch(/\b(?:[sp]k|sb)_/));
});

let installed: Installed | undefined;
afterAll(() => installed?.remove());

async function composeUp({ file, fill }: Example) {
  installed ??= installPacked();
  const { folder } = installed;
  // Each shop has files of its own beside the same package.
  fill(folder);
  const network = await twoMachines(NAMES);
  onTestFinished(network.stop);
  const places = new Map<string, Place>();
  const containers: Record<string, Container> = {};
  for (const name of NAMES) {
    const data = mkdtempSync(join(tmpdir(), `malipo-${name}-`));
    onTestFinished(() => rmSync(data, { recursive: true, force: true }));
    const place = { on: network.on(name, folder), data };
    places.set(name, place);
    const container = await startService(serviceNamed(file, name), place);
    onTestFinished(async () => void (await container.stop()));
    containers[name] = container;
  }
  const exec = (name: string, ...words: string[]) =>
    execIn(serviceNamed(file, name), places.get(name) as Place, ...words);
  return { containers, exec };
}

describe.each(EXAMPLES)("the services of $title, on two machines", (example) => {
  test.runIf(canRun(example))(
    "the shop takes a payment at the sandbox's name, and receives its signed webhook",
    async () => {
      const { containers, exec } = await composeUp(example);
      const { gateway, shop } = containers as Record<(typeof NAMES)[number], Container>;

      // They share no loopback: each reaches the other by its name alone.
      expect(exec("shop", "curl", "-sS", "http://127.0.0.1:4010/").status).toBe(7);
      expect(exec("gateway", "curl", "-sS", "http://127.0.0.1:3000/").status).toBe(7);

      const form = [`order=${ORDER}`, "item=Coffee", "phone=0712345678"];
      const fields = form.flatMap((field) => ["--data-urlencode", field]);
      const answer = exec("gateway", "curl", "-sS", "-i", ...fields, "http://shop:3000/orders");
      expect(answer.stdout).toContain(`Location: /orders/${ORDER}`);
      const [, approve = ""] =
        /docker compose exec gateway (.+)/.exec(readFileSync(PAGE, "utf8")) ?? [];
      expect(approve).toContain("phone approve 0712345678");
      expect(exec("gateway", ...approve.split(" ")).status).toBe(0);
      const page = () => exec("gateway", "curl", "-sS", `http://shop:3000/orders/${ORDER}`).stdout;
      await expect.poll(page).toContain("Your parcel is on its way.");
      await expect.poll(gateway.printed).toMatch(/payment\.completed.*200/);

      // What the page says of another container, whichever it is.
      for (const name of NAMES) {
        const { stdout } = exec(name, ..."npx malipo env --url http://gateway:4010".split(" "));
        expect(stdout).toMatch(/^export MALIPO_API_KEY=sb_net_\w+$/m);
        expect(stdout).toMatch(/^export MALIPO_TEST_NETWORK=1$/m);
      }

      // What the sandbox prints for a shell of another container.
      const [, first = ""] =
        /^\s*(eval .+\n.+ initiate .+\n.+ phone approve .+?) +#/m.exec(gateway.printed()) ?? [];
      expect(first).toContain("--url http://gateway:4010");
      const { status: paid, stderr } = exec("shop", "sh", "-ec", first);
      expect(paid, stderr).toBe(0);

      // The receiver takes the sandbox's signature, and no other one.
      const status = ["-o", "/dev/null", "-w", "%{http_code}"];
      const forged = [
        ...status,
        "-d",
        '{"event":"payment.completed"}',
        "http://shop:3000/webhooks",
      ];
      expect(exec("gateway", "curl", "-sS", ...forged).stdout).toBe("401");

      expect(await shop.stop()).toBe(0);
      expect(await gateway.stop()).toBe(0);
      expect(shop.printed()).not.toMatch(/\b(?:sk|sb)_/);
    },
  );
});
