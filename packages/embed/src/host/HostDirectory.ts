import * as ConsumerDirectory from "@surety/core/consumer/ConsumerDirectory"
import type { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import * as HostPeople from "@surety/core/consumer/HostDirectory"
import { Environment } from "@surety/core/Environment"
import { Effect, type Layer, Result, type Schema } from "effect"

/** A person in one environment: `userId` is the host's own id, and `serviceId` the id that merchants know. */
export interface HostPerson {
  readonly environment: "TEST" | "LIVE"
  readonly userId: string
  readonly serviceId: string
}

/**
 * The host's own data about people. If the host has no directory, merchants read the values in Surety's own records of
 * people.
 */
export interface HostDirectory {
  /**
   * Names of fields beyond the six that every host has. A name has 1 to 64 lower-case letters, digits and underscores,
   * and starts with a letter.
   */
  readonly fields?: ReadonlyArray<string>
  /**
   * Returns the person's current values of `fields`. Omit fields that have no value; unrequested fields are dropped. If
   * `kyc_status` is omitted, it comes from Surety's verifications. After a rejected promise, a value of the wrong type
   * or 10 seconds without a result, nothing is disclosed. A merchant's read then fails with a retryable error. For the
   * masked values on the consent page, the limit is 3 seconds.
   */
  readonly values: (
    person: HostPerson,
    fields: ReadonlyArray<string>
  ) => Promise<Readonly<Record<string, Schema.Json | undefined>>>
}

const unavailable = (cause: unknown) => new ConsumerDirectory.DirectoryUnavailable({ cause })

/**
 * Layer of `ConsumerDirectory` that reads the host's directory in both environments. Surety's own records supply a
 * `kyc_status` that the host omits. A rejected promise or an invalid result becomes `DirectoryUnavailable`.
 */
export const layer = (
  directory: HostDirectory
): Layer.Layer<ConsumerDirectory.ConsumerDirectory, never, ConsumerStore> =>
  HostPeople.layer({
    environments: Environment.literals,
    values: Effect.fnUntraced(function* (person, fields) {
      const answer: unknown = yield* Effect.tryPromise({
        try: async () => directory.values(person, fields),
        catch: unavailable
      })
      return yield* Effect.fromResult(Result.mapError(HostPeople.readAsked(answer, fields), unavailable))
    })
  })
