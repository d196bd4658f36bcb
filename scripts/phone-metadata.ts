import type { MetadataJson } from "libphonenumber-js/core";
import ranges from "libphonenumber-js/max/metadata";
import plans from "libphonenumber-js/min/metadata";
import { countryCodes } from "../src/contract/countries.ts";

/** How numbers are written on paper. We write none. */
const FORMATS = 4;

/** The countries that we know, of the metadata of all countries. */
function ofOurCountries({ version, countries }: MetadataJson): MetadataJson {
  const plansOf = Object.fromEntries(
    countryCodes().map((iso) => [iso, countries[iso]?.with(FORMATS, []) ?? []]),
  );
  const callingCodes = Object.entries(plansOf).map(([iso, [code]]) => [code, [iso]]);
  return {
    version,
    country_calling_codes: Object.fromEntries(callingCodes),
    countries: plansOf,
    nonGeographic: {},
  };
}

const metadata = { plans: ofOurCountries(plans), ranges: ofOurCountries(ranges) };

/**
 * What libphonenumber-js knows of our countries, as JSON: a value for the `define` option of a build. `plans` is how
 * long numbers are and how they begin, `ranges` which of them are phones of what kind.
 */
export const phoneMetadata = { PHONE_METADATA: JSON.stringify(JSON.stringify(metadata)) };
