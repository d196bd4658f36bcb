// A spreadsheet runs a cell that begins like a formula: https://owasp.org/www-community/attacks/CSV_Injection

/** What begins a formula. Forms of full width are compared by their compatibility form (NFKC). */
const FORMULA = "=+-@";

/** Where another cell begins if a spreadsheet cuts at another character than a comma, or heeds no quotes. */
const SEPARATORS = ";,\t\r\n";

/** What a spreadsheet may leave out before it reads a cell. */
const SKIPPED = /[\s"\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u;

/**
 * A text as a field of CSV, in quotes. An apostrophe stands before each character that could begin a formula,
 * and at the beginning of a field that starts with a tab or a line break: so a spreadsheet shows the text.
 */
export function csvField(text: string): string {
  let field = /^[\t\r\n]/.test(text) ? "'" : "";
  let isStart = true;
  for (const character of text) {
    if (isStart && FORMULA.includes(character.normalize("NFKC"))) field += "'";
    field += character === '"' ? '""' : character;
    isStart = SEPARATORS.includes(character) || (isStart && SKIPPED.test(character));
  }
  return `"${field}"`;
}
