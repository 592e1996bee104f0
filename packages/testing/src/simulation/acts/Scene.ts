import { NGN } from "@surety/core/Currency"
import type { Consumer } from "@surety/core/consumer/Consumer"
import { Consumers } from "@surety/core/consumer/Consumers"
import { IdentityField } from "@surety/core/consumer/IdentityField"
import type { Environment } from "@surety/core/Environment"
import { WebhookEndpoints } from "@surety/core/event/WebhookEndpoints"
import type { EndpointId } from "@surety/core/Ids"
import { IdempotencyKey } from "@surety/core/idempotency/IdempotencyKey"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import { Merchants } from "@surety/core/merchant/Merchants"
import { Payments } from "@surety/core/payment/Payments"
import { StoreError } from "@surety/core/StoreError"
import { Cause, Effect, Exit, Predicate, Redacted, Result, Schema } from "effect"
import type { ClientBook } from "../invariants/ClientInvariants.js"
import type { ErasureBook } from "../invariants/ErasureInvariants.js"
import type { KeyBook } from "../invariants/KeyInvariants.js"
import type { OperatorBook } from "../invariants/OperatorInvariants.js"
import type { RightsBook } from "../invariants/RightsInvariants.js"
import type { SessionBook } from "../invariants/SessionInvariants.js"
import type { Subject } from "../Repertoire.js"
import type { Cluster, SimulatedServices } from "../world/Cluster.js"
import type { Draw } from "../world/Draw.js"
import { trialRepeats } from "../world/Fates.js"
import type { World } from "../world/World.js"

/** The merchants, people and endpoints with which a story begins. */
export interface Cast {
  readonly scopes: ReadonlyArray<MerchantScope>
  readonly consumers: ReadonlyArray<Consumer>
  readonly endpoints: ReadonlyArray<{ readonly scope: MerchantScope; readonly id: EndpointId }>
}

export interface Scene extends Cast {
  readonly world: World
  readonly cluster: Cluster
  readonly book: ClientBook
  readonly rights: RightsBook
  readonly erasures: ErasureBook
  readonly operators: OperatorBook
  readonly sessions: SessionBook
  readonly keys: KeyBook
}

/** One act of a story, or one of several calls in it. Copies of an act share its `draw`. */
export interface Act {
  /** For example `act 7`, or `act 7 copy 2` for one of several calls. */
  readonly label: string
  readonly draw: Draw
}

/** A call that a client sends with `callAs`, and the checks of its outcome. */
export interface ClientCall<A, E> {
  /** Called on each typed failure of the call, temporary or final. */
  readonly onRefusal?: ((error: E) => void) | undefined
  readonly act: Act
  /** Describes the call in the story's log, for example `refunds 50 of payment 1 by refund-2`. */
  readonly does: string
  readonly call: Effect.Effect<A, E, SimulatedServices>
  /** Maximum repeats after no response or a temporary failure. If `world.isTrial`, any value but 0 counts as 10. */
  readonly repeats: number
  /** Called on success, with the response and the time when the successful call was sent. */
  readonly onSuccess?: ((answer: A, sentAtMillis: number) => void) | undefined
}

const isStoreError = Schema.is(StoreError)

const tagOf = (error: unknown): string => {
  if (Predicate.hasProperty(error, "reason") && Predicate.hasProperty(error.reason, "_tag")) {
    return `${tagOf({ _tag: Predicate.hasProperty(error, "_tag") ? error._tag : "?" })} ${String(error.reason._tag)}`
  }
  return Predicate.hasProperty(error, "_tag") ? String(error._tag) : "an unknown error"
}

/** True if the failure is temporary or leaves the outcome unknown, so the client repeats its call. */
const isOpen = (error: unknown): boolean =>
  isStoreError(error) ||
  (Predicate.hasProperty(error, "_tag") &&
    [
      "RefundOutcomeUnknown",
      "IdempotencyInProgress",
      "DirectoryUnavailable",
      "KycProviderUnavailable",
      "PersonDataUnavailable"
    ].includes(String(error._tag)))

/** A client's timeout for a response. During the acts, about one call in ten waits at most 300 ms instead. */
const clientPatienceMillis = 20_000

/**
 * Sends the call to a process drawn at random. Repeats it, each time at a newly drawn process, until a final response
 * or the maximum number of repeats. Omits a call whose label is calm (`World.isCalm`).
 */
