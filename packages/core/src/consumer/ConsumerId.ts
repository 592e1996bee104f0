import { Context, Effect, Option, Result, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import * as CheckCharacter from "../CheckCharacter.js"

/**
 * The end user's personal identifier in canonical form, `SR1-XXXX-XXXX-C` (specification 2.1).
 *
 * The schema checks only the shape, so that records with an older check scheme stay readable. Parse input with `parse`.
 */
export const ConsumerId = Schema.String.check(
  Schema.isPattern(
    new RegExp(
      `^SR1-[${CheckCharacter.alphabet}]{4}-[${CheckCharacter.alphabet}]{4}-[${CheckCharacter.alphabet}]$`,
      "u"
    ),
    { expected: "a consumer identifier of the form SR1-XXXX-XXXX-C" }
  )
).pipe(Schema.brand("ConsumerId"))
export type ConsumerId = typeof ConsumerId.Type

/** Why a string is not a consumer identifier. `position` counts from 1 in the string as sent. */
export type ConsumerIdFault =
  | { readonly reason: "merchant_code" }
  | { readonly reason: "malformed" }
  | { readonly reason: "character_not_allowed"; readonly position: number }
  | { readonly reason: "check_mismatch" }

/**
 * Scheme that checks identifiers in input. Default: `crockford`, which generated identifiers always use. A host that
 * imports identifiers from another issuer provides that issuer's scheme, or `shapeOnly`.
 */
export const ConsumerIdScheme = Context.Reference<CheckCharacter.CheckScheme>(
  "@surety/core/consumer/ConsumerId/ConsumerIdScheme",
  { defaultValue: () => CheckCharacter.crockford }
)

const whiteSpace = /\p{White_Space}|\uFEFF|\u200B|\u180E/u
const hyphens = new Set(["-", "\u2010", "\u2011", "\u2012", "\u2013", "\u2014", "\u2015", "\u2212"])
const hyphenPositions = new Set([3, 8, 13])
const canonicalLength = 15
const compactLength = 12

interface Placed {
  readonly character: string
  readonly position: number
}

const normalise = (input: string): ReadonlyArray<Placed> => {
  const placed: Array<Placed> = []
  let position = 0
  for (const raw of input) {
    position += 1
    if (whiteSpace.test(raw)) continue
    const character = hyphens.has(raw) ? "-" : raw >= "a" && raw <= "z" ? raw.toUpperCase() : raw
    placed.push({ character, position })
  }
  return placed
}

const withoutHyphens = (placed: ReadonlyArray<Placed>): ReadonlyArray<Placed> | undefined => {
  if (placed.length === compactLength) return placed.some(({ character }) => character === "-") ? undefined : placed
  if (placed.length !== canonicalLength) return undefined
  const inPlace = placed.every(({ character }, index) => (character === "-") === hyphenPositions.has(index))
  return inPlace ? placed.filter(({ character }) => character !== "-") : undefined
}

const canonical = (payload: string, check: string): ConsumerId =>
  ConsumerId.make(`SR1-${payload.slice(0, 4)}-${payload.slice(4)}-${check}`)

/**
 * Parses an identifier as people write it: any letter case, white space anywhere, hyphen look-alikes, canonical or
 * compact (contract 1.1).
 *
 * Fails with the position of the first character after `SR1` that is outside the alphabet. Never replaces letters with
 * similar digits: Crockford's base 32 reads `O` as `0`, but `parse` rejects it.
 *
 * @example
 * parse("sr1 k7qm-wx4t a") // fails: neither canonical nor compact
 * parse(" sr1k7qmwx4ta ") // SR1-K7QM-WX4T-A
 */
export const parse = (
  input: string,
  scheme: CheckCharacter.CheckScheme = CheckCharacter.crockford
): Result.Result<ConsumerId, ConsumerIdFault> => {
  const placed = normalise(input)
  const text = placed.map(({ character }) => character).join("")
  if (text.startsWith("SRM")) return Result.fail({ reason: "merchant_code" })
  const characters = withoutHyphens(placed)
  if (!text.startsWith("SR1") || characters === undefined) return Result.fail({ reason: "malformed" })
  const body = characters.slice(3)
  const outside = body.find(({ character }) => !CheckCharacter.alphabet.includes(character))
  if (outside !== undefined) {
    return Result.fail({ reason: "character_not_allowed", position: outside.position })
  }
  const payload = body
    .slice(0, 8)
    .map(({ character }) => character)
    .join("")
  const check = body[8]?.character ?? ""
  return scheme.accepts(payload, check)
    ? Result.succeed(canonical(payload, check))
    : Result.fail({ reason: "check_mismatch" })
}

/** Returns a message that explains the fault to the sender. */
export const describeFault = (fault: ConsumerIdFault): string => {
  switch (fault.reason) {
    case "merchant_code":
      return "This is a merchant's business code (SRM-…). Send the end user's identifier, SR1-XXXX-XXXX-C."
    case "malformed":
      return "Expected an identifier of the form SR1-XXXX-XXXX-C, or SR1XXXXXXXXXC without hyphens."
    case "character_not_allowed":
      return (
        `The character at position ${fault.position} is not allowed. After SR1, use only the letters A to Z ` +
        "without I, L, O and U, and the digits 2 to 9."
      )
    case "check_mismatch":
      return "The last character does not match the others: the identifier was mistyped. Ask the end user for it again."
  }
}

/**
 * Generates a payload of eight random characters and its check character. Retries until the check character is in the
 * alphabet.
 */
const nextPayload = Effect.gen(function* () {
  const random = yield* SecureRandom.SecureRandom
  while (true) {
    let payload = ""
    while (payload.length < 8) {
      payload += CheckCharacter.alphabet.charAt(yield* random.intBetween(0, CheckCharacter.alphabet.length - 1))
    }
    const check = CheckCharacter.crockford.checkCharacter(payload)
    if (Option.isSome(check)) return { payload, check: check.value }
  }
})

/** Generates a random consumer identifier. Every identifier valid under the `crockford` scheme is equally likely. */
export const next: Effect.Effect<ConsumerId, never, SecureRandom.SecureRandom> = Effect.map(
  nextPayload,
  ({ check, payload }) => canonical(payload, check)
)

/**
 * A merchant's business code, `SRM-XXXX-XXXX-C`. Generated like a `ConsumerId`, but never accepted as one (contract
 * 1.2).
 */
export const BusinessCode = Schema.String.check(
  Schema.isPattern(
    new RegExp(
      `^SRM-[${CheckCharacter.alphabet}]{4}-[${CheckCharacter.alphabet}]{4}-[${CheckCharacter.alphabet}]$`,
      "u"
    )
  )
).pipe(Schema.brand("BusinessCode"))
export type BusinessCode = typeof BusinessCode.Type

export const nextBusinessCode: Effect.Effect<BusinessCode, never, SecureRandom.SecureRandom> = Effect.map(
  nextPayload,
  ({ check, payload }) => BusinessCode.make(`SRM-${payload.slice(0, 4)}-${payload.slice(4)}-${check}`)
)
