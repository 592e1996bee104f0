import { Schema } from "effect"

const text = Schema.optionalKey(Schema.NullOr(Schema.String))
const flag = Schema.optionalKey(Schema.NullOr(Schema.Boolean))

const Compared = Schema.optionalKey(Schema.NullOr(Schema.Struct({ validated: flag })))

/** A verification, in a response or a webhook. Of the person's data, only the compared fields are read. */
export const YouverifyRecord = Schema.Struct({
  /** Missing from some NIN events. */
  id: Schema.optionalKey(Schema.NullOr(Schema.NonEmptyString)),
  status: Schema.String,
  metadata: Schema.optionalKey(Schema.NullOr(Schema.Struct({ reference: text }))),
  selfieValidation: flag,
  validations: Schema.optionalKey(
    Schema.NullOr(
      Schema.Struct({
        data: Schema.optionalKey(
          Schema.NullOr(Schema.Struct({ firstName: Compared, lastName: Compared, dateOfBirth: Compared }))
        )
      })
    )
  ),
  firstName: text,
  middleName: text,
  lastName: text,
  dateOfBirth: text,
  /** The people registered to a phone number. */
  phoneDetails: Schema.optionalKey(Schema.NullOr(Schema.Array(Schema.Struct({ fullName: text, dateOfBirth: text }))))
})
export type YouverifyRecord = typeof YouverifyRecord.Type

/** A successful response. Its record's `status` says whether the number was found. */
export const YouverifyAnswer = Schema.Struct({ success: Schema.Literal(true), data: YouverifyRecord })

/** An error response. Its message may quote submitted values. */
export const YouverifyError = Schema.Struct({ success: Schema.Literal(false), message: Schema.String })

/** A webhook. Events about anything but an identity have other data. */
export const YouverifyEvent = Schema.Struct({
  event: Schema.String,
  data: Schema.optionalKey(Schema.Unknown)
})
