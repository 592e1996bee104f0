import { StoreCorrupt, StoreError, StoreUnavailable } from "@surety/core/StoreError"
import { Context, Effect, Exit, Predicate, Scheduler } from "effect"
import type { Draw } from "./Draw.js"
import { type Fate, fateOf } from "./Fates.js"
import { Actor } from "./SimulatedProcess.js"
import type { World } from "./World.js"

/** The process that calls a port. It gets no response once it is dead. */
export interface Caller {
  readonly name: string
  readonly isAlive: boolean
  readonly kill: () => void
}

/** The failure modes of a kind of port. */
export interface Link {
  /** Factor for the fault rates, 1 for a store. */
  readonly frailty: number
  /** Longest time from a slow call's arrival to its response, in milliseconds. */
  readonly slowMillis: number
  /** Time after which a call without a response fails, in milliseconds. If undefined, only the caller can end it. */
  readonly givesUpAfterMillis: number | undefined
  readonly refused: (operation: string, draw: Draw) => Exit.Exit<unknown, unknown>
  readonly unanswered: (operation: string, draw: Draw) => Exit.Exit<unknown, unknown>
  readonly garbled: (operation: string, draw: Draw) => Exit.Exit<unknown, unknown>
  /** True if the connection may deliver a call of this operation twice. */
  readonly doubles: (operation: string) => boolean
}

const unavailable = (operation: string) =>
  Exit.fail(new StoreError({ operation, reason: new StoreUnavailable({ cause: new Error("simulated outage") }) }))

export const storeLink: Link = {
  frailty: 1,
  slowMillis: 40_000,
  givesUpAfterMillis: 30_000,
  refused: unavailable,
  unanswered: unavailable,
  garbled: (operation) =>
    Exit.fail(new StoreError({ operation, reason: new StoreCorrupt({ cause: new Error("simulated garbage") }) })),
  doubles: () => false
}

/** Descriptions of the faulty fates for the story's log. */
const outcomes: Readonly<Record<Exclude<Fate, "answered">, string>> = {
  refused: "fails before it acts",
  unanswered: "acts; its answer is lost",
  slow: "answers late",
  silent: "acts and never answers",
  unheard: "neither acts nor answers",
  garbled: "acts; its answer is garbage",
  dies_before: "is not reached: the process dies",
  dies_after: "acts as the process dies",
  twice: "is asked twice"
}

/**
 * Operations that run other operations in one commit. Such a commit counts as one call and takes effect atomically when
 * it arrives, or not at all. The tests of a database's adapter cover faults inside its commits.
 */
const commits: ReadonlySet<string> = new Set([
  "OperatorActionStore.commit",
  "OperatorActionStore.commitAlone",
  "ProposalStore.carryOut",
  "HostRequestStore.settle"
])

/**
 * True inside the commit of an operation in `commits`. Such a commit must not call a host, since the host's effects
 * could not be rolled back.
 */
export const InCommit = Context.Reference<boolean>("@surety/testing/simulation/world/Network/InCommit", {
  defaultValue: () => false
})

/**
 * Prepares a commit to run on the store's scheduler with its caller's context, such as clock and random numbers. Calls
 * inside the commit bypass the network, so they belong to the same step.
 */
const asOneCall = (act: Effect.Effect<unknown, unknown>): Effect.Effect<Effect.Effect<unknown, unknown>> =>
  Effect.map(Effect.context<never>(), (callers) =>
    Effect.updateContext(act, (stores: Context.Context<never>) =>
      Context.merge(stores, callers).pipe(
        Context.add(Scheduler.Scheduler, Context.get(stores, Scheduler.Scheduler)),
        Context.add(InCommit, true)
      )
    )
  )

/** Fates in which the operation takes effect but the caller does not learn of it. */
const losesAnswer: ReadonlySet<Fate> = new Set<Fate>(["unanswered", "silent", "garbled", "dies_after"])