export const callAs = <A, E>(
  scene: Scene,
  { act, call, does, onRefusal, onSuccess, repeats }: ClientCall<A, E>
): void => {
  const { cluster, world } = scene
  if (!/^act \d+$/u.test(act.label)) {
    world.copies.add(act.label)
    if (world.isCalm(act.label)) return
  }
  const labelOf = (number: number): string => (number === 0 ? act.label : `${act.label}.${number}`)
  const mostRepeats = world.isTrial && repeats > 0 ? trialRepeats : repeats
  const attempt = (number: number): void => {
    const label = labelOf(number)
    if (number > 0 && world.lostAnswers.has(labelOf(number - 1))) world.reach("client repeats what was done")
    const draw = world.draw(`${label} ${does.split(" ")[0]}`)
    const drawn = draw.below(2)
    // Like a load balancer, avoids a process that is down if the other one is up.
    const at = cluster.isUp(drawn) ? drawn : 1 - drawn
    const sentAtMillis = world.nowMillis
    let isOver = false
    const retry = (): void => {
      if (number < mostRepeats) world.agenda.after(draw.pick([20, 300, 6_000, 30_000]), 0, () => attempt(number + 1))
      else world.waiting -= 1
    }
    const lost = (why: string): void => {
      if (isOver) return
      isOver = true
      world.reach(`client ${why}`)
      world.tell(() => `${label}: ${why}`)
      retry()
    }
    world.tell(() => `${label}: ${does}, at ${cluster.nameOf(at)}${number === 0 ? "" : " again"}`)
    const interrupt = cluster.run(
      at,
      label,
      call,
      (exit) => {
        if (isOver) return
        if (Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)) return lost("was cut off")
        isOver = true
        if (Exit.isSuccess(exit)) {
          world.waiting -= 1
          world.reach(`answer of ${does.split(" ")[0]}`)
          world.tell(() => `${label}: done`)
          scene.erasures.answered(does, exit.value, sentAtMillis)
          return onSuccess?.(exit.value, sentAtMillis)
        }
        const failure = Cause.findError(exit.cause)
        if (Result.isFailure(failure)) {
          return world.violate("no_defects", `${label}, who ${does}, met ${describe(exit.cause)}`)
        }
        world.reach(`refusal of ${does.split(" ")[0]}: ${tagOf(failure.success)}`)
        world.tell(() => `${label}: ${tagOf(failure.success)}`)
        onRefusal?.(failure.success)
        if (isOpen(failure.success)) retry()
        else world.waiting -= 1
      },
      () => lost("lost its server")
    )
    const patience = world.rates === undefined || draw.chance(0.9) ? clientPatienceMillis : draw.between(1, 300)
    world.agenda.after(patience, 0, () => {
      if (isOver) return
      interrupt()
      lost("hung up")
    })
  }
  world.waiting += 1
  attempt(0)
}

const describe = (cause: Cause.Cause<unknown>): string => {
  const defect = Cause.squash(cause)
  return defect instanceof Error ? `${defect.name}: ${defect.message}` : String(defect)
}

const people: ReadonlyArray<readonly [Environment, boolean]> = [
  ["LIVE", false],
  ["LIVE", false],
  ["TEST", true]
]

export const profileOf = (name: string) => ({
  name,
  legalName: `${name} Ltd`,
  contactName: Redacted.make("a contact"),
  contactEmail: Redacted.make("contact@stores.example"),
  country: "NG",
  businessType: "retail"
})

/**
 * Creates two merchants in LIVE, the first also in TEST, and one endpoint per merchant and environment. Also creates
 * three people. Each person is linked to each merchant in their environment, and has paid it once.
 */
