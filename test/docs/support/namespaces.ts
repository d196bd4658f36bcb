// Two machines of a private network, each in its own network namespace of Linux: as two containers, they share no
// loopback and reach each other by name. Nothing leaves this machine.
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** In a new user namespace, so that no root is needed if the system allows it. */
const NEW_USER = ["unshare", "--map-root-user"];

const TRIAL =
  "mount --bind /etc/hosts /etc/hosts && ip link add one type veth peer name two && nsenter --version";

/** Whether this system lets a test make namespaces. Prints a warning if it does not. */
export const hasNamespaces: boolean =
  spawnSync("unshare", ["--map-root-user", "--net", "--mount", "sh", "-c", TRIAL]).status === 0;
if (!hasNamespaces) {
  process.stderr.write(
    "\n!!! NO NAMESPACES: the test of two containers did not run. It needs Linux with unshare, nsenter and ip, and the right to make user, network and mount namespaces.\n\n",
  );
}

/** A machine is a process that does nothing: it ends with this one, whose pipe it reads. */
const MACHINE = 'mount --bind "$0" /etc/hosts && ip link set lo up && echo up && exec cat';

const entering = ({ pid }: ChildProcess, ...namespaces: string[]): string[] => [
  "nsenter",
  ...["--preserve-credentials", "--target", `${pid}`, "--user", ...namespaces],
];

async function startMachine(before: readonly string[], hosts: string): Promise<ChildProcess> {
  const [program = "", ...args] = [...before, "--net", "--mount", "sh", "-c", MACHINE, hosts];
  const machine = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
  await once(machine.stdout, "data");
  return machine;
}

/** Two machines with these names, until the test stops them. */
export async function twoMachines(names: readonly [string, string]) {
  const folder = mkdtempSync(join(tmpdir(), "malipo-machines-"));
  const hosts = join(folder, "hosts");
  const addresses = names.map((name, at) => [name, `10.89.0.${at + 2}`] as const);
  const lines = addresses.map(([name, address]) => `${address} ${name}`);
  writeFileSync(hosts, ["127.0.0.1 localhost", ...lines, ""].join("\n"));

  const first = await startMachine(NEW_USER, hosts);
  const second = await startMachine([...entering(first), "unshare"], hosts);
  const machines = [first, second];
  /** The words that run a command on a machine. */
  const on = (name: string, workFolder = folder): string[] => {
    const machine = machines[names.indexOf(name)];
    if (machine === undefined) throw new Error(`There is no machine ${name}.`);
    return entering(machine, "--net", "--mount", `--wd=${workFolder}`);
  };
  const root = (name: string, ...words: string[]) => {
    const [program = "", ...args] = [...on(name), ...words];
    execFileSync(program, args);
  };
  const cable = `ip link add eth0 type veth peer name eth0 netns ${second.pid}`.split(" ");
  root(names[0], ...cable);
  for (const [name, address] of addresses) {
    root(name, "ip", "address", "add", `${address}/24`, "dev", "eth0");
    root(name, "ip", "link", "set", "eth0", "up");
  }
  return {
    on,
    async stop() {
      for (const machine of machines) {
        machine.stdin?.end();
        if (machine.exitCode === null) await once(machine, "exit");
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
