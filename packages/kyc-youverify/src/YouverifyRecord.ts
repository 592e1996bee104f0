import { Schema } from "effect"

const text = Schema.optionalKey(Schema.NullOr(Schema.String))
const flag = Schema.optionalKey(Schema.NullOr(Schema.Boolean))

const Compared = Schema.optionalKey(Schema.NullOr(Schema.Struct({ validated: flag })))

/** A verification, in an answer and in a webhook. Of what Youverify sends of the person, only what is compared is read. */
export const YouverifyRecord = Schema.Struct({
  /** Missing in some events of a NIN. */
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
  /** The people of a phone number. */
  phoneDetails: Schema.optionalKey(Schema.NullOr(Schema.Array(Schema.Struct({ fullName: text, dateOfBirth: text }))))
})
export type YouverifyRecord = typeof YouverifyRecord.Type

/** A success. */
export const YouverifyAnswer = Schema.Struct({ success: Schema.Literal(true), data: YouverifyRecord })

/** A refusal. Its message may quote what was sent. */
export const YouverifyError = Schema.Struct({ success: Schema.Literal(false), message: Schema.String })

/** A webhook. Other events have other data. */
export const YouverifyEvent = Schema.Struct({
  event: Schema.String,
  data: Schema.optionalKey(Schema.Unknown)
})
