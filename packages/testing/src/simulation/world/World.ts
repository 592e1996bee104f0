import * as MemoryState from "@surety/core/memory/MemoryState"
import type { ErasurePlan } from "@surety/core/person/decideErasure"
import { Clock, Context, DateTime, Effect, type Exit, References, Scheduler } from "effect"
import type { Invariant } from "../invariants/Invariant.js"
import type { Subject } from "../Repertoire.js"
import { Agenda } from "./Agenda.js"
import { Draw } from "./Draw.js"
import type { Fate, FaultRates } from "./Fates.js"
import { SimulatedClock } from "./SimulatedClock.js"

/** The first invariant that a story violated, with a description of the violation. */
export interface Violation {
  readonly invariant: Invariant
  readonly detail: string
}

export interface WorldOptions {
  readonly seed: number
  /** Labels of acts and clients' calls to omit, and of other calls to run without faults. */
  readonly calm: ReadonlySet<string>
  /** True if the story is logged. */
  readonly records: boolean
  /** The story's main subject. If undefined, the seed decides. */
  readonly about?: Subject | undefined
  /** The fate of the first call to each operation. If undefined, the seed decides. */
  readonly fate?: Fate | undefined
}

/** Early enough that even a story that spans years ends before the current time of a database's clock. */
const startMillis = Date.UTC(2000, 0, 1)

/** State shared by all parts of one simulation, such as its processes, host and people. */
export class World {
  readonly seed: number
  readonly state: MemoryState.MemoryState["Service"] = MemoryState.make()
  readonly agenda = new Agenda(startMillis)
  readonly coverage = new Map<string, number>()
  readonly lines: Array<string> = []
  /** Every operation of every port that a process may call. */
  readonly verbs = new Set<string>()
  /** Labels of clients' calls that differ from the act's own label, as when an act makes several calls. */
  readonly copies = new Set<string>()
  /**
   * Labels of calls with any fate other than `answered`. Also labels of posts to receivers or the platform that were
   * refused, unanswered or mishandled in transit.
   */
  readonly mishaps = new Set<string>()
  /** Labels of clients' calls and names of processes that got no valid response to an operation that took effect. */
  readonly lostAnswers = new Set<string>()
  /** True once the story's cast exists and its acts begin. */
  hasBegun = false
  violation: Violation | undefined
  steps = 0
  /** Number of clients that await a response or will retry. */
  waiting = 0
  /** Fault rates of calls. Undefined before the story begins and after its faults stop. */
  rates: FaultRates | undefined
  /**
   * Plan of the erasure in progress in `PersonStore.erase`, or undefined if none is. An erasure deletes some of the
   * person's records and pseudonymises others.
   */
  erasing: ErasurePlan | undefined
  readonly #options: WorldOptions
  readonly #storeContext: Context.Context<never>
  readonly #names = new Map<string, string>()
  readonly #counts = new Map<string, number>()
  readonly #afterStep: Array<() => void> = []
  readonly #awaited = new Set<Promise<void>>()
  readonly #atRest: Array<() => void> = []
  /** Operations for which `trialOf` has already returned the fate. */
  readonly #tried = new Set<string>()

  constructor(options: WorldOptions) {
    this.seed = options.seed
    this.#options = options
    const pauses = this.draw("stores")
    const scheduler: Scheduler.Scheduler = {
      executionMode: "sync",
      shouldYield: () => false,
      makeDispatcher: () => ({
        scheduleTask: (task) => {
          this.agenda.after(pauses.below(5), 0, task)
        },
        flush: () => {}
      })
    }
    this.#storeContext = Context.make(Scheduler.Scheduler, scheduler).pipe(
      Context.add(Clock.Clock, new SimulatedClock(this.agenda, 0, () => true)),
      Context.add(References.TracerEnabled, false),
      Context.add(References.MinimumLogLevel, "None"),
      Context.add(References.UnhandledLogLevel, undefined)
    )
  }

  readonly startedAt = DateTime.makeUnsafe(startMillis)

  get about(): Subject | undefined {
    return this.#options.about
  }

  get nowMillis(): number {
    return this.agenda.nowMillis
  }

  /** True if the `fate` option decides the fate of the first call to each operation. */
  get isTrial(): boolean {
    return this.#options.fate !== undefined
  }

  /** Returns the `fate` option for the first call to an operation, and `undefined` for later calls. */
  trialOf(operation: string): Fate | undefined {
    const { fate } = this.#options
    if (fate === undefined || this.#tried.has(operation)) return undefined
    this.#tried.add(operation)
    return fate
  }

  draw(label: string): Draw {
    return new Draw(this.seed, label)
  }

  isCalm(label: string): boolean {
    return this.#options.calm.has(label)
  }

  /** Records the first violation. Ignores all later ones, which may be its consequences. */
  violate(invariant: Invariant, detail: string): void {
    this.violation ??= { invariant, detail }
  }

  require(holds: boolean, invariant: Invariant, detail: () => string): void {
    if (!holds) this.violate(invariant, detail())
  }

  reach(what: string): void {
    this.coverage.set(what, (this.coverage.get(what) ?? 0) + 1)
  }

  afterStep(check: () => void): void {
    this.#afterStep.push(check)
  }

  /** Registers a check that runs once faults have stopped and all open work has had time to finish. */
  atRest(check: () => void): void {
    this.#atRest.push(check)
  }

  checkStep(): void {
    for (const check of this.#afterStep) check()
  }

  checkRest(): void {
    for (const check of this.#atRest) check()
  }

  tell(line: () => string): void {
    if (!this.#options.records) return
    this.lines.push(`${clock(this.nowMillis - startMillis)}  ${line()}`)
  }

  /** Runs an operation of a store or a host. It completes in one step unless it yields to other operations. */
  runStore(act: Effect.Effect<unknown, unknown>, then: (exit: Exit.Exit<unknown, unknown>) => void): void {
    Effect.runForkWith(this.#storeContext)(act).addObserver(then)
  }

  /** Pauses the story until the promise settles. */
  awaits(promise: Promise<void>): void {
    const waited = promise.finally(() => this.#awaited.delete(waited))
    this.#awaited.add(waited)
  }

  get awaited(): ReadonlySet<Promise<void>> {
    return this.#awaited
  }

  /** Returns a short name for a record's id, such as `refund 2` for the second refund that was named. */
  nameOf(id: string): string {
    const known = this.#names.get(id)
    if (known !== undefined) return known
    const kind = id.split("_")[0] ?? id
    const count = (this.#counts.get(kind) ?? 0) + 1
    this.#counts.set(kind, count)
    const name = `${kind} ${count}`
    this.#names.set(id, name)
    return name
  }

  /** Sets the name that `nameOf` returns for an id. */
  call(id: string, name: string): void {
    this.#names.set(id, name)
  }
}

/** Formats the time since the story began: `3d 04:05:06.007`. */
const clock = (millis: number): string => {
  const days = Math.floor(millis / 86_400_000)
  const time = new Date(millis).toISOString().slice(11, 23)
  return days > 0 ? `${days}d ${time}` : time
}
