import { Context, Duration, type Effect, Result, Schema } from "effect"
import type { Environment } from "../Environment.js"
import { callHost } from "../host/callHost.js"
import { notUnderstood, type ReadAnswer, readNothing } from "../host/HostAnswer.js"
import type { HeldPerson } from "./HeldPerson.js"

/** A part of the host that holds data of people, and did not export or erase them. Nothing of ours was erased. */
export class PersonDataUnavailable extends Schema.TaggedError<PersonDataUnavailable>(
  "@surety/core/person/PersonDataHolders/PersonDataUnavailable"
)("PersonDataUnavailable", { holder: Schema.String, cause: Schema.Defect() }) {
  override get message(): string {
    return `The host's ${this.holder} did not respond as promised.`
  }
}

/** The person whom a holder is asked about. */
export interface HolderPerson {
  readonly environment: Environment
  readonly userId: string
  readonly serviceId: string
  /** The host's own key for the person, if it gave one. */
  readonly externalId?: string
}

/** A part of the host that holds data of people: its own tables, a mailing list, a search index. */
export interface PersonDataHolder {
  /** What the export calls it, such as `orders`. Distinct. */
  readonly name: string
  /** Everything that is held of the person, as JSON. Default: nothing is held. */
  readonly export?: (person: HolderPerson) => Effect.Effect<Schema.Json, unknown>
  /**
   * Erases the person. Must be idempotent: it is called before the person is erased here, and again if that fails or is
   * repeated. Default: nothing to erase.
   */
  readonly erase?: (person: HolderPerson) => Effect.Effect<void, unknown>
}

/** The holders that take part in exports and erasures. */
export const PersonDataHolders = Context.Reference<ReadonlyArray<PersonDataHolder>>(
  "@surety/core/person/PersonDataHolders",
  { defaultValue: () => [] }
)

/** How long a holder may take. */
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

/** The holder's data about the person; undefined if it exports nothing. */
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

/** Has the holder erase the person; undefined if it has nothing to erase. */
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
