// The source expects it as a value of its build, and here it runs as it is.
import { phoneMetadata } from "../../scripts/phone-metadata.ts";

Object.assign(globalThis, { PHONE_METADATA: JSON.parse(phoneMetadata.PHONE_METADATA) });
