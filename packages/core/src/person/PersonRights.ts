import { Context, DateTime, Effect, Layer, Option, Redacted, Schema } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import * as OneTimeCodes from "../consent/admission/OneTimeCodes.js"
import { ConsentPolicy } from "../consent/grant/ConsentPolicy.js"
import { countRequest } from "../consent/request/DataRequest.js"
import type { Consumer } from "../consumer/Consumer.js"
import { ConsumerChanges, consumerChanged } from "../consumer/ConsumerChanges.js"
import { ConsumerId } from "../consumer/ConsumerId.js"
import type { ConsumerChange } from "../consumer/changeConsumer.js"
import { decideUntilCommitted } from "../decideUntilCommitted.js"
import type { Environment } from "../Environment.js"
import { EventId, ReceiptId, UserId } from "../Ids.js"
import * as KycMetrics from "../kyc/KycMetrics.js"
import type { ActionChange, OperatorActionKind } from "../operator/OperatorAction.js"
import { OperatorActions } from "../operator/OperatorActions.js"
import type { StoreError } from "../StoreError.js"
import { decideErasure, type ErasurePlan, endsNeeded, type RefundsPending } from "./decideErasure.js"
import { type Erasure, keptOf } from "./Erasure.js"
import type { ErasureSnapshot, HeldPerson } from "./HeldPerson.js"
import { eraseIn, exportOf, PersonDataHolders, type PersonDataUnavailable } from "./PersonDataHolders.js"
import { type PersonExport, personExport } from "./PersonExport.js"
import { PersonLog } from "./PersonLog.js"
import type { ErasuresExhausted } from "./PersonStore.js"
import { PersonStore } from "./PersonStore.js"

/** No person in that environment has this identifier, or the person was erased. */
export class PersonNotFound extends Schema.TaggedError<PersonNotFound>(
  "@surety/core/person/PersonRights/PersonNotFound"
)("PersonNotFound", { serviceId: ConsumerId }) {
  override get message(): string {
    return "No person has this service_id in this environment."
  }
}

/** Input common to all methods of `PersonRights`. */
export interface RightsCommand {
  readonly environment: Environment
  readonly serviceId: ConsumerId
  /** The operator's name, or the host's own name for the acting user or system. Must contain no personal data. */
  readonly actor: string
  /** Default: `OPERATOR`. */
  readonly actorKind?: "OPERATOR" | "HOST"
  /** Stored in the operator action. Must contain no personal data. */
  readonly reason: string
}

/** The person was already erased. Only `eraseWithin` fails with this error; `erase` succeeds for an erased person. */
export class PersonErasedBefore extends Schema.TaggedError<PersonErasedBefore>(
  "@surety/core/person/PersonRights/PersonErasedBefore"
)("PersonErasedBefore", { serviceId: ConsumerId }) {
  override get message(): string {
    return "The person is already erased."
  }
}

/** The larger change that includes an erasure. */
export interface ErasedWithin<E> {
  /** Changes to record in the erasure's operator action. */
  readonly changes: ReadonlyArray<ActionChange>
  /** Runs before any holder erases. Skipped if a refund is pending, or there is no holder or no person to erase. */
  readonly begin: Effect.Effect<void, E | StoreError>
  /** Must run `change`, which erases the person in Surety, in the same commit as the larger change. */
  readonly around: <A, E2>(change: Effect.Effect<A, E2>) => Effect.Effect<A, E | E2 | StoreError>
}

