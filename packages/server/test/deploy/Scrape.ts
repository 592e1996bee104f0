import { recordCell, recordMoves } from "@surety/cells/CellHealth"
import { CellName } from "@surety/cells/Cells"
import { countedRequests } from "@surety/core/consent/request/DataRequest"
import { disownedRequests } from "@surety/core/consent/request/DataRequests"
import type { Environment } from "@surety/core/Environment"
import { oldestRequestAge, pendingRequests } from "@surety/core/host/HostRequestGauges"
import { endedRequests } from "@surety/core/host/HostRequests"
import * as KycMetrics from "@surety/core/kyc/KycMetrics"
import { countRefused } from "@surety/core/limit/RefusedRequests"
import { waiting } from "@surety/core/refund/HostRefunds"
import { droppedEntries } from "@surety/core/request/Requests"
import { monthsAhead } from "@surety/core/retention/Partitions"
import { recordsTaken } from "@surety/core/retention/Retention"
import { turnedAway } from "@surety/http/access/RequestsAtOnce"
import { recordUnsafe } from "@surety/http/RequestMetrics"
import * as PgClock from "@surety/postgres/PgClock"
import * as WebhookMetrics from "@surety/webhooks/delivery/WebhookMetrics"
import * as HookMetrics from "@surety/webhooks/hook/HookMetrics"
import * as PlatformMetrics from "@surety/webhooks/platform/PlatformMetrics"
import { type Context, Duration, Effect, Metric } from "effect"

const environment: Environment = "LIVE"

/** Updates every metric that `GET /metrics` omits until its first update. */
export const touchMetrics: Effect.Effect<void> = Effect.all(
  [
    Effect.contextWith((context: Context.Context<never>) =>
      Effect.sync(() => recordUnsafe(context, { method: "GET", route: undefined, status: 404, tookNanos: 1_000_000n }))
    ),
    Metric.update(Metric.withAttributes(disownedRequests, { environment }), 1),
    countRefused("refunds"),
    Metric.update(PgClock.skewSeconds, 0.1),
    Metric.update(Metric.withAttributes(countedRequests, { environment, outcome: "approved" }), 1),
    Metric.update(Metric.withAttributes(KycMetrics.verifications, { environment, status: "VERIFIED" }), 1),
    KycMetrics.recordCall("fake", "submit", Duration.seconds(1)),
    KycMetrics.recordBreaker("fake", true),
    WebhookMetrics.countAttempt(environment, "delivered"),
    WebhookMetrics.countAlert(environment, "disabled"),
    Metric.update(Metric.withAttributes(WebhookMetrics.attemptSeconds, { environment }), 0.2),
    Metric.update(Metric.withAttributes(WebhookMetrics.attemptLagSeconds, { environment }), 0.1),
    HookMetrics.recordCall("wallet", false),
    Metric.update(waiting, 1),
    Metric.update(turnedAway, 1),
    Metric.update(droppedEntries, 1),
    Metric.update(pendingRequests, 1),
    Metric.update(oldestRequestAge, 60),
    Metric.update(Metric.withAttributes(endedRequests, { status: "DONE" }), 1),
    Metric.update(Metric.withAttributes(recordsTaken, { kind: "codes" }), 1),
    Metric.update(monthsAhead, 3),
    recordCell(CellName.make("east"), true),
    recordMoves({ count: 1, oldestAge: Duration.seconds(60) }),
    Metric.update(Metric.withAttributes(WebhookMetrics.inFlight, { lane: "steady" }), 1),
    PlatformMetrics.countDelivered
  ],
  { discard: true }
)

/** Maps each metric name in a `GET /metrics` response to its label names. */
export const seriesOf = (text: string): ReadonlyMap<string, ReadonlySet<string>> => {
  const series = new Map<string, Set<string>>()
  for (const [, name = "", labels = ""] of text.matchAll(/^([a-z_]+)(?:\{([^}]*)\})? \S+$/gm)) {
    const known = series.get(name) ?? new Set<string>()
    for (const [, label = ""] of labels.matchAll(/(\w+)="/g)) known.add(label)
    series.set(name, known)
  }
  return series
}
