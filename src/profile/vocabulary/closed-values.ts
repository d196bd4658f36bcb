/** Whether a value of `status` or of `event` may stand in a profile. */
export const isClosedValue = (value: string): boolean => /^[a-z_.]{1,40}$/.test(value);

/** Whether a value of `currency` may stand in a profile. */
export const isCurrency = (value: string): boolean => /^[A-Z]{3}$/.test(value);
