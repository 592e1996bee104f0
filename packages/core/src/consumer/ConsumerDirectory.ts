import { Context, Effect, Layer, Option, Redacted, Result, Schema } from "effect"
import type { Environment } from "../Environment.js"
import { notUnderstood, type ReadAnswer } from "../host/HostAnswer.js"
import { isRecord } from "../host/shapeOf.js"
import type { UserId } from "../Ids.js"
import type { Consumer } from "./Consumer.js"
import type { ConsumerId } from "./ConsumerId.js"
import { ConsumerStore } from "./ConsumerStore.js"
import type { IdentityField } from "./IdentityField.js"

/** The directory failed, did not respond in time, or returned an invalid response. Nothing was disclosed. */
export class DirectoryUnavailable extends Schema.TaggedError<DirectoryUnavailable>(
  "@surety/core/consumer/ConsumerDirectory/DirectoryUnavailable"
)("DirectoryUnavailable", { cause: Schema.Defect() }) {
  override get message(): string {
    return "The host's directory did not return a valid response."
  }
}

/** A person's ids in one environment: the host's user id, and the identifier that merchants know. */
export interface Person {
  readonly environment: Environment
  readonly userId: UserId
  readonly serviceId: ConsumerId
}

/** Values by field name, redacted until they leave the service. */
export type IdentityValues = Readonly<Record<string, Redacted.Redacted<Schema.Json>>>

const text = Schema.NullOr(Schema.String)

/** Null means that the person has no value. */
const formOf = (field: string): Schema.Codec<Schema.Json> => {
  switch (field) {
    case "display_name":
    case "country":
    case "email":
    case "kyc_status":
      return text
    case "phone_verified":
      return Schema.NullOr(Schema.Boolean)
    default:
      return Schema.Json
  }
}

const isValueOf = (field: string, value: unknown): value is Redacted.Redacted<Schema.Json> =>
  Redacted.isRedacted(value) && Schema.is(formOf(field))(Redacted.value(value))

const expected =
  "redacted JSON by field: true or false for phone_verified, any JSON for the host's own fields, else a string"

/** Unwraps redacted values, so that the error names their types instead of `object`. */
const seenThrough = (answer: Readonly<Record<string, unknown>>): unknown =>
  Object.fromEntries(
    Object.entries(answer).map(([field, value]) => [field, Redacted.isRedacted(value) ? Redacted.value(value) : value])
  )

/**
 * Checks a directory's response. A single value of the wrong type fails the entire response, so nothing is disclosed.
 */
export const readValues: ReadAnswer<IdentityValues> = (answer) => {
  if (!isRecord(answer)) return Result.fail(notUnderstood(expected, answer))
  const values = Object.entries(answer)
  const understood = values.flatMap(([field, value]) => (isValueOf(field, value) ? [[field, value] as const] : []))
  return understood.length === values.length
    ? Result.succeed(Object.fromEntries(understood))
    : Result.fail(notUnderstood(expected, seenThrough(answer)))
}

/**
 * People's current identity values. A host that reads them from its own records must support every field it registers
 * in `IdentityFields`.
 */
export class ConsumerDirectory extends Context.Service<
  ConsumerDirectory,
  {
    /** Returns the person's values for `fields` only. Fields without a value are omitted or null. */
    readonly values: (
      person: Person,
      fields: ReadonlyArray<IdentityField>
    ) => Effect.Effect<IdentityValues, DirectoryUnavailable>
  }
>()("@surety/core/consumer/ConsumerDirectory") {}

const known = (consumer: Consumer, field: IdentityField): Schema.Json | undefined => {
  switch (field) {
    case "service_id":
      return consumer.serviceId
    case "display_name":
      return consumer.displayName && Redacted.value(consumer.displayName)
    case "country":
      return consumer.country
    case "email":
      return consumer.email && Redacted.value(consumer.email)
    case "phone_verified":
      return consumer.phoneVerified
    case "kyc_status":
      return consumer.kycStatus ?? "UNVERIFIED"
    default:
      return undefined
  }
}

/** The default directory, which reads the values stored with consumers. */
export const layer: Layer.Layer<ConsumerDirectory, never, ConsumerStore> = Layer.effect(
  ConsumerDirectory,
  Effect.gen(function* () {
    const consumers = yield* ConsumerStore
    return ConsumerDirectory.of({
      values: ({ environment, serviceId }, fields) =>
        consumers.findByServiceId(environment, serviceId).pipe(
          Effect.mapError((cause) => new DirectoryUnavailable({ cause })),
          Effect.map((consumer) =>
            Object.fromEntries(
              fields.flatMap((field) => {
                const value = Option.isNone(consumer) ? undefined : known(consumer.value, field)
                return value === undefined ? [] : [[field, Redacted.make(value, { label: field })]]
              })
            )
          )
        )
    })
  })
)
