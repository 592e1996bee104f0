import { HostRequestStore } from "@surety/core/host/HostRequestStore"
import type { Proposal } from "@surety/core/operator/approval/Proposal"
import { type CarriedOut, type ProposalDecision, ProposalStore } from "@surety/core/operator/approval/ProposalStore"
import { OperatorActionStore } from "@surety/core/operator/OperatorActionStore"
import type { StorePorts } from "@surety/core/StorePorts"
import { Context, Effect, Exit, Option, Predicate, Scheduler } from "effect"
import { answerText, difference } from "./answers.js"
import type { World } from "./World.js"

/**
 * True for a fiber inside an operation of the other stores, the ones compared with the story's stores. Its further
 * operations on the other stores join the same commit.
 */
const IsInside = Context.Reference<boolean>("@surety/testing/simulation/world/Beside/IsInside", {
  defaultValue: () => false
})

/**
 * Builds an effect that runs `act` on the other stores. The story pauses until `act` ends, since it may wait for a
 * database. `act` sees the story's clock, but its fibers run on Effect's default scheduler. Inside an operation of the
 * other stores, `act` runs directly, in the same commit.
 */
const reached = <A, E, R>(world: World, act: Effect.Effect<A, E, R>): Effect.Effect<Exit.Exit<A, E>, never, R> =>
  Effect.contextWith((context: Context.Context<R>) =>
    Context.get(context, IsInside)
      ? Effect.exit(act)
      : Effect.callback((resume) => {
          const there = Context.add(Context.omit(Scheduler.Scheduler)(context), IsInside, true)
          const { promise, resolve } = Promise.withResolvers<void>()
          world.awaits(promise)
          Effect.runForkWith(there)(act).addObserver((exit) => {
            resume(Effect.succeed(exit))
            resolve()
          })
        })
  )

type Verb = (...given: ReadonlyArray<unknown>) => Effect.Effect<unknown, unknown>

/** Runs operations on both the story's stores and the other stores, and compares the results. */
class Pair {
  readonly #world: World
  /** Maps cursors, event sequences and delivery ids of the story's stores to those of the other stores. */
  readonly #others = new Map<string, string>()

  constructor(world: World) {
    this.#world = world
  }

  /** Violates `stores_agree` if the two results differ. */
  compare(operation: string, here: Exit.Exit<unknown, unknown>, there: Exit.Exit<unknown, unknown>): void {
    const found = difference(operation, here, there, (own, others) => this.#stands(own, others))
    if (found !== undefined) this.#world.violate("stores_agree", found)
  }

  /**
   * Records that the other stores generated `others` where the story's stores generated `own`. Returns false if `own`
   * is an id that already had a different counterpart. A cursor or a sequence may have several counterparts.
   */
  #stands(own: string, others: string): boolean {
    const known = this.#others.get(own)
    this.#others.set(own, others)
    return known === undefined || known === others || !own.includes("_")
  }

