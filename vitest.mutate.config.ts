import { defineConfig } from "vitest/config";
import config from "./vitest.config.ts";

// Stryker runs one project: the sources under the tests that need no browser, engine or package.
const [source] = config.test?.projects ?? [];

export default defineConfig(source as object);
