import { createHash } from "node:crypto"

/** One way in which a planted value may be written down. */
export interface Needle {
  readonly name: string
  readonly form: string
  readonly bytes: Buffer
}

/** The base64 characters of the text at any offset, without those at the edges, which depend on its neighbours. */
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

/** An unkeyed hash: its holder can try all numbers of eleven digits in a minute. */
const hashesOf = (text: string): ReadonlyArray<readonly [form: string, text: string]> =>
  (["hex", "base64"] as const).map((encoding) => [
    `SHA-256 in ${encoding}`,
    createHash("sha256").update(text).digest(encoding).replace(/=+$/, "")
  ])

/** Values by name, in every form in which they may be found. */
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

/** A place, with its content. */
export interface Place {
  readonly name: string
  readonly bytes: Buffer
}

const lineEnd = Buffer.from("\n")

/** The findings as `name in place`: each once, sorted. */
export const findings = (needles: ReadonlyArray<Needle>, places: ReadonlyArray<Place>): ReadonlyArray<string> => {
  // Nearly all needles are nowhere, and one search of everything is much faster than one of each place.
  const everything = Buffer.concat(places.flatMap(({ bytes }) => [bytes, lineEnd]))
  const somewhere = needles.filter(({ bytes }) => everything.includes(bytes))
  const found = new Set<string>()
  for (const place of places) {
    for (const { bytes, name } of somewhere) {
      const finding = `${name} in ${place.name}`
      if (!found.has(finding) && place.bytes.includes(bytes)) found.add(finding)
    }
  }
  return [...found].sort()
}
