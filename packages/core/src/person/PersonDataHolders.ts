import { Context, Duration, type Effect, Result, Schema } from "effect"
import type { Environment } from "../Environment.js"
import { callHost } from "../host/callHost.js"
import { notUnderstood, type ReadAnswer, readNothing } from "../host/HostAnswer.js"
import type { HeldPerson } from "./HeldPerson.js"

/**
 * A part of the host failed to export or erase the person's data. The whole export or erasure then fails, and Surety
 * erases nothing.
 */
export class PersonDataUnavailable extends Schema.TaggedError<PersonDataUnavailable>(
  "@surety/core/person/PersonDataHolders/PersonDataUnavailable"
)("PersonDataUnavailable", { holder: Schema.String, cause: Schema.Defect() }) {
  override get message(): string {
    return `The host's ${this.holder} did not return a valid response.`
  }
}

export interface HolderPerson {
  readonly environment: Environment
  readonly userId: string
  readonly serviceId: string
  /** The host's own key for the person, if any. */
  readonly externalId?: string
}

/** A part of the host that holds people's data, such as tables, a mailing list or a search index. */
export interface PersonDataHolder {
  /** The holder's name in exports, such as `orders`. Must be unique among holders. */
  readonly name: string
  /** Returns all data held about the person, as JSON. If omitted, exports skip the holder. */
  readonly export?: (person: HolderPerson) => Effect.Effect<Schema.Json, unknown>
  /**
   * Erases the person's data. Must be idempotent: it runs before Surety erases the person, and again if a failed
   * erasure is retried. If omitted, erasures skip the holder.
   */
  readonly erase?: (person: HolderPerson) => Effect.Effect<void, unknown>
}

/** The parts of the host that hold people's data, in the order in which they are called. Default: none. */
export const PersonDataHolders = Context.Reference<ReadonlyArray<PersonDataHolder>>(
  "@surety/core/person/PersonDataHolders",
  { defaultValue: () => [] }
)

export const holderTimeout = Duration.seconds(30)

const readJson: ReadAnswer<Schema.Json> = (answer) =>
  Schema.is(Schema.Json)(answer) ? Result.succeed(answer) : Result.fail(notUnderstood("JSON", answer))

const personOf = ({ environment, externalId, serviceId, userId }: HeldPerson): HolderPerson => ({
  environment,
  userId,
  serviceId,
  ...(externalId === undefined ? {} : { externalId })
})

const callOf = (holder: PersonDataHolder, person: HeldPerson, consequence: string) => ({
  part: "personData" as const,
  timeout: holderTimeout,
  unavailable: (cause: Error) => new PersonDataUnavailable({ holder: holder.name, cause }),
  consequence,
  given: () => [person.userId, person.serviceId, ...(person.externalId === undefined ? [] : [person.externalId])],
  about: { holder: holder.name }
})

/** Undefined if the holder has no `export`. */
export const exportOf = (
  holder: PersonDataHolder,
  person: HeldPerson
): Effect.Effect<Schema.Json, PersonDataUnavailable> | undefined => {
  const { export: ask } = holder
  return (
    ask &&
    callHost({ ...callOf(holder, person, "the person gets no export"), operation: "export", read: readJson }, () =>
      ask(personOf(person))
    )
  )
}

/** Undefined if the holder has no `erase`. */
export const eraseIn = (
  holder: PersonDataHolder,
  person: HeldPerson
): Effect.Effect<void, PersonDataUnavailable> | undefined => {
  const { erase } = holder
  return (
    erase &&
    callHost({ ...callOf(holder, person, "the person is not erased"), operation: "erase", read: readNothing }, () =>
      erase(personOf(person))
    )
  )
}
