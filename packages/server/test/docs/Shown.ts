/**
 * Patterns for values that vary between runs, each with a placeholder to compare instead. A page may show another value
 * of the same kind, or the placeholder itself, such as `sk_test_…`.
 */
const volatile: ReadonlyArray<readonly [RegExp, string]> = [
  [/\b([a-z]+)_[0-7][0-9a-hjkmnp-tv-z]{25}\b/g, "$1_…"],
  [/\bSR([1M])-[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]/g, "SR$1-…"],
  [/\bsk_(test|live)_[0-9A-Za-z]{20,}/g, "sk_$1_…"],
  [/\bwhsec_[0-9A-Za-z+/]{43}=/g, "whsec_…"],
  [/\bsandbox[-_][0-9A-Za-z_-]+/g, "sandbox…"],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, "<uuid>"],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, "<time>"],
  [/\b[0-9a-f]{56}\b/g, "<sequence>"],
  [/^\d\d:\d\d:\d\d(?= )/gm, "<clock>"],
  [/ in \d+ ms\b/g, " in <millis>"],
  [/\/consent\/[0-9A-Za-z_-]{43}\b/g, "/consent/…"],
  // The tests' PostgreSQL may run without fsync, so the doctor's durability finding may differ from the page's.
  [/^(ok|advice) durability: .*$/gm, "durability: …"]
]

/** Volatile fields whose values no pattern matches. */
const volatileFields = new Set(["keyLast4", "last4", "nextCursor"])

/** Replaces values that vary between runs with placeholders, and removes trailing white space. */
export const steadyText = (text: string): string =>
  volatile.reduce((steady, [pattern, kind]) => steady.replace(pattern, kind), text).trimEnd()

const steadyValue = (value: unknown): unknown => {
  if (typeof value === "string") return steadyText(value)
  if (Array.isArray(value)) return value.map(steadyValue)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, volatileFields.has(key) ? "…" : steadyValue(inner)])
  )
}

/** Parses JSON and replaces values that vary between runs with placeholders. */
export const steadyJson = (text: string): unknown => steadyValue(JSON.parse(text))
