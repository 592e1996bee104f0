import * as ConsumerDirectory from "@surety/core/consumer/ConsumerDirectory"
import type { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import { notUnderstood, reading } from "@surety/core/host/HostAnswer"
import { isRecord } from "@surety/core/host/shapeOf"
import { Context, Effect, Layer, Redacted, Result, Schema } from "effect"

/** The person whose values are read. */
export interface HostPerson {
  readonly environment: "TEST" | "LIVE"
  readonly userId: string
  readonly serviceId: string
}

/** The host's own data about people. Without it merchants read what `consumers.create` stored. */
export interface HostDirectory {
  /** Names of fields besides the specified six: lower-case letters, digits and underscores. */
  readonly fields?: ReadonlyArray<string>
  /**
   * The person's current values of these fields. Omit a field without a value; unrequested fields are dropped. An
   * omitted `kyc_status` is that of Surety's verifications. After a rejected promise, a value of the wrong type, or 10
   * seconds without a result, nothing is disclosed and the merchant gets an error to retry.
   */
  readonly values: (
    person: HostPerson,
    fields: ReadonlyArray<string>
  ) => Promise<Readonly<Record<string, Schema.Json | undefined>>>
}

const verified = "kyc_status"

const unavailable = (cause: unknown) => new ConsumerDirectory.DirectoryUnavailable({ cause })

const expected = "an object of JSON values by field"

const readJson = reading(Schema.Record(Schema.String, Schema.Json), expected)

/** The requested fields of an answer. Others are not even checked. */
export const readAsked = (answer: unknown, fields: ReadonlyArray<string>) => {
  if (!isRecord(answer)) return Result.fail(notUnderstood(expected, answer))
  const asked = fields.filter((field) => Object.hasOwn(answer, field) && answer[field] !== undefined)
  return readJson(Object.fromEntries(asked.map((field) => [field, answer[field]])))
}

/** The host's directory as the port, in front of Surety's own records of people. */
export const layer = (
  directory: HostDirectory
): Layer.Layer<ConsumerDirectory.ConsumerDirectory, never, ConsumerStore> =>
  Layer.effect(
    ConsumerDirectory.ConsumerDirectory,
    Effect.gen(function* () {
      const recorded = Context.get(yield* Layer.build(ConsumerDirectory.layer), ConsumerDirectory.ConsumerDirectory)
      return ConsumerDirectory.ConsumerDirectory.of({
        values: Effect.fnUntraced(function* (person, fields) {
          const answer: unknown = yield* Effect.tryPromise({
            try: async () => directory.values(person, fields),
            catch: unavailable
          })
          const told = yield* Effect.fromResult(Result.mapError(readAsked(answer, fields), unavailable))
          const values = Object.fromEntries(
            Object.entries(told).map(([field, value]) => [field, Redacted.make(value, { label: field })])
          )
          const status = fields.filter((field) => field === verified && values[field] === undefined)
          return status.length === 0 ? values : { ...values, ...(yield* recorded.values(person, status)) }
        })
      })
    })
  )
