import { Cause, DateTime, Duration, Effect, Exit, Metric, Option } from "effect"
import { type StoreError, skipDamaged } from "../StoreError.js"
import * as Worker from "../Worker.js"
import type { HostRequestError, HostRequestOutcome, HostRequestResult, LeasedHostRequest } from "./HostRequest.js"
import { HostRequestStore } from "./HostRequestStore.js"

/** Functions that the worker calls to perform a host's requests. */
export interface HostRequestHandler<R> {
  /**
   * Performs a request within the commit that stores its outcome. Must call only the stores, since the commit may fail.
   * If this fails with a `StoreError`, the request is retried.
   */
  readonly perform: (request: LeasedHostRequest) => Effect.Effect<HostRequestOutcome, StoreError, R>
  /**
   * Finishes the refund that `perform` began, outside a commit, by calling the host's wallet. Returns `Begun` if the
   * outcome is still unknown.
   */
  readonly finish: (begun: HostRequestResult) => Effect.Effect<HostRequestOutcome, StoreError, R>
}

/** Poll interval of workers. They must poll, since only the host knows when it has committed a request. */
export const lookEvery = Duration.millis(500)

/**
 * How long a request is leased, counted from its claim. Longer than one attempt can take, including its commits and a
 * lookup and a credit at the host's wallet. Includes the time spent waiting for other requests of the same claim.
 */
export const leaseTime = Duration.minutes(2)

/**
 * Number of attempts without an outcome after which a request fails. They span about 9 hours. A request whose refund
 * has begun is exempt.
 */
export const mostAttempts = 20

/** How long an ended request and its key are stored. */
export const keptFor = Duration.days(30)

/** How often ended requests are deleted. */
export const forgetEvery = Duration.minutes(10)

const claimedAtOnce = 20
const performedAtOnce = 4
const forgottenAtOnce = 1_000
const longestPause = Duration.hours(1)
const longestWait = Duration.minutes(10)
const shortestWait = Duration.seconds(5)

/** Counter of requests that the worker has ended. Its attribute `status` is `DONE` or `FAILED`. */
export const endedRequests = Metric.counter("host_requests_ended_total", {
  description: "The host's queued requests that have ended, by status",
  incremental: true
})

/**
 * Zero after the last attempt, so that the next claim fails the request. A request whose refund has begun has no last
 * attempt.
 */
const pauseAfter = ({ attempts, result }: LeasedHostRequest): Duration.Duration =>
  attempts >= mostAttempts && result === undefined
    ? Duration.zero
    : Duration.min(Duration.seconds(2 ** attempts), longestPause)

const gaveUp = (error: HostRequestError | undefined): HostRequestError => ({
  name: "GaveUp",
  message: `None of the ${mostAttempts} attempts had an outcome.${error === undefined ? "" : ` The last error: ${error.message}`}`
})

/** Describes the failure of an attempt, without the request's payload. */
const errorOf = (cause: Cause.Cause<StoreError>): HostRequestError => {
  const failure = Cause.findErrorOption(cause)
  return Option.isSome(failure)
    ? { name: failure.value._tag, message: failure.value.message }
    : { name: "Defect", message: "The call failed unexpectedly; the log has the cause." }
}

const isEnd = ({ _tag }: HostRequestOutcome): boolean => _tag === "Done" || _tag === "Failed"

/** Schedules the next lookup of a refund. */
const lookAgain = (request: LeasedHostRequest): Effect.Effect<HostRequestOutcome> =>
  Effect.map(DateTime.now, (now) => {
    const age = DateTime.distance(request.createdAt, now)
    const wait = Duration.clamp(Duration.millis(Duration.toMillis(age) / 2), {
      minimum: shortestWait,
      maximum: longestWait
    })
    return { _tag: "Again", at: DateTime.addDuration(now, wait), error: undefined, counts: false }
  })

const afterBreak = (request: LeasedHostRequest, error: HostRequestError): Effect.Effect<HostRequestOutcome> =>
  Effect.map(DateTime.now, (now) => ({
    _tag: "Again",
    at: DateTime.addDuration(now, pauseAfter(request)),
    error,
    counts: true
  }))

