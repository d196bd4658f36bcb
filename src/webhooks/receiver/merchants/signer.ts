import { ConfigurationError } from "../../../errors/configuration.ts";
import { WebhookVerificationError } from "../../../errors/webhook.ts";
import { describeValue } from "../../../internal/check-options.ts";
import type { WebhookSecret } from "../../verification/secret.ts";
import type { WebhookHeaders } from "../../verification/signature-header.ts";
import { indexOfSigner, mismatch } from "../../verification/verify-webhook.ts";
import { type MerchantRequest, merchantRequest } from "./merchant-request.ts";
import { SecretCache, type SecretLookup } from "./secret-cache.ts";

/** Who signed a delivery. */
export interface Signer {
  /** Which of the secrets. */
  readonly secretIndex: number;
  /** If each merchant has its own secret. */
  readonly merchant: string | undefined;
}

/** A request whose signature is to be checked. */
interface SignedRequest {
  readonly headers: WebhookHeaders;
  readonly url?: string | undefined;
  /** The bytes of its body. */
  readonly raw: Uint8Array;
  /** Its signature. */
  readonly digits: string;
}

/** Checks a signature. Throws, or rejects, for one that does not match. */
export type FindSigner = (request: SignedRequest) => Signer | Promise<Signer>;

/** The lookup of a secret failed: it is unknown whether the delivery is genuine. */
export class SecretLookupFailure extends Error {}

/** For one account: its secrets are the same for every request. */
export function fixedSigner(secrets: readonly WebhookSecret[]): FindSigner {
  return ({ raw, digits, headers }) => {
    const secretIndex = indexOfSigner(secrets, raw, digits);
    if (secretIndex === -1) throw mismatch(raw, secrets, headers);
    return { secretIndex, merchant: undefined };
  };
}

// As the HMAC of a merchant takes a moment, that of an unknown merchant takes it too.
const DECOY = ["decoy"];

function unknownMerchant({ raw, digits }: SignedRequest): WebhookVerificationError {
  indexOfSigner(DECOY, raw, digits);
  // The code is that of a wrong signature: the response does not tell which merchants there are.
  return new WebhookVerificationError(
    "signature_mismatch",
    "There is no secret for the merchant of this request: `merchant` or `secret` returned none.",
  );
}

/** @param lookup - Returns the secret of a merchant. */
export function merchantSigner(
  merchantOf: (request: MerchantRequest) => unknown,
  lookup: SecretLookup,
  maxAgeMs: number,
): FindSigner {
  const cache = new SecretCache(lookup, maxAgeMs);

  const verify = async (request: SignedRequest, merchant: string): Promise<Signer> => {
    const { raw, digits } = request;
    const remembered = cache.peek(merchant);
    let found = remembered ?? (await cache.lookUp(merchant));
    let secretIndex = indexOfSigner(found.secrets, raw, digits);
    if (secretIndex === -1 && remembered !== undefined && found.secrets.length > 0) {
      const fresh = await cache.lookUpRotated(merchant, found);
      if (fresh !== undefined) {
        found = fresh;
        secretIndex = indexOfSigner(found.secrets, raw, digits);
      }
    }
    if (secretIndex !== -1) return { secretIndex, merchant };
    throw found.secrets.length === 0
      ? unknownMerchant(request)
      : mismatch(raw, found.secrets, request.headers);
  };

  return async (request) => {
    try {
      const merchant = merchantOf(merchantRequest(request));
      if (merchant === undefined || merchant === null || merchant === "")
        throw unknownMerchant(request);
      return await verify(request, checkMerchant(merchant));
    } catch (cause) {
      if (cause instanceof WebhookVerificationError) throw cause;
      throw new SecretLookupFailure("The secret could not be looked up.", { cause });
    }
  };
}

function checkMerchant(merchant: unknown): string {
  if (typeof merchant === "string") return merchant;
  throw new ConfigurationError(
    `\`merchant\` must return a string, or undefined; got ${describeValue(merchant)}.`,
  );
}
