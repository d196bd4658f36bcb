/** How many bytes of a rejected body are read and dropped; then the connection is closed. */
export const MAX_DROPPED_BYTES: number = 8 * 2 ** 20;
