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

/** The times from which something needs attention. */
export const attentionAfter = {
  refundPending: Duration.minutes(1),
  verificationOpen: Duration.minutes(30),
  rightsRequestNear: Duration.days(7),
  disowned: Duration.days(1)
} as const

/** Counting stops here, and the page says "or more". */
export const countedTo = 100

/** How far back hours are counted: seven days, and today's hours. */
const countedBack = Duration.days(8)

/** How many hours a round counts. A new database is counted within a few rounds. */
const hoursAtOnce = 24

/** What the overview shows of an environment. */
export interface OverviewNumbers {
  readonly asOf: DateTime.Utc
  readonly attention: Attention
  /** The last check of the books; none before the first. */
  readonly lastAudit: Option.Option<AuditRun>
  /** Since the beginning of the eighth day back, the oldest hour first. */
  readonly hours: ReadonlyArray<HourCount>
  /** When the hours were counted last; undefined before the first time. */
  readonly countedAt: DateTime.Utc | undefined
}

/** An environment's numbers, for operators. */
export class Overview extends Context.Service<
  Overview,
  {
    readonly read: (environment: Environment) => Effect.Effect<OverviewNumbers, StoreError>

    /** Only what needs attention, for each page's menu. */
    readonly attention: (environment: Environment) => Effect.Effect<Attention, StoreError>

    /** Endpoints that fail or are disabled, the longest first: at most `countedTo`. */
    readonly troubledEndpoints: (environment: Environment) => Effect.Effect<ReadonlyArray<TroubledEndpoint>, StoreError>

    /** Verifications that have been open for long, the longest first: at most `countedTo`. */
    readonly stuckVerifications: (
      environment: Environment
    ) => Effect.Effect<ReadonlyArray<StuckVerification>, StoreError>

    /** Counts the hours that are due. Returns how many. */
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

/** Counts by the hour what the overview shows. */
export const worker = Worker.make(
  { name: "Counting of hours", every: Duration.minutes(1) },
  Effect.flatMap(Overview, ({ count }) => count)
)
