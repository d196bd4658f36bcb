/**
 * A lease is a row and a secret, which the row holds while it is leased. Rows that are leased together
 * share the secret.
 */
export const leaseToken = (secret: string, id: number): string => `${secret}/${id}`;

export function partsOfToken(token: string): { readonly id: number; readonly secret: string } {
  const [secret = "", id] = token.split("/");
  return { id: Number(id), secret };
}
