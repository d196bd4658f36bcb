// What `dist` holds beside the code: licences, a bill of materials, and the service as OpenAPI.
import { copyFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { openApiDocument } from "../src/openapi/openapi-document.ts";
import { ASSUMPTIONS } from "../src/sandbox/assumptions.ts";

/** The packages whose code is bundled into ours, and where each has its licence. */
export const BUNDLED_PACKAGES = {
  "@noble/hashes": "LICENSE",
  ky: "license",
  "libphonenumber-js": "LICENSE",
  zod: "LICENSE",
} as const;

/** The name of a licence in `dist`. */
export const licenceFile = (name: string): string =>
  `LICENSE.${name.replace("@", "").replace("/", "-")}.txt`;

interface Locked {
  readonly version: string;
  readonly license: string;
  readonly integrity?: string;
}

const component = (name: string, { version, license, integrity }: Locked) => ({
  type: "library",
  name,
  version,
  purl: `pkg:npm/${name.replace("@", "%40")}@${version}`,
  licenses: [{ license: { id: license } }],
  ...(integrity !== undefined && {
    hashes: [
      { alg: "SHA-512", content: Buffer.from(integrity.slice(7), "base64").toString("hex") },
    ],
  }),
});

/**
 * The bill of materials, in the format of CycloneDX (https://cyclonedx.org/docs/1.6/json/): what is
 * bundled cannot be seen in the lock file of a user.
 */
async function billOfMaterials(): Promise<object> {
  const { packages } = JSON.parse(await readFile("package-lock.json", "utf8"));
  const { "": malipo } = packages;
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component: component("malipo", malipo) },
    components: Object.keys(BUNDLED_PACKAGES).map((name) =>
      component(name, packages[`node_modules/${name}`]),
    ),
  };
}

async function writeFileAt(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

/** Empties `dist`, then writes every file that is not made by tsup. */
export async function writeDistFiles(): Promise<void> {
  await rm("dist", { recursive: true, force: true });
  await mkdir("dist");
  for (const [name, file] of Object.entries(BUNDLED_PACKAGES)) {
    await copyFile(`node_modules/${name}/${file}`, `dist/${licenceFile(name)}`);
  }
  await writeFileAt(
    "dist/sbom.cdx.json",
    `${JSON.stringify(await billOfMaterials(), undefined, 2)}\n`,
  );
  // At the address at which `npx malipo sandbox` serves it.
  const { prefix, port } = ASSUMPTIONS.address.value;
  const document = openApiDocument(`http://127.0.0.1:${port}${prefix}`);
  await writeFileAt("dist/openapi.json", `${JSON.stringify(document)}\n`);
}
