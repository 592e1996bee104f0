import { Context, DateTime, Duration, Effect, Layer, type Option } from "effect"
import type { Environment } from "../Environment.js"
import type { AuditRun } from "../ledger/AuditRun.js"
import { AuditRunStore } from "../ledger/AuditRunStore.js"
import type { StoreError } from "../StoreError.js"
import * as Worker from "../Worker.js"
import {
  type Attention,
  type HourCount,
  OverviewLog,
  type StuckVerification,
  type TroubledEndpoint
} from "./OverviewLog.js"

/**
 * Time limits for the counts in `Attention`. Refunds are counted once pending for longer than `refundPending`, and
 * verifications once open for longer than `verificationOpen`. Rights requests are near their deadline if due within
 * `rightsRequestNear`. Data requests denied as `NOT_ME` are counted if created within the last `disowned`.
 */
export const attentionAfter = {
  refundPending: Duration.minutes(1),
  verificationOpen: Duration.minutes(30),
  rightsRequestNear: Duration.days(7),
  disowned: Duration.days(1)
} as const

/**
 * Limit of each count in `Attention`, and of the lists of troubled endpoints and stuck verifications. The console's
 * overview shows a count at the limit as `100+`.
 */
export const countedTo = 100

/** How far back hours are counted. Covers today and the previous seven days. */
const countedBack = Duration.days(8)

/** Maximum number of hours per call of `count`. In a new database, about nine calls count all hours. */
const hoursAtOnce = 24

export interface OverviewNumbers {
  readonly asOf: DateTime.Utc
  readonly attention: Attention
  /** The audit run that ended most recently. `None` before the first. */
  readonly lastAudit: Option.Option<AuditRun>
  /** Hourly counts of the last eight days, oldest hour first. */
  readonly hours: ReadonlyArray<HourCount>
  /** Time of the latest count of hours. Undefined before the first count. */
  readonly countedAt: DateTime.Utc | undefined
}

/** Serves the console: its overview, its menu's counts, and its lists of troubled endpoints and stuck verifications. */
export class Overview extends Context.Service<
  Overview,
  {
    readonly read: (environment: Environment) => Effect.Effect<OverviewNumbers, StoreError>

    /** Returns only the counts of records that need attention, for the menu of each page. */
    readonly attention: (environment: Environment) => Effect.Effect<Attention, StoreError>

    /** Returns failing and disabled endpoints, longest in trouble first. At most `countedTo`. */
    readonly troubledEndpoints: (environment: Environment) => Effect.Effect<ReadonlyArray<TroubledEndpoint>, StoreError>

    /**
     * Returns verifications open for longer than `attentionAfter.verificationOpen`, oldest first. At most `countedTo`.
     */
    readonly stuckVerifications: (
      environment: Environment
    ) => Effect.Effect<ReadonlyArray<StuckVerification>, StoreError>

    /** Updates the counts of the hours that are due, at most 24 hours per call. Returns the number of hours counted. */
    readonly count: Effect.Effect<number, StoreError>
  }
>()("@surety/core/overview/Overview") {}

export const layer: Layer.Layer<Overview, never, OverviewLog | AuditRunStore> = Layer.effect(
  Overview,
  Effect.gen(function* () {
    const log = yield* OverviewLog
    const audits = yield* AuditRunStore

    const attention = Effect.fn("Overview.attention")(function* (environment: Environment) {
      const now = yield* DateTime.now
      return yield* log.attention(environment, {
        now,
        refundsBefore: DateTime.subtractDuration(now, attentionAfter.refundPending),
        verificationsBefore: DateTime.subtractDuration(now, attentionAfter.verificationOpen),
        dueBefore: DateTime.addDuration(now, attentionAfter.rightsRequestNear),
        disownedSince: DateTime.subtractDuration(now, attentionAfter.disowned),
        countTo: countedTo
      })
    })

    const read = Effect.fn("Overview.read")(function* (environment: Environment) {
      const asOf = yield* DateTime.now
      const numbers: OverviewNumbers = {
        asOf,
        attention: yield* attention(environment),
        lastAudit: yield* audits.last,
        hours: yield* log.hours({ environment, since: DateTime.subtractDuration(asOf, countedBack) }),
        countedAt: yield* log.countedAt
      }
      return numbers
    })

    const count = Effect.gen(function* () {
      const now = yield* DateTime.now
      return yield* log.countHours({ since: DateTime.subtractDuration(now, countedBack), now }, hoursAtOnce)
    }).pipe(Effect.withSpan("Overview.count"))

    const troubledEndpoints = (environment: Environment) => log.troubledEndpoints(environment, countedTo)

    const stuckVerifications = Effect.fn("Overview.stuckVerifications")(function* (environment: Environment) {
      const before = DateTime.subtractDuration(yield* DateTime.now, attentionAfter.verificationOpen)
      return yield* log.stuckVerifications(environment, before, countedTo)
    })

    return Overview.of({ read, attention, troubledEndpoints, stuckVerifications, count })
  })
)

export const worker = Worker.make(
  { name: "Hour counting", every: Duration.minutes(1) },
  Effect.flatMap(Overview, ({ count }) => count)
)
