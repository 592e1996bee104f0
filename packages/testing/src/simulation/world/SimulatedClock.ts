import { type Clock, Duration, Effect } from "effect"
import type { Agenda } from "./Agenda.js"

/** The agenda's time on a machine whose clock is off by `skewMillis`. `sleep` never wakes a fiber of a dead process. */
export class SimulatedClock implements Clock.Clock {
  readonly #agenda: Agenda
  readonly #skewMillis: number
  readonly #isAlive: () => boolean

  constructor(agenda: Agenda, skewMillis: number, isAlive: () => boolean) {
    this.#agenda = agenda
    this.#skewMillis = skewMillis
    this.#isAlive = isAlive
  }

  currentTimeMillisUnsafe(): number {
    return this.#agenda.nowMillis + this.#skewMillis
  }
  readonly currentTimeMillis = Effect.sync(() => this.currentTimeMillisUnsafe())
  currentTimeNanosUnsafe(): bigint {
    return BigInt(this.currentTimeMillisUnsafe()) * 1_000_000n
  }
  readonly currentTimeNanos = Effect.sync(() => this.currentTimeNanosUnsafe())
  monotonicTimeNanosUnsafe(): bigint {
    return this.currentTimeNanosUnsafe()
  }
  readonly monotonicTimeNanos = this.currentTimeNanos

  sleep(duration: Duration.Duration): Effect.Effect<void> {
    const millis = Duration.toMillis(duration)
    if (millis <= 0) return Effect.yieldNow
    if (!Number.isFinite(millis)) return Effect.never
    return Effect.callback((resume) => {
      const cancel = this.#agenda.after(millis, 0, () => {
        if (this.#isAlive()) resume(Effect.void)
      })
      return Effect.sync(cancel)
    })
  }
}