  /**
   * Translates an operation's arguments for the other stores, replacing the strings that the story's stores generated.
   */
  #translated(given: unknown): unknown {
    if (Predicate.isString(given)) return this.#others.get(given) ?? given
    if (Array.isArray(given)) return given.map((one) => this.#translated(one))
    if (!Predicate.isObject(given) || Object.getPrototypeOf(given) !== Object.prototype) return given
    return Object.fromEntries(Object.entries(given).map(([name, part]) => [name, this.#translated(part)]))
  }

  verb(operation: string, main: Verb, other: Verb): Verb {
    return (...given) =>
      Effect.gen({ self: this }, function* () {
        const here = yield* Effect.exit(main(...given))
        const there = yield* reached(this.#world, other(...given.map((one) => this.#translated(one))))
        this.compare(operation, here, there)
        return yield* here
      })
  }

  action(operation: string, main: Effect.Effect<unknown, unknown>, other: Effect.Effect<unknown, unknown>) {
    return this.verb(
      operation,
      () => main,
      () => other
    )()
  }

  /**
   * Runs a change inside a commit of the other stores, nested in the commit of the story's stores. The other stores
   * must run the change. Their commit must succeed if and only if the change does.
   */
  within<A, E, R, B, E2, R2>(
    operation: string,
    change: Effect.Effect<A, E, R>,
    other: (change: Effect.Effect<A, E, R>) => Effect.Effect<B, E2, R2>
  ): Effect.Effect<B, E2, R2> {
    return Effect.gen({ self: this }, function* () {
      let changed: Exit.Exit<A, E> | undefined
      const watched = Effect.onExit(change, (exit) =>
        Effect.sync(() => {
          changed = exit
        })
      )
      const exit = yield* reached(this.#world, other(watched))
      const isAsChanged = changed !== undefined && Exit.isSuccess(exit) === Exit.isSuccess(changed)
      this.#world.require(
        isAsChanged,
        "stores_agree",
        () => `${operation} commits, and beside it returns ${answerText(exit)}`
      )
      return yield* exit
    })
  }

  /** Handles a commit in which the story's stores ran no change. The other stores must not run one either. */
  none<B, E, R>(
    operation: string,
    other: (change: Effect.Effect<never>) => Effect.Effect<Option.Option<B>, E, R>
  ): Effect.Effect<void, never, R> {
    const never = Effect.die(new Error("the other stores run a change that the story's refuse"))
    return Effect.map(reached(this.#world, other(never)), (exit) =>
      this.compare(operation, Exit.succeed(Option.none()), exit)
    )
  }

  same(operation: string, here: unknown, there: unknown): void {
    this.compare(operation, Exit.succeed(here), Exit.succeed(there))
  }
}

const actionsBeside = (
  pair: Pair,
  main: OperatorActionStore["Service"],
  other: OperatorActionStore["Service"]
): Pick<OperatorActionStore["Service"], "commit" | "commitAlone"> => ({
  commit: (change, describe) =>
    main.commit(
      pair.within("OperatorActionStore.commit", change, (watched) => other.commit(watched, describe)),
      describe
    ),
  commitAlone: (of, change, describe) =>
    main.commitAlone(
      of,
      (movedMinor) =>
        pair.within("OperatorActionStore.commitAlone", change(movedMinor), (watched) =>
          other.commitAlone(
            of,
            (there) => {
              pair.same("OperatorActionStore.commitAlone", movedMinor, there)
              return watched
            },
            describe
          )
        ),
      describe
    )
})

const proposalsBeside = (
  pair: Pair,
  main: ProposalStore["Service"],
  other: ProposalStore["Service"]
): Pick<ProposalStore["Service"], "carryOut"> => ({
  carryOut: <A, E, R>(decision: ProposalDecision, change: (proposal: Proposal) => Effect.Effect<CarriedOut<A>, E, R>) =>
    Effect.gen(function* () {
      let there: Proposal | undefined
      const done = yield* main.carryOut(decision, (proposal) => {
        let made: CarriedOut<A> | undefined
        const kept = Effect.tap(change(proposal), (result) =>
          Effect.sync(() => {
            made = result
          })
        )
        const beside = pair.within("ProposalStore.carryOut", kept, (watched) =>
          other.carryOut(decision, (found) => {
            pair.same("ProposalStore.carryOut", proposal, found)
            return watched
          })
        )
        return Effect.flatMap(beside, (outcome) => {
          there = Option.getOrUndefined(outcome)?.proposal
          return made === undefined ? Effect.die(new Error("the other stores carry nothing out")) : Effect.succeed(made)
        })
      })
      if (Option.isSome(done)) pair.same("ProposalStore.carryOut", done.value.proposal, there)
      else yield* pair.none("ProposalStore.carryOut", (never) => other.carryOut(decision, () => never))
      return done
    })
})

const requestsBeside = (
  pair: Pair,
  main: HostRequestStore["Service"],
  other: HostRequestStore["Service"]
): Pick<HostRequestStore["Service"], "settle"> => ({
  settle: (leased, now, work) =>
    Effect.gen(function* () {
      const settled = yield* main.settle(
        leased,
        now,
        Effect.flatMap(
          pair.within("HostRequestStore.settle", work, (watched) => other.settle(leased, now, watched)),
          Option.match({
            onNone: () => Effect.die(new Error("the other stores settle nothing")),
            onSome: Effect.succeed
          })
        )
      )
      if (Option.isNone(settled)) {
        yield* pair.none("HostRequestStore.settle", (never) => other.settle(leased, now, never))
      }
      return settled
    })
})

/**
 * Operations whose results may legitimately differ between stores, each with the reason. They run only on the story's
 * stores.
 */
export const notBeside: ReadonlyMap<string, string> = new Map([
  ["RateLimitStore.lease", "it counts by the database's clock, not the story's"],
  ["RateLimitStore.forgetFull", "it counts by the database's clock, not the story's"],
  ["Ledger.auditNext", "each store audits in steps of its own"],
  ["Ledger.auditMerchant", "each store audits in steps of its own"],
  ["Ledger.balances", "accounts that one transfer opens have an order of each store's own"],
  ["EventLog.follow", "events of one commit have an order of each store's own"]
])

const isVerb = (value: unknown): value is Verb => Predicate.isFunction(value)
const isAction = (value: unknown): value is Effect.Effect<unknown, unknown> => Effect.isEffect(value)

const portBeside = <S extends object>(pair: Pair, port: string, main: S, other: object): S => {
  const verbOf = (name: string, here: unknown): unknown => {
    const there: unknown = Reflect.get(other, name)
    const operation = `${port}.${name}`
    if (notBeside.has(operation)) return here
    if (isAction(here) && isAction(there)) return pair.action(operation, here, there)
    return isVerb(here) && isVerb(there) ? pair.verb(operation, here, there) : here
  }
  return { ...main, ...Object.fromEntries(Object.entries(main).map(([name, here]) => [name, verbOf(name, here)])) }
}

/**
 * Builds ports that run each operation on the story's stores and then on the other stores. Operations in `notBeside`
 * run only on the story's stores. Different results violate `stores_agree`. The story continues with the result of its
 * own stores. A commit that runs other operations also fails if it fails on the other stores.
 */
export const beside = (
  world: World,
  main: Context.Context<StorePorts>,
  other: Context.Context<StorePorts>
): Context.Context<StorePorts> => {
  const pair = new Pair(world)
  const services: ReadonlyMap<string, object> = other.mapUnsafe
  const verbs = Context.makeUnsafe<StorePorts>(
    new Map(
      [...main.mapUnsafe].map(([key, service]): readonly [string, object] => {
        const port = key.slice(key.lastIndexOf("/") + 1)
        const there = services.get(key)
        return [key, there === undefined ? service : portBeside(pair, port, service, there)]
      })
    )
  )
  const both = <I extends StorePorts, S>(port: Context.Key<I, S>) =>
    [pair, Context.getUnsafe(main, port), Context.getUnsafe(other, port)] as const
  return verbs.pipe(
    Context.add(OperatorActionStore, {
      ...Context.get(verbs, OperatorActionStore),
      ...actionsBeside(...both(OperatorActionStore))
    }),
    Context.add(ProposalStore, { ...Context.get(verbs, ProposalStore), ...proposalsBeside(...both(ProposalStore)) }),
    Context.add(HostRequestStore, {
      ...Context.get(verbs, HostRequestStore),
      ...requestsBeside(...both(HostRequestStore))
    })
  )
}
