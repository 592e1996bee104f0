/**
 * The name of our cookies under https: browsers accept a name with this prefix only from this very
 * host (RFC 6265bis, 4.1.3.2), so no neighbour under the same domain can replace a person's visit with its own.
 */
export const cookieName = (name: string, isSecure: boolean): string => (isSecure ? `__Host-${name}` : name)
