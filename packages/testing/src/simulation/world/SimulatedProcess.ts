import { Clock, Context, Effect, type Exit, Layer, Random, References, Scheduler } from "effect"
import { Draw } from "./Draw.js"
import { SimulatedClock } from "./SimulatedClock.js"
import type { World } from "./World.js"

/**
 * The client's call or the process on whose behalf a fiber runs. Its label and its call count per operation give each
 * call to a port a stable name.
 */
export interface Actor {
  readonly label: string
  readonly calls: Map<string, number>
}

export const actorOf = (label: string): Actor => ({ label, calls: new Map() })

export const Actor = Context.Reference<Actor>("@surety/testing/simulation/world/SimulatedProcess/Actor", {
  defaultValue: () => actorOf("no one")
})

/** Task limit, higher than any step needs. A process that exceeds it counts as spinning. */
const mostTasks = 100_000

/**
 * A server process with its own clock, memory and fibers. The seed determines the order of the fibers. The process
 * loses its memory when it dies. No task of a dead process runs, not even a finalizer.
 */
export class SimulatedProcess<Services> {
  readonly name: string
  isAlive = true
  readonly #world: World
  readonly #draw: Draw
  readonly #tasks: Array<() => void> = []
  readonly #references: Context.Context<never>
  readonly #onDeath = new Set<() => void>()
  #services: Context.Context<Services> | undefined

  constructor(world: World, name: string, skewMillis: number) {
    this.name = name
    this.#world = world
    this.#draw = new Draw(world.seed, `order ${name}`)
    const random = new Draw(world.seed, `random ${name}`)
    const scheduler: Scheduler.Scheduler = {
      executionMode: "sync",
      shouldYield: ({ currentOpCount }) => currentOpCount >= 2048,
      makeDispatcher: () => ({
        scheduleTask: (task) => {
          if (this.isAlive) this.#tasks.push(task)
        },
        flush: () => {}
      })
    }
    this.#references = Context.empty().pipe(
      Context.add(Scheduler.Scheduler, scheduler),
      Context.add(Clock.Clock, new SimulatedClock(world.agenda, skewMillis, () => this.isAlive)),
      Context.add(Random.Random, {
        nextIntUnsafe: () => random.next(),
        nextDoubleUnsafe: () => random.next() / 2 ** 32
      }),
      Context.add(References.TracerEnabled, false),
      Context.add(References.MinimumLogLevel, "None"),
      Context.add(References.UnhandledLogLevel, undefined),
      Context.add(Actor, actorOf(name))
    )
  }

  /** Builds the services and keeps their background work running. Violates `no_defects` if the build fails. */
  boot(layer: Layer.Layer<Services>): void {
    const life = Effect.scoped(
      Effect.flatMap(Layer.build(layer), (services) => {
        this.#services = services
        return Effect.never
      })
    )
    const fiber = Effect.runForkWith(this.#references)(life)
    fiber.addObserver((exit) => this.#world.violate("no_defects", `${this.name} did not start: ${String(exit)}`))
  }

  /**
   * Runs a client's call. If the process dies first or is not up, calls `onDeath` instead of `onExit`. Returns a
   * function that interrupts the call.
   */
  run<A, E>(
    effect: Effect.Effect<A, E, Services>,
    actor: Actor,
    onExit: (exit: Exit.Exit<A, E>) => void,
    onDeath: () => void
  ): () => void {
    if (this.#services === undefined || !this.isAlive) {
      onDeath()
      return () => {}
    }
    const context = Context.add(Context.merge(this.#services, this.#references), Actor, actor)
    this.#onDeath.add(onDeath)
    const fiber = Effect.runForkWith(context)(effect)
    fiber.addObserver((exit) => {
      if (!this.#onDeath.delete(onDeath)) return
      onExit(exit)
    })
    return () => fiber.interruptUnsafe()
  }

  /** Runs every runnable fiber, in an order determined by the seed. */
  drain(): void {
    for (let count = 0; this.#tasks.length > 0 && this.isAlive; count += 1) {
      if (count > mostTasks) {
        this.#world.violate("no_defects", `${this.name} spins`)
        return
      }
      const index = this.#tasks.length === 1 ? 0 : this.#draw.below(this.#tasks.length)
      const [task] = this.#tasks.splice(index, 1)
      task?.()
    }
  }

  kill(): void {
    this.isAlive = false
    this.#tasks.length = 0
    const losses = [...this.#onDeath]
    this.#onDeath.clear()
    for (const lose of losses) lose()
  }
}
