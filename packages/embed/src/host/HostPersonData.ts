import { type HolderPerson, PersonDataHolders } from "@surety/core/person/PersonDataHolders"
import { Effect, Layer, type Schema } from "effect"

/** The person whose data a part of the host exports or erases. */
export interface HostHeldPerson {
  readonly environment: "TEST" | "LIVE"
  readonly userId: string
  readonly serviceId: string
  /** Your own key for the person, if you set one. */
  readonly externalId?: string
}

/** A part of the host that holds people's data, such as its tables, a mailing list or a search index. */
export interface HostPersonData {
  /** The part's name in the export, such as `orders`. Must be unique among the parts. */
  readonly name: string
  /** Returns everything this part holds about the person, as JSON. Default: nothing to export. */
  readonly export?: (person: HostHeldPerson) => Promise<Schema.Json>
  /**
   * Erases the person from this part, before Surety erases the person. Must be idempotent, because an erasure repeated
   * after a failure calls it again. Default: nothing to erase.
   */
  readonly erase?: (person: HostHeldPerson) => Promise<void>
}

/**
 * Calls `ask` in an async function, so that a JavaScript host may return a plain value instead of a promise. A thrown
 * error or a rejection fails the effect.
 */
const asked =
  <A>(ask: (person: HostHeldPerson) => Promise<A>) =>
  (person: HolderPerson): Effect.Effect<A, unknown> =>
    Effect.tryPromise({ try: async () => ask(person), catch: (cause) => cause })

/** Layer of `PersonDataHolders` with the host's parts, in the given order. */
export const layer = (parts: ReadonlyArray<HostPersonData>): Layer.Layer<never> =>
  Layer.succeed(
    PersonDataHolders,
    parts.map(({ erase, export: exportOf, name }) => ({
      name,
      ...(exportOf === undefined ? {} : { export: asked(exportOf) }),
      ...(erase === undefined ? {} : { erase: asked(erase) })
    }))
  )
