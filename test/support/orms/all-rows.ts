/**
 * Whether a library runs each test that its driver runs. By default it runs those in which it can differ: what it does with
 * a function that succeeds, throws, loses its connection, finds its order taken, or is called in a transaction.
 */
export const HAS_ALL_ROWS = process.env.MALIPO_TEST_LIBRARIES === "all";
