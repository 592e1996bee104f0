import * as ConsumerDirectory from "@surety/core/consumer/ConsumerDirectory"
import type { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import { Context, Effect, Layer, Redacted, type Schema } from "effect"

/** Whose values are wanted. */
export interface HostPerson {
  readonly environment: "TEST" | "LIVE"
  readonly userId: string
  readonly serviceId: string
}

/** What the host knows of its people. Without it merchants read what `consumers.create` was given. */
export interface HostDirectory {
  /** Names of fields besides the specified six: lower-case letters, digits and underscores. */
  readonly fields?: ReadonlyArray<string>
  /**
   * The person's values of these fields, at this moment. A field that the person has no value of is left out; one that
   * was not asked for is not handed on. `kyc_status`, left out, is what Surety's verifications have found. A rejected
   * promise: nothing is handed out, and the merchant is told to ask again.
   */
  readonly values: (
    person: HostPerson,
    fields: ReadonlyArray<string>
  ) => Promise<Readonly<Record<string, Schema.Json | undefined>>>
}

const verified = "kyc_status"

/** The port that stands for the host's directory, before the records that Surety has of people. */
export const layer = (
  directory: HostDirectory
): Layer.Layer<ConsumerDirectory.ConsumerDirectory, never, ConsumerStore> =>
  Layer.effect(
    ConsumerDirectory.ConsumerDirectory,
    Effect.gen(function* () {
      const recorded = Context.get(yield* Layer.build(ConsumerDirectory.layer), ConsumerDirectory.ConsumerDirectory)
      return ConsumerDirectory.ConsumerDirectory.of({
        values: Effect.fnUntraced(function* (person, fields) {
          const told = yield* Effect.tryPromise({
            try: async () => directory.values(person, fields),
            catch: (cause) => new ConsumerDirectory.DirectoryUnavailable({ cause })
          })
          const values = Object.fromEntries(
            fields.flatMap((field) => {
              const value = Object.hasOwn(told, field) ? told[field] : undefined
              return value === undefined ? [] : [[field, Redacted.make(value, { label: field })]]
            })
          )
          const status = fields.filter((field) => field === verified && values[field] === undefined)
          return status.length === 0 ? values : { ...values, ...(yield* recorded.values(person, status)) }
        })
      })
    })
  )
