import { Schema } from "effect"

const text = Schema.optionalKey(Schema.NullOr(Schema.String))
const flag = Schema.optionalKey(Schema.NullOr(Schema.Boolean))

/** A registry's record of the person. Only the compared fields are read. */
export const QoreIdPerson = Schema.Struct({
  nin: text,
  bvn: text,
  firstname: text,
  middlename: text,
  lastname: text,
  /** `DD-MM-YYYY`. */
  birthdate: text
})
export type QoreIdPerson = typeof QoreIdPerson.Type

const person = Schema.optionalKey(Schema.NullOr(QoreIdPerson))

/** One comparison by QoreID. A field is `false` if it does not match or was not submitted. */
export const QoreIdCheck = Schema.Struct({
  status: Schema.String,
  fieldMatches: Schema.optionalKey(Schema.NullOr(Schema.Struct({ firstname: flag, lastname: flag, dob: flag })))
})
export type QoreIdCheck = typeof QoreIdCheck.Type

/**
 * The response to an identity check, or to a consent request once its result exists. Also the `data` of the webhook for
 * a completed check.
 */
export const QoreIdFrame = Schema.Struct({
  id: Schema.Union([Schema.Int, Schema.NonEmptyString]),
  /** The submitted values. */
  applicant: Schema.optionalKey(Schema.NullOr(Schema.Struct({ firstname: text, lastname: text, dob: text }))),
  status: Schema.Struct({ state: Schema.String, status: Schema.String }),
  /** Comparisons by name, such as `nin_check`. Older responses have only the word `verified`. */
  summary: Schema.optionalKey(
    Schema.NullOr(Schema.Union([Schema.String, Schema.Record(Schema.String, Schema.Unknown)]))
  ),
  nin: person,
  vnin: person,
  v_nin: person,
  bvn: person
})
export type QoreIdFrame = typeof QoreIdFrame.Type

/** The response to a request for the registry's consent link, before a result exists. */
export const QoreIdConsent = Schema.Struct({
  consentStatus: Schema.Boolean,
  consentUrl: Schema.optionalKey(Schema.NullOr(Schema.String))
})
export type QoreIdConsent = typeof QoreIdConsent.Type

/** An error. `message` is a string or a list of faults, and may quote submitted values. */
export const QoreIdError = Schema.Struct({
  statusCode: Schema.Int,
  message: Schema.Union([Schema.String, Schema.Array(Schema.String)])
})
export type QoreIdError = typeof QoreIdError.Type

/** A webhook. Events other than `identity` have other data. */
export const QoreIdEvent = Schema.Struct({
  event: Schema.String,
  event_type: Schema.String,
  data: Schema.optionalKey(Schema.Unknown)
})

/** A token. `expiresIn` is in seconds, as a number or as `"7200 secs"`. */
export const QoreIdToken = Schema.Struct({
  accessToken: Schema.NonEmptyString,
  expiresIn: Schema.Union([Schema.Finite, Schema.String])
})
export type QoreIdToken = typeof QoreIdToken.Type