export const castOf = Effect.fnUntraced(function* (draw: Draw) {
  const merchants = yield* Merchants
  const consumers = yield* Consumers
  const endpoints = yield* WebhookEndpoints
  const payments = yield* Payments
  const ids = yield* Effect.forEach(["Ada Stores", "Bola Foods"], (name) =>
    Effect.gen(function* () {
      const { id } = yield* merchants.apply(profileOf(name), "applicant")
      yield* merchants.changeStatus(id, { to: "ACTIVE", actor: "operator", reason: undefined })
      if (draw.chance(0.3)) yield* merchants.changeSettings(id, { settlementOverdraft: true })
      return id
    })
  )
  const scopes: ReadonlyArray<MerchantScope> = [
    ...ids.map((merchantId) => ({ merchantId, environment: "LIVE" as const })),
    ...ids.slice(0, 1).map((merchantId) => ({ merchantId, environment: "TEST" as const }))
  ]
  const registered = yield* Effect.forEach(scopes, (scope, index) =>
    Effect.map(
      endpoints.register(scope.merchantId, {
        url: `https://receiver-${index}.example/hooks`,
        environment: scope.environment,
        topics: undefined
      }),
      ({ endpoint: { id } }) => ({ scope, id })
    )
  )
  const persons = yield* Effect.forEach(people, ([environment, bounded], index) =>
    consumers.create(
      {
        environment,
        displayName: Redacted.make(`Person Number ${index + 1}`),
        email: Redacted.make(`person-${index + 1}@people.example`),
        phoneVerified: true,
        ...(bounded ? { askLimits: true } : {})
      },
      ids[0]
    )
  )
  for (const scope of scopes) {
    for (const person of persons.filter(({ environment }) => environment === scope.environment)) {
      yield* consumers.link(scope.merchantId, scope.environment, person.serviceId)
      yield* payments.record({
        scope,
        amount: { currency: NGN, minor: BigInt(draw.pick([10, 50, 100])) },
        method: "WALLET",
        serviceId: person.serviceId,
        settled: true
      })
    }
  }
  const cast: Cast = { scopes, consumers: persons, endpoints: registered }
  return cast
})

/** Draws the probability that an act uses the story's main merchant or person. It is the same for the whole story. */
const focusOf = (world: World): number => world.draw("focus").pick([0.5, 0.75, 0.75, 0.95])

/** Subjects of stories whose main environment is always LIVE. */
const onlyLive: ReadonlyArray<Subject> = ["wallet", "links"]

const mainScopes = ({ scopes, world: { about } }: Scene): ReadonlyArray<MerchantScope> =>
  about !== undefined && onlyLive.includes(about) ? scopes.filter(({ environment }) => environment === "LIVE") : scopes

/** Picks a merchant and an environment, often the story's main ones. */
export const scopeOf = (scene: Scene, draw: Draw): MerchantScope =>
  draw.chance(focusOf(scene.world)) ? scene.world.draw("mostly about").pick(mainScopes(scene)) : draw.pick(scene.scopes)

/** Picks a person in the scope's environment, often the story's main person there. */
export const personOf = ({ consumers, world }: Scene, { environment }: MerchantScope, draw: Draw): Consumer => {
  const candidates = consumers.filter((consumer) => consumer.environment === environment)
  // A story about links has no main person, since only the records of several people can be mixed up.
  const focus = world.about === "links" ? 0 : focusOf(world)
  return draw.chance(focus) ? world.draw("mostly of").pick(candidates) : draw.pick(candidates)
}

/** Returns the possible numbers of distinct keys. A reused key moves no money, so money stories need more keys. */
const keyCounts = (about: Subject | undefined, kind: string): ReadonlyArray<number> => {
  if (kind === "request") return [6, 40, 80]
  return about === "money" || about === "wallet" ? [6, 20, 40, 80] : [2, 6, 20, 40]
}

/** Picks one of a limited number of keys, so that many calls share a key. */
export const keyOf = ({ world }: Scene, kind: string, draw: Draw): IdempotencyKey =>
  IdempotencyKey.make(`${kind}-${draw.below(world.draw(`${kind} keys`).pick(keyCounts(world.about, kind)))}`)

/** Returns the draw for the command sent with a key. Usually it depends only on the scope and the key. */
export const commandDraw = ({ world }: Scene, scope: MerchantScope, key: IdempotencyKey, { draw, label }: Act): Draw =>
  world.draw(draw.chance(0.85) ? `${scope.merchantId} ${scope.environment} ${key}` : `${label} command`)

/** Returns one to three copies of the act, like a merchant that repeats a call without waiting for a response. */
export const copiesOf = (act: Act): ReadonlyArray<Act> => {
  const count = act.draw.weighted([
    [7, 1],
    [2, 2],
    [1, 3]
  ])
  if (count === 1) return [act]
  return Array.from({ length: count }, (_, index) => ({ label: `${act.label} copy ${index + 1}`, draw: act.draw }))
}

export const nameOfScope = ({ world }: Scene, { environment, merchantId }: MerchantScope): string =>
  environment === "TEST" ? `${world.nameOf(merchantId)} in TEST` : world.nameOf(merchantId)

export const scopeIn = ({ environment, merchantId }: MerchantScope): MerchantScope => ({ merchantId, environment })

export const shownNotice = { version: "1.0", language: "en" }

export const fieldSets = [["email"], ["email", "country"], ["display_name"], ["kyc_status", "phone_verified"]].map(
  (names) => names.map((name) => IdentityField.make(name))
)
