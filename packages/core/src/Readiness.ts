import { Context, Duration, Effect, Metric, Schema } from "effect"

/** The storage does not respond, or cannot serve this release, for example because it lacks tables. */
export class NotReady extends Schema.TaggedError<NotReady>("@surety/core/Readiness/NotReady")("NotReady", {
  detail: Schema.String
}) {
  override get message(): string {
    return this.detail
  }
}

/** Checks that the storage responds and can serve this release. */
export class Readiness extends Context.Service<
  Readiness,
  {
    readonly check: Effect.Effect<void, NotReady>
  }
>()("@surety/core/Readiness") {}

/** A storage cell that is down. */
export interface Impairment {
  /** The cell's name in the settings. */
  readonly cell: string
}

/** Storage cells that were down when last checked. Always empty if the storage has no cells. */
export const Impairments: Context.Reference<Effect.Effect<ReadonlyArray<Impairment>>> = Context.Reference<
  Effect.Effect<ReadonlyArray<Impairment>>
>("@surety/core/Readiness/Impairments", { defaultValue: () => Effect.succeed([]) })

const ready = Metric.gauge("ready", {
  description: "1 if this process can serve requests: its database responds and has this release's tables; else 0."
})

/**
 * Time limit for a check. Longer than the 4-second timeout of PostgreSQL's check, after which a busy pool may count as
 * ready. Shorter than a scraper's usual limit, so that the scrape still succeeds.
 */
export const checkPatience = Duration.seconds(5)

/**
 * Sets the `ready` gauge: 1 if the check succeeds within `checkPatience`, otherwise 0. Run it whenever metrics are
 * read. Never fails.
 */
export const refresh: Effect.Effect<void, never, Readiness> = Effect.gen(function* () {
  const { check } = yield* Readiness
  const value = yield* check.pipe(
    Effect.timeout(checkPatience),
    Effect.match({ onFailure: () => 0, onSuccess: () => 1 })
  )
  yield* Metric.update(ready, value)
})
