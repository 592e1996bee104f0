import { Option, Schema } from "effect"

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

/** Whether a JSON text stays within bounds of depth and parts that are far above any vendor's. */
const isBounded = (text: string): boolean => {
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

const decoder = new TextDecoder("utf-8", { fatal: true })

const decodeText = (bytes: Uint8Array): Option.Option<string> => Option.liftThrowable(() => decoder.decode(bytes))()

const decodeJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

/**
 * Parses UTF-8 JSON whose depth (64) and parts (100,000) are bounded first, because a text of brackets takes sixty times
 * its size in memory. None for anything else.
 */
export const parse = (bytes: Uint8Array): Option.Option<unknown> =>
  decodeText(bytes).pipe(Option.filter(isBounded), Option.flatMap(decodeJson))
