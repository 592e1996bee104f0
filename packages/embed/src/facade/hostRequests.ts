import { HostRequestKey, HostRequestKind, HostRequestNotFound } from "@surety/core/host/HostRequest"
import { payloadFault, plainPayload } from "@surety/core/host/HostRequestPayload"
import { HostRequestStore } from "@surety/core/host/HostRequestStore"
import { identifierText, issueOf } from "@surety/core/input/Text"
import { DateTime, Duration, Effect, Option, Predicate, Schema } from "effect"
import { call, type Run } from "../Call.js"
import { plainHostRequest } from "../record/HostRequests.js"

const find = Effect.fnUntraced(function* (key: HostRequestKey) {
  const store = yield* HostRequestStore
  const found = yield* store.find(key)
  return Option.isSome(found) ? found.value : yield* new HostRequestNotFound({ key })
})

/** Converts the payload to plain JSON before the check, so that exactly the checked value is queued. */
const withPlainPayload = (given: unknown): unknown =>
  Predicate.hasProperty(given, "payload")
    ? { ...given, payload: Option.getOrElse(plainPayload(given.payload), () => given.payload) }
    : given

const Payload = Schema.Record(Schema.String, Schema.Unknown).check(
  Schema.makeFilter((payload) => {
    const fault = payloadFault(payload)
    return fault && issueOf(fault)
  })
)

const longestWait = 300

const seconds = Schema.Int.check(
  Schema.makeFilter((value: number) => value >= 0 && value <= longestWait, {
    expected: `a whole number from 0 to ${longestWait}`,
    code: "out_of_range"
  })
)

const lookEvery = Duration.millis(100)

/** Calls that the host queues for the workers. A call queued in a host's transaction is performed after its commit. */
export const hostRequests = (run: Run) => ({
  /**
   * Queues a call. Equivalent to inserting a row into `surety.requests`. `payload` is the input of the call named by
   * `kind`, with at most 65,536 bytes of JSON and 32 levels of nesting. Bigints in it are stored as decimal strings. A
   * field that is `undefined` is rejected, as in a direct call. Returns the queued request. Queueing the same request again is a no-op. Fails with `HostRequestKeyReused` if the
   * key belongs to a different request, or to one about a person who has since been erased. Requests in one `queue` are
   * performed in order, one at a time. A request without a `queue` does not wait for others.
   *
   * @example
   * await surety.hostRequests.enqueue({
   *   key: `return-${order.id}`,
   *   kind: "refunds.create",
   *   payload: { ...scope, transactionId: order.id }
   * })
   */
  enqueue: call(
    run,
    Schema.Struct({
      key: HostRequestKey,
      kind: HostRequestKind,
      payload: Payload,
      queue: Schema.optionalKey(identifierText(200))
    }),
    ({ key, kind, payload, queue }) =>
      Effect.flatMap(HostRequestStore, (store) =>
        Effect.map(store.enqueue({ key, kind, payload, queue }), plainHostRequest)
      ),
    withPlainPayload
  ),

  /**
   * Returns a request's current state: `PENDING`, `DONE` with its `result`, or `FAILED` with its `error`. Ended
   * requests are kept for 30 days.
   */
  get: call(run, Schema.Struct({ key: HostRequestKey }), ({ key }) => Effect.map(find(key), plainHostRequest)),

  /**
   * Returns the request once it has ended, or its state after `timeoutSeconds` (0 to 300, default 30). Requires running
   * workers.
   */
  wait: call(
    run,
    Schema.Struct({ key: HostRequestKey, timeoutSeconds: Schema.optionalKey(seconds) }),
    ({ key, timeoutSeconds = 30 }) =>
      Effect.gen(function* () {
        const giveUpAt = DateTime.addDuration(yield* DateTime.now, Duration.seconds(timeoutSeconds))
        while (true) {
          const found = yield* find(key)
          if (found.status !== "PENDING" || DateTime.isGreaterThanOrEqualTo(yield* DateTime.now, giveUpAt)) {
            return plainHostRequest(found)
          }
          yield* Effect.sleep(lookEvery)
        }
      })
  )
})
