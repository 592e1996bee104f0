/**
 * How a cookie of ours is called where people reach the page by https: browsers take a name with this prefix from this very
 * host alone (RFC 6265bis, 4.1.3.2), so no neighbour under the same domain can put its own visit in the place of a person's.
 */
export const cookieName = (name: string, isSecure: boolean): string => (isSecure ? `__Host-${name}` : name)