/** Carries out one call: chooses its fate and delays, and schedules its effect and its response. */
const carry = (
  world: World,
  caller: Caller,
  link: Link,
  label: string,
  operation: string,
  act: Effect.Effect<unknown, unknown>
): Effect.Effect<unknown, unknown> =>
  Effect.callback((resume) => {
    // State shared with a store may still wake a dead process's fiber, whose calls must not be sent.
    if (!caller.isAlive) return
    const draw = world.draw(label)
    const isQuiet = world.rates === undefined || world.isCalm(label)
    // A calm call still counts as the first call to its operation. Making it calm therefore exempts the operation from
    // the trial.
    const trial = world.rates === undefined ? undefined : world.trialOf(operation)
    const drawn: Fate =
      world.rates === undefined || isQuiet ? "answered" : (trial ?? fateOf(draw, world.rates, link.frailty))
    const fate = drawn === "twice" && !link.doubles(operation) ? "answered" : drawn
    const there = isQuiet ? 1 : draw.between(0, 6)
    const back = isQuiet ? 1 : draw.between(0, 6)
    const tie = draw.next()
    const answer = (millis: number, exit: Exit.Exit<unknown, unknown>): void => {
      world.agenda.after(millis, tie, () => {
        if (caller.isAlive) resume(exit)
      })
    }
    const arrive = (then: (exit: Exit.Exit<unknown, unknown>) => void): void => {
      world.agenda.after(there, tie, () => world.runStore(act, then))
    }
    world.reach(world.hasBegun ? `call ${fate} ${operation}` : `call of the cast's ${operation}`)
    if (losesAnswer.has(fate)) world.lostAnswers.add(label.slice(0, label.indexOf("/")))
    if (fate !== "answered") {
      world.mishaps.add(label)
      world.tell(() => `${caller.name}: ${operation} ${outcomes[fate]}  (${label})`)
    }
    switch (fate) {
      case "answered":
        return arrive((exit) => answer(back, exit))
      case "twice": {
        const again = there + draw.between(0, 3_000)
        world.agenda.after(again, tie, () => world.runStore(act, () => {}))
        return arrive((exit) => answer(back, exit))
      }
      case "slow": {
        const late = draw.between(500, link.slowMillis)
        return arrive((exit) => answer(late, exit))
      }
      case "refused":
        return answer(there + back, link.refused(operation, draw))
      case "unanswered": {
        const exit = link.unanswered(operation, draw)
        return arrive(() => answer(back, exit))
      }
      case "garbled": {
        const exit = link.garbled(operation, draw)
        return arrive(() => answer(back, exit))
      }
      case "silent":
      case "unheard": {
        if (fate === "silent") arrive(() => {})
        if (link.givesUpAfterMillis !== undefined) answer(link.givesUpAfterMillis, link.unanswered(operation, draw))
        return
      }
      case "dies_before":
        world.agenda.after(0, tie, () => caller.kill())
        return
      case "dies_after":
        return arrive(() => caller.kill())
    }
  })

/**
 * Wraps a port so that a process reaches it over the simulated network. Calls may be delayed, arrive twice, fail or
 * hang before or after they take effect, or return garbage. An operation that does not yield is one step, like a
 * database commit. Calls inside a commit bypass the network.
 */
export const throughNetwork = <S extends object>(
  world: World,
  caller: Caller,
  link: Link,
  port: string,
  service: S
): S => {
  const carried = (verb: string, act: Effect.Effect<unknown, unknown>) =>
    Effect.gen(function* () {
      const operation = `${port}.${verb}`
      if (yield* InCommit) {
        world.reach(`call inside ${operation}`)
        return yield* act
      }
      const { calls, label } = yield* Actor
      const whole = commits.has(operation) ? yield* asOneCall(act) : act
      const count = (calls.get(operation) ?? 0) + 1
      calls.set(operation, count)
      return yield* carry(world, caller, link, `${label}/${operation}#${count}`, operation, whole)
    })
  for (const [verb, member] of Object.entries(service)) {
    if (Predicate.isFunction(member) || isAction(member)) world.verbs.add(`${port}.${verb}`)
  }
  return new Proxy(service, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name)
      const verb = String(name)
      if (isAction(member)) return carried(verb, member)
      if (!Predicate.isFunction(member)) return member
      return (...given: ReadonlyArray<unknown>): unknown => {
        const answer: unknown = Reflect.apply(member, target, given)
        return isAction(answer) ? carried(verb, answer) : answer
      }
    }
  })
}

const isAction = (value: unknown): value is Effect.Effect<unknown, unknown> => Effect.isEffect(value)

export const behindNetwork = <R>(
  world: World,
  caller: Caller,
  link: Link,
  context: Context.Context<R>
): Context.Context<R> =>
  Context.makeUnsafe(
    new Map(
      [...context.mapUnsafe].map(([key, service]) => [
        key,
        throughNetwork(world, caller, link, key.slice(key.lastIndexOf("/") + 1), service)
      ])
    )
  )