/** Carries out people's rights for the operator or the host (contract 17), and records operator actions. */
export class PersonRights extends Context.Service<
  PersonRights,
  {
    /**
     * Exports the data that Surety and the host's `PersonDataHolders` hold about the person. Fails with
     * `PersonDataUnavailable` if any holder fails.
     */
    readonly export: (
      command: RightsCommand
    ) => Effect.Effect<Redacted.Redacted<PersonExport>, PersonNotFound | PersonDataUnavailable | StoreError>

    /**
     * Corrects the person's details. The action stores a keyed hash of each old value. Each merchant with an active
     * grant for a changed field gets `merchant.identity.data_changed`. If all values equal the stored ones, nothing
     * changes and no action is stored.
     */
    readonly rectify: (
      command: RightsCommand & { readonly change: ConsumerChange }
    ) => Effect.Effect<Consumer, PersonNotFound | StoreError>

    /**
     * Restricts processing. Every node applies the restriction once the call succeeds. Reads are refused as if there
     * were no consent. New data requests that would ask the person are refused as if the person had blocked the
     * merchant. Grants, money and legal duties are unaffected. A repeat changes nothing and records no action.
     */
    readonly restrict: (command: RightsCommand) => Effect.Effect<HeldPerson, PersonNotFound | StoreError>

    /**
     * Lifts the restriction. Grants that are still active take effect again. Repeating the call changes nothing and
     * records no action.
     */
    readonly liftRestriction: (command: RightsCommand) => Effect.Effect<HeldPerson, PersonNotFound | StoreError>

    /**
     * Erases the person irreversibly, first in the host's `PersonDataHolders` and then in Surety. Returns the kinds of
     * records that remain. Repeating the call for an erased person erases nothing more.
     */
    readonly erase: (
      command: RightsCommand
    ) => Effect.Effect<
      Erasure,
      PersonNotFound | RefundsPending | ErasuresExhausted | PersonDataUnavailable | StoreError
    >

    /** Like `erase`, as part of a larger change. Fails with `PersonErasedBefore` if the person is already erased. */
    readonly eraseWithin: <E>(
      command: RightsCommand,
      within: ErasedWithin<E>
    ) => Effect.Effect<
      Erasure,
      E | PersonNotFound | PersonErasedBefore | RefundsPending | ErasuresExhausted | PersonDataUnavailable | StoreError
    >
  }
>()("@surety/core/person/PersonRights") {}

type Needs = PersonStore | PersonLog | ConsumerChanges | OperatorActions | Digest.Digest | SecureRandom.SecureRandom

/** The prefix `erased_` makes a pseudonym easy to distinguish from a host's own ids. */
const pseudonymOf = (id: UserId): UserId => UserId.make(`erased_${id.slice(id.indexOf("_") + 1)}`)

const makeErase = Effect.gen(function* () {
  const store = yield* PersonStore
  const holders = yield* PersonDataHolders
  const policy = yield* ConsentPolicy
  const digest = yield* Digest.Digest
  const random = yield* SecureRandom.SecureRandom

  const countEnded = ({ cancelled, expired, verifications }: ErasurePlan) =>
    Effect.andThen(
      Effect.forEach([...cancelled, ...expired.map(({ request }) => request)], countRequest, { discard: true }),
      Effect.forEach(verifications, ({ verification }) => KycMetrics.countEnded(verification), { discard: true })
    )

  const erasedBefore = Effect.fnUntraced(function* ({ environment, serviceId }: RightsCommand) {
    const person = Option.getOrUndefined(yield* store.find(environment, serviceId))
    return person?.erasedAt === undefined ? undefined : { ...person, erasedAt: person.erasedAt }
  })

  const decide = Effect.fnUntraced(
    function* (found: Option.Option<ErasureSnapshot>, { actor, actorKind = "OPERATOR" }: RightsCommand) {
      if (Option.isNone(found)) return undefined
      const { person } = found.value
      const decision = decideErasure(found.value, {
        now: yield* DateTime.now,
        actor: { kind: actorKind, name: actor },
        pseudonym: pseudonymOf(yield* UserId.next),
        ends: yield* Effect.replicateEffect(
          Effect.all({ receiptId: ReceiptId.next, eventId: EventId.next }),
          endsNeeded(found.value)
        ),
        policy,
        codeName: yield* OneTimeCodes.nameOfPerson(person)
      })
      return decision._tag === "Refuse" ? yield* decision.reason : decision.plan
    },
    Effect.provideService(SecureRandom.SecureRandom, random),
    Effect.provideService(Digest.Digest, digest)
  )

  /** Erases the person in Surety. Returns false if the person was unknown or already erased. */
  const eraseHere = (command: RightsCommand) =>
    decideUntilCommitted({
      load: store.erasure(command.environment, command.serviceId),
      decide: (found) => decide(found, command),
      commit: (plan) => (plan === undefined ? Effect.succeed(true) : store.erase(plan))
    }).pipe(
      Effect.tap((plan) => (plan === undefined ? Effect.void : countEnded(plan))),
      Effect.map((plan) => plan !== undefined)
    )

  /** Erases the person in the host's holders, irreversibly. Fails beforehand if a refund to the person is pending. */
  const eraseElsewhere = Effect.fnUntraced(function* <E = never>(
    command: RightsCommand,
    begin: Effect.Effect<void, E> = Effect.void
  ) {
    const found = yield* store.erasure(command.environment, command.serviceId)
    yield* decide(found, command)
    if (Option.isNone(found) || holders.length === 0) return
    yield* begin
    for (const holder of holders) yield* eraseIn(holder, found.value.person) ?? Effect.void
  })

  const outcome = Effect.fnUntraced(function* (command: RightsCommand) {
    const person = yield* erasedBefore(command)
    if (person === undefined) return yield* new PersonNotFound({ serviceId: command.serviceId })
    const { environment, erasedAt, serviceId } = person
    const erasure: Erasure = { environment, serviceId, erasedAt, kept: keptOf(yield* store.remains(person)) }
    return erasure
  })

  const whyNot = Effect.fnUntraced(function* (command: RightsCommand) {
    const { serviceId } = command
    const person = yield* erasedBefore(command)
    return yield* person === undefined ? new PersonNotFound({ serviceId }) : new PersonErasedBefore({ serviceId })
  })

  return { eraseHere, eraseElsewhere, outcome, whyNot }
})

