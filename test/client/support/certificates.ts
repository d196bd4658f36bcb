// Certificates for a test server, made when the test runs: no key is in the repository, and none expires there.
import { generateKeyPairSync, sign } from "node:crypto";

/** DER, as X.690 says: a tag, a length, and the content. */
function der(tag: number, ...content: readonly Buffer[]): Buffer {
  const body = Buffer.concat(content);
  const { length } = body;
  const size = length < 128 ? [length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), body]);
}

const SEQUENCE = 0x30;
const ECDSA_WITH_SHA256 = Buffer.from("06082a8648ce3d040302", "hex");
const COMMON_NAME = Buffer.from("0603550403", "hex");
const SUBJECT_ALT_NAME = Buffer.from("0603551d11", "hex");

const nameOf = (text: string): Buffer =>
  der(SEQUENCE, der(0x31, der(SEQUENCE, COMMON_NAME, der(0x0c, Buffer.from(text)))));

const timeOf = (ms: number): Buffer =>
  der(0x18, Buffer.from(`${new Date(ms).toISOString().replaceAll(/[-:T]|\.\d+/g, "")}`));

const pem = (label: string, bytes: Buffer): string =>
  `-----BEGIN ${label}-----\n${bytes.toString("base64")}\n-----END ${label}-----\n`;

const DAY_MS = 86_400_000;

/** A certificate that signs itself, with its key. */
export function selfSigned({
  host = "localhost",
  from = Date.now() - DAY_MS,
  to = Date.now() + DAY_MS,
}: {
  readonly host?: string;
  readonly from?: number;
  readonly to?: number;
} = {}): { readonly cert: string; readonly key: string } {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const algorithm = der(SEQUENCE, ECDSA_WITH_SHA256);
  const name = nameOf(host);
  const altName = der(0x04, der(SEQUENCE, der(0x82, Buffer.from(host))));
  const content = der(
    SEQUENCE,
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    algorithm,
    name,
    der(SEQUENCE, timeOf(from), timeOf(to)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, der(SEQUENCE, der(SEQUENCE, SUBJECT_ALT_NAME, altName))),
  );
  const signature = der(0x03, Buffer.from([0]), sign("sha256", content, privateKey));
  return {
    cert: pem("CERTIFICATE", der(SEQUENCE, content, algorithm, signature)),
    key: privateKey.export({ type: "pkcs8", format: "pem" }) as string,
  };
}
