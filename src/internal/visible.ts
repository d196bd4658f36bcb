/** Characters as JavaScript and JSON escape them: `\u202e`. */
export const unicodeEscape = (characters: string): string =>
  characters.replace(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

/**
 * Makes the characters visible that control a terminal, turn the direction of text, or are invisible. Line
 * breaks and tabs stay. In a string of JSON, the visible form means the same.
 */
export const visible = (text: string): string =>
  text.replace(/(?![\n\t])[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, unicodeEscape);

/** What another program prints must not be a command of a CI system, wherever in a line it stands. */
export const withoutCommands = (text: string): string => text.replace(/##(?=\w*\[)/g, "## ");
