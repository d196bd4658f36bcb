// The same stores, by longer paths.
import "./stores.test.ts";
