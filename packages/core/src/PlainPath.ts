const origin = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/?]*/u

/**
 * Returns a request target's path as sent, without query or origin. A client may include the origin (RFC 9112, 3.2.2).
 */
export const pathOf = (target: string): string => {
  const query = target.indexOf("?")
  const path = query < 0 ? target : target.slice(0, query)
  return path.startsWith("/") ? path : path.replace(origin, "")
}

/** An unreserved character (RFC 3986, 2.3) or a slash, percent-encoded. */
const encoded = "%(?:2[DEF]|3[0-9]|4[1-9A-F]|5[0-9AF]|6[1-9A-F]|7[0-9AE])"

const oddSpelling = new RegExp(
  [
    encoded,
    "%(?![0-9A-F]{2})",
    // An empty segment or a dot segment.
    "/\\.{0,2}(?:/|$)",
    // The router ends a path at `;` or `#`, and browsers' url parsers treat a backslash as a slash.
    "[;#\\\\]"
  ].join("|"),
  "iu"
)

/**
 * Returns true if a path starts with a slash and is in canonical form. Routers decode a path before matching it. So any
 * other form could bypass a proxy rule or a host's middleware that matches the raw path.
 *
 * Rejects a percent-encoded unreserved character, an encoded slash and an invalid percent-encoding. Rejects dot
 * segments and empty segments, and thus a trailing slash and the path `/`. Rejects a raw `;`, `#` or backslash.
 *
 * @example
 * isPlainPath("/v1/refunds/refund_01") // true
 * isPlainPath("/%6Derchants") // false
 */
export const isPlainPath = (path: string): boolean => path.startsWith("/") && !oddSpelling.test(path)
