import { Option, Redacted, Result, Schema } from "effect"
import { BusinessCode, type ConsumerId, parse } from "../consumer/ConsumerId.js"

/** The kinds of records that have an id of their own, by the id's prefix. */
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

/** Every kind of record that a search finds. */
export type RecordKind = PlacedKind | "payment" | "person"

/** A whole id with a prefix of ours. */
export interface PlacedId {
  readonly kind: PlacedKind
  readonly id: string
}

/** What one line of search may mean: several things at once. */
export interface SearchTerms {
  /** The line itself: an id of the host's, or a reference. */
  readonly text: Redacted.Redacted<string>
  readonly serviceId: ConsumerId | undefined
  readonly businessCode: BusinessCode | undefined
  /** Only a whole address is looked up, in any letter case. */
  readonly email: Redacted.Redacted<string> | undefined
  /** The beginning of a person's or a merchant's name, as it was written. The store ignores letter case. */
  readonly nameStart: Redacted.Redacted<string> | undefined
}

/** The longest line that is searched for, in characters. A longer one finds nothing. */
export const longestQuery = 200

/** Too many names share a shorter beginning. */
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

/** The record that a whole id names; undefined for any other text. */
export const placedIdOf = (query: Redacted.Redacted<string>): PlacedId | undefined => {
  const text = Redacted.value(query).trim().toLowerCase()
  const [, prefix = ""] = /^([a-z]+)_[0-7][0-9a-hjkmnp-tv-z]{25}$/u.exec(text) ?? []
  return isPrefix(prefix) ? { kind: kindsByPrefix[prefix], id: text } : undefined
}

const decodeCode = Schema.decodeOption(BusinessCode)

const searchable = (text: string): boolean =>
  text !== "" && text.length <= longestQuery && text.isWellFormed() && !text.includes("\u0000")

/** What a line may mean; undefined if it can match nothing that is stored. Pure. */
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
