import { Context, DateTime, Effect, Layer, Option } from "effect"
import type { ConsumerId } from "../consumer/ConsumerId.js"
import { PersonNotFound } from "../person/PersonRights.js"
import { PersonStore } from "../person/PersonStore.js"
import type { StoreError } from "../StoreError.js"
import { OperatorActions } from "./OperatorActions.js"
import { sightChanges, sightLasts, sightsOf, type Viewer } from "./sightsOf.js"

/** A person, and the operator's session in which the person's details may be shown. */
export interface Sight extends Viewer {
  readonly serviceId: ConsumerId
}

/**
 * Tracks which console sessions may see a person's details unmasked. A session may do so for `sightLasts` after `look`,
 * which records an operator's action.
 */
export class PersonSights extends Context.Service<
  PersonSights,
  {
    /**
     * Records that the operator views the person's details, and why. Returns the time until which they are shown. Fails
     * with `PersonNotFound` if the person is unknown or erased.
     */
    readonly look: (sight: Sight, reason: string) => Effect.Effect<DateTime.Utc, PersonNotFound | StoreError>

    /** Returns the time until which the session may see the person's details. `None` if it may not see them now. */
    readonly until: (sight: Sight) => Effect.Effect<Option.Option<DateTime.Utc>, StoreError>
  }
>()("@surety/core/operator/PersonSights") {}

/**
 * Maximum number of an operator's latest viewings of one person to read. Older viewings do not count, even within
 * `sightLasts`.
 */
const readBack = 100

export const layer: Layer.Layer<PersonSights, never, OperatorActions | PersonStore> = Layer.effect(
  PersonSights,
  Effect.gen(function* () {
    const actions = yield* OperatorActions
    const people = yield* PersonStore

    const known = Effect.fnUntraced(function* ({ serviceId, environment }: Sight) {
      const person = yield* people.find(environment, serviceId)
      if (!Option.exists(person, ({ erasedAt }) => erasedAt === undefined)) {
        return yield* new PersonNotFound({ serviceId })
      }
    })

    const look = Effect.fn("PersonSights.look")(function* (sight: Sight, reason: string) {
      const { serviceId, environment, operator, session } = sight
      yield* actions.record(operator, known(sight), () => ({
        kind: "person.looked_at",
        target: serviceId,
        environment,
        serviceId,
        reason,
        changes: sightChanges(session)
      }))
      return DateTime.addDuration(yield* DateTime.now, sightLasts)
    })

    const until = Effect.fn("PersonSights.until")(function* (sight: Sight) {
      const [given] = yield* sightsOf(actions, sight, {
        kind: "person.looked_at",
        serviceId: sight.serviceId,
        atMost: readBack
      })
      return Option.map(Option.fromUndefinedOr(given), ({ at }) => DateTime.addDuration(at, sightLasts))
    })

    return PersonSights.of({ look, until })
  })
)
