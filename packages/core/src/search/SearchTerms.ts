import { Option, Redacted, Result, Schema } from "effect"
import { BusinessCode, type ConsumerId, parse } from "../consumer/ConsumerId.js"

export const kindsByPrefix = {
  merchant: "merchant",
  apikey: "api_key",
  endpoint: "endpoint",
  kyc: "verification",
  refund: "refund",
  transfer: "transfer",
  datareq: "data_request",
  grant: "grant",
  receipt: "receipt",
  read: "identity_read",
  rights: "rights_request",
  event: "event",
  delivery: "delivery",
  action: "operator_action",
  proposal: "proposal"
} as const
export type PlacedKind = (typeof kindsByPrefix)[keyof typeof kindsByPrefix]

export type RecordKind = PlacedKind | "payment" | "person"

/** A complete id with a prefix of `kindsByPrefix`, and the kind of its record. */
export interface PlacedId {
  readonly kind: PlacedKind
  readonly id: string
}

/** The possible meanings of one search query. Several may apply. */
export interface SearchTerms {
  /** The trimmed query, which may be a host's id or a reference. */
  readonly text: Redacted.Redacted<string>
  readonly serviceId: ConsumerId | undefined
  readonly businessCode: BusinessCode | undefined
  /** A complete e-mail address, which matches regardless of letter case. */
  readonly email: Redacted.Redacted<string> | undefined
  /** Prefix of a person's or merchant's name, as typed. The store ignores letter case. */
  readonly nameStart: Redacted.Redacted<string> | undefined
}

/** Maximum length of a trimmed query in UTF-16 code units. A longer query finds nothing. */
export const longestQuery = 255

/** Minimum length of a name prefix in code points. A shorter prefix would match too many names. */
const shortestName = 2

const isPrefix = Schema.is(
  Schema.Literals([
    "merchant",
    "apikey",
    "endpoint",
    "kyc",
    "refund",
    "transfer",
    "datareq",
    "grant",
    "receipt",
    "read",
    "rights",
    "event",
    "delivery",
    "action",
    "proposal"
  ])
)

/**
 * Returns the kind and id if the trimmed, lowercased query is a complete id with a prefix of `kindsByPrefix`. Otherwise
 * returns undefined.
 */
export const placedIdOf = (query: Redacted.Redacted<string>): PlacedId | undefined => {
  const text = Redacted.value(query).trim().toLowerCase()
  const [, prefix = ""] = /^([a-z]+)_[0-7][0-9a-hjkmnp-tv-z]{25}$/u.exec(text) ?? []
  return isPrefix(prefix) ? { kind: kindsByPrefix[prefix], id: text } : undefined
}

const decodeCode = Schema.decodeOption(BusinessCode)

const searchable = (text: string): boolean =>
  text !== "" && text.length <= longestQuery && text.isWellFormed() && !text.includes("\u0000")

/** Returns the possible meanings of a query. Undefined if it is empty, longer than `longestQuery` or invalid text. */
export const searchTerms = (query: Redacted.Redacted<string>): SearchTerms | undefined => {
  const text = Redacted.value(query).trim()
  if (!searchable(text)) return undefined
  const serviceId = parse(text)
  const isAddress = /^[^\s@]+@[^\s@]+$/u.test(text)
  return {
    text: Redacted.make(text, { label: "search" }),
    serviceId: Result.getOrUndefined(serviceId),
    businessCode: Option.getOrUndefined(decodeCode(text.toUpperCase())),
    email: isAddress ? Redacted.make(text, { label: "e-mail" }) : undefined,
    nameStart: [...text].length < shortestName ? undefined : Redacted.make(text, { label: "name" })
  }
}
