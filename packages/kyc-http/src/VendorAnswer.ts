import { KycNotSubmitted, KycOutcomeUnknown } from "@surety/core/kyc/provider/KycProvider"
import { Option, Redacted, Schema } from "effect"

/** A vendor's response. Its body contains personal data, so only `decode` reads it. */
export interface VendorAnswer {
  readonly status: number
  /** Headers by lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The parsed body. `None` if it was incomplete or too large, or if `BoundedJson.parse` refused it. */
  readonly json: Option.Option<Redacted.Redacted<unknown>>
}

/**
 * Builds a decoder for response bodies from a schema. The decoder ignores unknown fields, and returns `None` for a body
 * that does not match. The schema's error is dropped, because it quotes values.
 *
 * @example
 * const found = decode(Schema.Struct({ data: Schema.Struct({ reference: Schema.String }) }))(answer)
 */
export const decode = <A>(schema: Schema.ConstraintDecoder<A>): ((answer: VendorAnswer) => Option.Option<A>) => {
  const read = Schema.decodeUnknownOption(schema)
  return ({ json }) => Option.flatMap(json, (value) => read(Redacted.value(value)))
}

/**
 * Reasons, by status, for refusals before any work. If a vendor documents another meaning for a status, its adapter
 * handles that status.
 */
const refusals: Readonly<Record<number, string>> = {
  401: "credentials_refused",
  402: "balance_empty",
  403: "access_refused",
  429: "rate_limited"
}

/** Returns the error for a status that means nothing was done or charged, or `None` for any other status. */
export const refusal = (status: number): Option.Option<KycNotSubmitted> =>
  Option.map(Option.fromUndefinedOr(refusals[status]), (reason) => new KycNotSubmitted({ reason }))

/** Returns the error for a response that is not understood. The reason names the status unless it is a 2xx. */
export const unclear = ({ status }: Pick<VendorAnswer, "status">): KycOutcomeUnknown =>
  new KycOutcomeUnknown({ reason: status >= 200 && status <= 299 ? "answer_not_understood" : `http_${status}` })
