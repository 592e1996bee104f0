const maxDepth = 64
const maxParts = 100_000

const quote = 34
const comma = 44
const backslash = 92
const openBracket = 91
const closeBracket = 93
const openBrace = 123
const closeBrace = 125

const endOfString = (text: string, start: number): number => {
  let at = start + 1
  while (at < text.length && text.charCodeAt(at) !== quote) at += text.charCodeAt(at) === backslash ? 2 : 1
  return at
}

/**
 * Returns true if a JSON text is at most 64 levels deep and has at most 100,000 opening brackets and commas. Real
 * messages stay far below both limits. Call it before `JSON.parse`, which allocates sixty bytes for each bracket.
 *
 * Duplicated in the client, the verifier and `kyc-http`: the first two have no dependencies, and `kyc-http` depends on
 * neither. `tests/architecture/BoundedJson.test.ts` keeps the copies identical.
 */
export const isBoundedJson = (text: string): boolean => {
  let depth = 0
  let parts = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === quote) at = endOfString(text, at)
    else if (code === openBracket || code === openBrace) {
      depth += 1
      parts += 1
    } else if (code === closeBracket || code === closeBrace) depth -= 1
    else if (code === comma) parts += 1
    if (depth > maxDepth || parts > maxParts) return false
  }
  return true
}
