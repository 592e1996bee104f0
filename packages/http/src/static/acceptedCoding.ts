/** Matches one member of `Accept-Encoding`: a coding or `*`, with an optional weight. */
const memberForm = /^\s*([\w*.-]+)\s*(?:;\s*q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*)?$/i

const identity = "identity"

/** Returns the weight of each coding in an `Accept-Encoding` field. Ignores malformed members. */
const weightsOf = (field: string): ReadonlyMap<string, number> => {
  const weights = new Map<string, number>()
  for (const member of field.split(",")) {
    const [, name, weight = "1"] = memberForm.exec(member) ?? []
    if (name !== undefined) weights.set(name.toLowerCase().replace(/^x-gzip$/, "gzip"), Number(weight))
  }
  return weights
}

/**
 * Chooses the coding of the response (RFC 9110, section 12.5.3): the offered coding with the highest weight. Ties are
 * resolved by the server's order of preference. Returns `undefined`, which means identity, if the client sends no
 * field, prefers identity or accepts none of the offered codings. Every client can read identity.
 */
export const acceptedCoding = <Name extends string>(
  field: string | undefined,
  offered: ReadonlyArray<Name>
): Name | undefined => {
  if (field === undefined) return undefined
  const weights = weightsOf(field)
  const others = weights.get("*") ?? 0
  let best: Name | undefined
  // Identity is acceptable even if the client did not name it, but then any other accepted coding is preferred.
  let bestWeight = weights.get(identity) ?? 0
  for (const name of offered) {
    const weight = weights.get(name) ?? others
    if (weight > 0 && (weight > bestWeight || (weight === bestWeight && best === undefined))) {
      best = name
      bestWeight = weight
    }
  }
  return best
}
