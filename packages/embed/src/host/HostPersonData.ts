import { type HolderPerson, PersonDataHolders } from "@surety/core/person/PersonDataHolders"
import { Effect, Layer, type Schema } from "effect"

/** The person whom a part of the host is asked about. */
export interface HostHeldPerson {
  readonly environment: "TEST" | "LIVE"
  readonly userId: string
  readonly serviceId: string
  /** Your own key for the person, if you gave one. */
  readonly externalId?: string
}

/** A part of the host that holds data of people: its own tables, a mailing list, a search index. */
export interface HostPersonData {
  /** Its name in the export, such as `orders`. Unique among the parts. */
  readonly name: string
  /** Everything that it holds of the person, as JSON. Default: it holds nothing to export. */
  readonly export?: (person: HostHeldPerson) => Promise<Schema.Json>
  /**
   * Erases the person. Must be idempotent: it is called before Surety erases the person, and again if anything after it
   * fails. Default: nothing to erase.
   */
  readonly erase?: (person: HostHeldPerson) => Promise<void>
}

/** Rejections reach `callHost` as failures, thrown errors too. */
const asked =
  <A>(ask: (person: HostHeldPerson) => Promise<A>) =>
  (person: HolderPerson): Effect.Effect<A, unknown> =>
    Effect.tryPromise({ try: async () => ask(person), catch: (cause) => cause })

/** The host's parts, which take part in exports and erasures. */
export const layer = (parts: ReadonlyArray<HostPersonData>): Layer.Layer<never> =>
  Layer.succeed(
    PersonDataHolders,
    parts.map(({ erase, export: exportOf, name }) => ({
      name,
      ...(exportOf === undefined ? {} : { export: asked(exportOf) }),
      ...(erase === undefined ? {} : { erase: asked(erase) })
    }))
  )
