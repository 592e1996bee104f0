import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { type Answered, type Merchant, merchantWithConsumer } from "../support/Merchant.js"
import {
  all,
  asking,
  listed,
  paid,
  type Request,
  refunding,
  request,
  requestOrLose,
  tally,
  verifying
} from "../support/Requests.js"
import { audit, layer, ServerPair, sound } from "../support/ServerPair.js"
import { type ServerProcess, serverProcess } from "../support/ServerProcess.js"

const timeoutMillis = 300_000
const keysOfEach = 30
const clients = 12

const work = (merchant: Merchant, transactionId: string, name: string): ReadonlyArray<Request> =>
  Array.from({ length: keysOfEach }, (_, index) => [
    refunding(merchant, transactionId, `${name}-${index}`, 1),
    verifying(merchant, `${name}-${index}`),
    asking(merchant, `${name}-${index}`)
  ]).flat()

const load = (server: ServerProcess, requests: ReadonlyArray<Request>, answered: Array<Answered>) =>
  Effect.forEach(
    requests,
    (sent) =>
      Effect.tap(requestOrLose(server, sent), (answer) =>
        Effect.sync(() => {
          if (answer !== undefined) answered.push(answer)
        })
      ),
    { concurrency: clients }
  )

const untilAnswered = (answered: ReadonlyArray<Answered>, count: number): Effect.Effect<void> =>
  Effect.suspend(() =>
    answered.length >= count ? Effect.void : Effect.andThen(Effect.sleep("5 millis"), untilAnswered(answered, count))
  )

/** Responses that call for a retry: the key is still in use or, on a busy machine, the database timed out. */
const passing = [
  [409, "idempotency_in_progress"],
  [503, "service_unavailable"]
]

/** Retries like a merchant, waiting for the seconds in `Retry-After`, until a response lacks that header. */
const persist = Effect.fnUntraced(function* (server: ServerProcess, sent: Request) {
  for (;;) {
    const answer = yield* request(server, sent)
    const seconds = answer.headers.get("retry-after")
    if (seconds === null) return answer
    assert.deepInclude(passing, [answer.status, answer.body.code])
    yield* Effect.sleep(`${Number(seconds)} seconds`)
  }
})

const paths = ["/v1/refunds", "/v1/kyc/verifications", "/v1/data-requests"]

it.layer(layer, { timeout: timeoutMillis, excludeTestServices: true })("A server that ends under load", (it) => {
  it.effect(
    "by SIGKILL: its successor answers every key as it did, and does nothing twice",
    () =>
      Effect.gen(function* () {
        const { environment, second } = yield* ServerPair
        const victim = yield* serverProcess(environment)
        const merchant = yield* merchantWithConsumer(victim)
        const requests = work(merchant, yield* paid(victim, merchant, 1000), "killed")
        const answered: Array<Answered> = []
        const loading = yield* Effect.forkChild(load(victim, requests, answered))
        yield* untilAnswered(answered, requests.length / 3)
        yield* Effect.promise(() => victim.stop("SIGKILL"))
        const before = yield* Fiber.join(loading)
        assert.isAtLeast(tally(before).lost ?? 0, 1)

        const successor = yield* serverProcess(environment)
        const after = yield* all(requests.map((sent, index) => persist(index % 2 === 0 ? successor : second, sent)))
        assert.deepStrictEqual(tally(after), { 201: requests.length })
        for (const [index, answer] of before.entries()) {
          if (answer !== undefined) assert.strictEqual(after[index]?.text, answer.text)
        }
        for (const path of paths) assert.lengthOf(yield* listed(second, merchant, path), keysOfEach, path)
        const transactionId = after[0]?.body.transactionId
        const over = yield* request(second, refunding(merchant, transactionId, "over", 1000))
        assert.deepInclude(over.body, { refunded: keysOfEach, refundable: 1000 - keysOfEach })
        assert.deepStrictEqual(yield* audit(environment), sound)
      }),
    timeoutMillis
  )

  it.effect(
    "by SIGTERM: it answers all that it has taken, and exits with 0",
    () =>
      Effect.gen(function* () {
        const { environment, second } = yield* ServerPair
        const leaving = yield* serverProcess(environment)
        const merchant = yield* merchantWithConsumer(leaving)
        const requests = work(merchant, yield* paid(leaving, merchant, 1000), "left")
        const answered: Array<Answered> = []
        const loading = yield* Effect.forkChild(load(leaving, requests, answered))
        yield* untilAnswered(answered, requests.length / 3)
        const code = yield* Effect.promise(() => leaving.stop())
        const before = yield* Fiber.join(loading)
        assert.strictEqual(code, 0, leaving.stderr())
        const { 201: made, lost, ...others } = tally(before)
        assert.deepStrictEqual([others, (made ?? 0) + (lost ?? 0)], [{}, requests.length])
        // A request without a response must not have been accepted, so it must have no record.
        const counts = yield* Effect.forEach(paths, (path) => listed(second, merchant, path))
        assert.strictEqual(counts.flat().length, made)
        assert.deepStrictEqual(yield* audit(environment), sound)
      }),
    timeoutMillis
  )
})