export const layer: Layer.Layer<PersonRights, never, Needs> = Layer.effect(
  PersonRights,
  Effect.gen(function* () {
    const store = yield* PersonStore
    const log = yield* PersonLog
    const actions = yield* OperatorActions
    const changes = yield* ConsumerChanges
    const holders = yield* PersonDataHolders
    const { eraseElsewhere, eraseHere, outcome, whyNot } = yield* makeErase

    const recorded = <A, E, R>(
      { actor, environment, reason, serviceId }: RightsCommand,
      kind: OperatorActionKind,
      change: Effect.Effect<A, E, R>,
      isDone: (result: A) => boolean = () => true
    ) =>
      actions.record(actor, change, (result) =>
        isDone(result) ? { kind, target: serviceId, environment, serviceId, reason, changes: [] } : undefined
      )

    const found = <A, E>(serviceId: ConsumerId, person: Effect.Effect<Option.Option<A>, E>) =>
      Effect.flatMap(
        person,
        Option.match({ onNone: () => Effect.fail(new PersonNotFound({ serviceId })), onSome: Effect.succeed })
      )

    const exported = Effect.fn("PersonRights.export")(function* (command: RightsCommand) {
      const { environment, serviceId } = command
      const person = yield* found(serviceId, store.find(environment, serviceId))
      const others: Record<string, Schema.Json> = {}
      for (const holder of person.erasedAt === undefined ? holders : []) {
        const asked = exportOf(holder, person)
        if (asked !== undefined) others[holder.name] = yield* asked
      }
      const held = yield* recorded(command, "person.exported", found(serviceId, log.holdings(environment, serviceId)))
      return Redacted.make(personExport(held, others, yield* DateTime.now), { label: "person" })
    })

    const rectify = Effect.fn("PersonRights.rectify")(function* (
      command: RightsCommand & { readonly change: ConsumerChange }
    ) {
      const { actor, change, environment, reason, serviceId } = command
      const rectified = Effect.catchTag(changes.rectify(environment, serviceId, change), "ConsumerNotFound", () =>
        Effect.fail(new PersonNotFound({ serviceId }))
      )
      const { consumer } = yield* actions.record(actor, rectified, (made) => consumerChanged(made, reason))
      return consumer
    })

    const restriction = (kind: "person.restricted" | "person.restriction_lifted") =>
      Effect.fn(`PersonRights.${kind}`)(function* (command: RightsCommand) {
        const { environment, serviceId } = command
        const at = kind === "person.restricted" ? yield* DateTime.now : undefined
        const change = found(serviceId, store.restrict(environment, serviceId, at))
        const { person } = yield* recorded(command, kind, change, ({ isNew }) => isNew)
        return person
      })

    const erase = Effect.fn("PersonRights.erase")(function* (command: RightsCommand) {
      yield* eraseElsewhere(command)
      yield* recorded(command, "person.erased", eraseHere(command), (erased) => erased)
      return yield* outcome(command)
    })

    const eraseWithin = Effect.fn("PersonRights.eraseWithin")(function* <E>(
      command: RightsCommand,
      { around, begin, changes: told }: ErasedWithin<E>
    ) {
      const { actor, environment, reason, serviceId } = command
      yield* eraseElsewhere(command, begin)
      const erased = Effect.flatMap(eraseHere(command), (isErased) => (isErased ? Effect.void : whyNot(command)))
      yield* actions.record(actor, around(erased), () => ({
        kind: "person.erased",
        target: serviceId,
        environment,
        serviceId,
        reason,
        changes: told
      }))
      return yield* outcome(command)
    })

    return PersonRights.of({
      export: exported,
      rectify,
      restrict: restriction("person.restricted"),
      liftRestriction: restriction("person.restriction_lifted"),
      erase,
      eraseWithin
    })
  })
)