const attempt = Effect.fnUntraced(function* <R>(request: LeasedHostRequest, handler: HostRequestHandler<R>) {
  const store = yield* HostRequestStore
  const settle = (work: Effect.Effect<HostRequestOutcome, StoreError, R>) =>
    Effect.flatMap(DateTime.now, (now) => store.settle(request, now, work))

  // The limit is checked before the attempt, because a request that crashes its process never stores an outcome. A
  // request whose refund has begun is retried without limit, since the money may have been credited.
  if (request.attempts > mostAttempts && request.result === undefined) {
    const last = Option.flatMapNullishOr(yield* store.find(request.key), ({ error }) => error)
    return yield* settle(Effect.succeed({ _tag: "Failed", error: gaveUp(Option.getOrUndefined(last)) }))
  }
  let decided: HostRequestOutcome | undefined
  const performed = yield* Effect.exit(
    settle(
      Effect.tap(handler.perform(request), (outcome) =>
        Effect.sync(() => {
          decided = outcome
        })
      )
    )
  )
  if (Exit.isFailure(performed)) {
    // A refusal may follow a failed statement, after which PostgreSQL cannot commit. Storing it in a new commit loses
    // nothing, since a refusal has no other effect.
    const refusal = decided?._tag === "Failed" ? decided : undefined
    if (refusal !== undefined) return yield* settle(Effect.succeed(refusal))
    yield* Effect.logWarning("Host request failed unexpectedly; retrying", { kind: request.kind }, performed.cause)
    return yield* settle(afterBreak(request, errorOf(performed.cause)))
  }
  const outcome = Option.getOrUndefined(performed.value)
  if (outcome?._tag !== "Begun") return performed.value
  const finished = yield* Effect.exit(handler.finish(outcome.result))
  if (Exit.isFailure(finished)) {
    yield* Effect.logWarning("Host request is waiting for its refund", { kind: request.kind }, finished.cause)
  }
  const known = Exit.isSuccess(finished) && finished.value._tag !== "Begun" ? finished.value : undefined
  return yield* settle(known === undefined ? lookAgain(request) : Effect.succeed(known))
})

const count = (settled: Option.Option<HostRequestOutcome>): Effect.Effect<void> =>
  Option.isSome(settled) && isEnd(settled.value)
    ? Metric.update(
        Metric.withAttributes(endedRequests, { status: settled.value._tag === "Done" ? "DONE" : "FAILED" }),
        1
      )
    : Effect.void

/**
 * Builds the worker that performs a host's requests. A request's effect and outcome are stored in one commit under the
 * latest lease, so no request takes effect twice. A refund at the host's wallet is stored as pending in that commit,
 * and credited afterwards under its own id.
 */
export const worker = <R>(handler: HostRequestHandler<R>): Worker.Worker<R | HostRequestStore> =>
  Worker.make(
    { name: "Host request claim", every: lookEvery, afterFailure: Duration.seconds(5) },
    Effect.gen(function* () {
      const store = yield* HostRequestStore
      while (true) {
        const now = yield* DateTime.now
        const leasedUntil = DateTime.addDuration(now, leaseTime)
        const claimed = yield* store.claim({ now, leasedUntil, limit: claimedAtOnce })
        if (claimed.length === 0) return
        yield* Effect.forEach(
          claimed,
          (request) =>
            Effect.flatMap(
              skipDamaged(request.key, Option.none<HostRequestOutcome>())(attempt(request, handler)),
              count
            ),
          { concurrency: performedAtOnce, discard: true }
        )
      }
    })
  )

/** Deletes requests that ended more than `keptFor` ago. */
export const forgetWorker = Worker.make(
  { name: "Deletion of ended host requests", every: forgetEvery },
  Effect.gen(function* () {
    const store = yield* HostRequestStore
    const before = DateTime.subtractDuration(yield* DateTime.now, keptFor)
    while ((yield* store.forget(before, forgottenAtOnce)) >= forgottenAtOnce) yield* Effect.yieldNow
  })
)
