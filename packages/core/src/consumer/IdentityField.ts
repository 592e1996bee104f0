import { Context, Result, Schema } from "effect"

/** Name of an identity field that a person can let merchants read. Sent on the wire unchanged. */
export const IdentityField = Schema.String.check(
  Schema.isPattern(/^[a-z][a-z0-9_]{0,63}$/u, { expected: "a name of lower-case letters, digits and underscores" })
).pipe(Schema.brand("IdentityField"))
export type IdentityField = typeof IdentityField.Type

/** The person's own identifier, which every grant covers. */
export const serviceIdField: IdentityField = IdentityField.make("service_id")

/** The six fields of specification 2.3. */
export const specified: ReadonlyArray<IdentityField> = [
  serviceIdField,
  ...["display_name", "country", "email", "phone_verified", "kyc_status"].map((name) => IdentityField.make(name))
]

/**
 * The field names that can be requested and read. A host with further fields registers them:
 *
 * @example
 * Layer.succeed(IdentityFields, withFields("date_of_birth", "loyalty_tier"))
 */
export const IdentityFields = Context.Reference<ReadonlyArray<IdentityField>>(
  "@surety/core/consumer/IdentityField/IdentityFields",
  { defaultValue: () => specified }
)

/** Returns the fields of specification 2.3 followed by `names`, without duplicates. Throws if a name is malformed. */
export const withFields = (...names: ReadonlyArray<string>): ReadonlyArray<IdentityField> => [
  ...new Set([...specified, ...names.map((name) => IdentityField.make(name))])
]

/** Maximum number of fields in one data request or grant. */
export const maxFields = 32

/** A fault in a list of field names. `index` is undefined if the list as a whole is at fault. */
export interface IdentityFieldFault {
  readonly index: number | undefined
  readonly code: "fields_required" | "fields_too_many" | "field_unknown" | "field_repeated"
  readonly detail: string
}

const unknown = (index: number, known: ReadonlyArray<IdentityField>): IdentityFieldFault => ({
  index,
  code: "field_unknown",
  detail: `Unknown field. The fields are ${known.join(", ")}.`
})

/** Parses 1 to `maxFields` distinct names from `known`, or returns every fault. */
export const parseDistinct = (
  names: ReadonlyArray<string>,
  known: ReadonlyArray<IdentityField>
): Result.Result<ReadonlyArray<IdentityField>, ReadonlyArray<IdentityFieldFault>> => {
  const faults: Array<IdentityFieldFault> = []
  const fields: Array<IdentityField> = []
  if (names.length === 0) faults.push({ index: undefined, code: "fields_required", detail: "Send at least one field." })
  if (names.length > maxFields) {
    faults.push({ index: undefined, code: "fields_too_many", detail: `Send at most ${maxFields} fields.` })
  }
  for (const [index, name] of names.entries()) {
    const field = known.find((one) => one === name)
    if (field === undefined) faults.push(unknown(index, known))
    else if (fields.includes(field)) {
      faults.push({ index, code: "field_repeated", detail: "Send each field only once." })
    } else fields.push(field)
  }
  return faults.length > 0 ? Result.fail(faults) : Result.succeed(fields)
}

/** Like `parseDistinct`, but accepts an empty list, sets no maximum, and drops repeated names. */
export const parseAny = (
  names: ReadonlyArray<string>,
  known: ReadonlyArray<IdentityField>
): Result.Result<ReadonlyArray<IdentityField>, ReadonlyArray<IdentityFieldFault>> => {
  const fields = new Set<IdentityField>()
  const faults: Array<IdentityFieldFault> = []
  for (const [index, name] of names.entries()) {
    const field = known.find((one) => one === name)
    if (field === undefined) faults.push(unknown(index, known))
    else fields.add(field)
  }
  return faults.length > 0 ? Result.fail(faults) : Result.succeed([...fields])
}
