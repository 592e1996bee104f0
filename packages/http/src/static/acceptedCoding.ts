/** One member of `Accept-Encoding`, with its weight. */
const memberForm = /^\s*([\w*.-]+)\s*(?:;\s*q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*)?$/i

const identity = "identity"

/** The weight of each coding that the field names. A member that is malformed is ignored. */
const weightsOf = (field: string): ReadonlyMap<string, number> => {
  const weights = new Map<string, number>()
  for (const member of field.split(",")) {
    const [, name, weight = "1"] = memberForm.exec(member) ?? []
    if (name !== undefined) weights.set(name.toLowerCase().replace(/^x-gzip$/, "gzip"), Number(weight))
  }
  return weights
}

/**
 * The coding to answer in (RFC 9110, section 12.5.3): of those offered, in the server's order of preference, the one with
 * the highest weight; `undefined` for the bytes as they are. These are also sent if nothing is acceptable, since every
 * client understands them.
 */
export const acceptedCoding = <Name extends string>(
  field: string | undefined,
  offered: ReadonlyArray<Name>
): Name | undefined => {
  if (field === undefined) return undefined
  const weights = weightsOf(field)
  const others = weights.get("*") ?? 0
  let best: Name | undefined
  // Not named, identity is acceptable, but a coding that the client asked for is what it would rather have.
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
