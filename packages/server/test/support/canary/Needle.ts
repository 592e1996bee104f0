import { createHash } from "node:crypto"

/** One form in which a planted value may appear. */
export interface Needle {
  readonly name: string
  readonly form: string
  readonly bytes: Buffer
}

/**
 * Returns the base64 of `text` when it follows `offset` other bytes. Omits characters at the edges that also depend on
 * neighbouring bytes.
 */
const base64Within = (text: string, alphabet: "base64" | "base64url", offset: number): string => {
  const whole = Buffer.concat([Buffer.alloc(offset), Buffer.from(text)])
  const firstOwn = Math.ceil((offset * 8) / 6)
  return whole.toString(alphabet).slice(firstOwn, Math.floor((whole.length * 8) / 6))
}

const formsOf = (text: string): ReadonlyArray<readonly [form: string, text: string]> => [
  ["text", text],
  ["percent-encoded", encodeURIComponent(text)],
  ["hex", Buffer.from(text).toString("hex")],
  ["HEX", Buffer.from(text).toString("hex").toUpperCase()],
  ...([0, 1, 2] as const).flatMap((offset) =>
    (["base64", "base64url"] as const).map(
      (alphabet) => [`${alphabet} at ${offset}`, base64Within(text, alphabet, offset)] as const
    )
  )
]

/** An unkeyed hash reveals a BVN, since all eleven-digit numbers can be tried in a minute. */
const hashesOf = (text: string): ReadonlyArray<readonly [form: string, text: string]> =>
  (["hex", "base64"] as const).map((encoding) => [
    `SHA-256 in ${encoding}`,
    createHash("sha256").update(text).digest(encoding).replace(/=+$/, "")
  ])

/**
 * Builds the needles for named values: plain and encoded forms unless the value is short, and hashes if it is
 * guessable.
 */
export const needlesOf = (
  values: Readonly<Record<string, string>>,
  { guessable, short }: { readonly guessable: ReadonlySet<string>; readonly short: ReadonlySet<string> }
): ReadonlyArray<Needle> =>
  Object.entries(values).flatMap(([name, text]) => {
    const written = [...(short.has(name) ? [] : formsOf(text)), ...(guessable.has(name) ? hashesOf(text) : [])]
    return [
      ...written.map(([form, as]) => ({ name, form, bytes: Buffer.from(as) })),
      ...(guessable.has(name) ? [{ name, form: "SHA-256", bytes: createHash("sha256").update(text).digest() }] : []),
      ...(short.has(name) ? [] : [{ name, form: "UTF-16", bytes: Buffer.from(text, "utf16le") }])
    ]
  })

/** A place to search, such as a column or a response, with its content. */
export interface Place {
  readonly name: string
  readonly bytes: Buffer
}

const headAt = (bytes: Buffer, at: number): number =>
  ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0)

/**
 * Returns a function that finds all needles in some bytes in a single pass. This is far faster than hundreds of
 * separate searches. Throws if a needle has fewer than three bytes.
 */
const searchFor = (needles: ReadonlyArray<Needle>): ((bytes: Buffer) => ReadonlySet<Needle>) => {
  const heads = new Uint8Array(2 ** 24)
  for (const { bytes, name } of needles) {
    if (bytes.length < 3) throw new Error(`${name} is too short to be searched for`)
    heads[headAt(bytes, 0)] = 1
  }
  const byHead = Map.groupBy(needles, ({ bytes }) => headAt(bytes, 0))
  return (bytes) => {
    const found = new Set<Needle>()
    for (let at = 0; at <= bytes.length - 3; at += 1) {
      const head = headAt(bytes, at)
      if (heads[head] === 0) continue
      for (const needle of byHead.get(head) ?? []) {
        const { length } = needle.bytes
        if (!found.has(needle) && needle.bytes.equals(bytes.subarray(at, at + length))) found.add(needle)
      }
    }
    return found
  }
}

/** Returns the findings as `name in place`, sorted and without duplicates. */
export const findings = (needles: ReadonlyArray<Needle>, places: ReadonlyArray<Place>): ReadonlyArray<string> => {
  const search = searchFor(needles)
  const found = places.flatMap(({ bytes, name: place }) => [...search(bytes)].map(({ name }) => `${name} in ${place}`))
  return [...new Set(found)].sort()
}
