import { innermostMessage } from "@surety/core/innermostMessage"
import { logDamaged } from "@surety/core/StoreError"
import { Array as Arr, Effect, Option, Predicate, Schema } from "effect"
import { fromSchemaError } from "../connection/storeFailure.js"

interface ClaimedRows {
  /** Port and method, such as `KycStore.claim`, for the log. */
  readonly operation: string
  /** The column with the record's id, for the log. */
  readonly id: string
}

/**
 * Builds a decoder of claimed rows, with `None` in the place of a damaged row, which it logs. Failing the claim instead
 * would stop the work on the other rows: their leases are already stored, and the same claim would find them again.
 */
export const eachSound = <A, E>(schema: Schema.Codec<A, E>, { id, operation }: ClaimedRows) => {
  const whole = Schema.decodeUnknownEffect(Schema.Array(schema))
  const one = Schema.decodeUnknownEffect(schema)
  const soundOrNone = (row: unknown): Effect.Effect<Option.Option<A>> =>
    Effect.catch(Effect.asSome(one(row)), (error) =>
      Effect.as(
        logDamaged(
          Predicate.hasProperty(row, id) ? String(row[id]) : "unknown",
          innermostMessage(fromSchemaError(operation, error))
        ),
        Option.none()
      )
    )
  return (rows: ReadonlyArray<unknown>): Effect.Effect<ReadonlyArray<Option.Option<A>>> =>
    Effect.catch(
      Effect.map(whole(rows), (decoded) => decoded.map((row) => Option.some(row))),
      () => Effect.forEach(rows, soundOrNone)
    )
}

/** Like `eachSound`, but leaves damaged rows out. */
export const soundRows = <A, E>(schema: Schema.Codec<A, E>, claimed: ClaimedRows) => {
  const each = eachSound(schema, claimed)
  return (rows: ReadonlyArray<unknown>): Effect.Effect<ReadonlyArray<A>> => Effect.map(each(rows), Arr.getSomes)
}
