import { randomInt } from "node:crypto"
import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import { answerModel } from "@surety/testing/history/AnswerModel"
import { type ConsentInput, type ConsentOutput, consentModel } from "@surety/testing/history/ConsentModel"
import { type History, HistoryRecorder, type Model } from "@surety/testing/history/History"
import { linearizability } from "@surety/testing/history/Linearizability"
import { type RefundInput, type RefundOutput, refundModel } from "@surety/testing/history/RefundModel"
import { linesOfHistory, shrinkHistory } from "@surety/testing/history/shrinkHistory"
import * as DatabaseProxy from "@surety/testing/machine/DatabaseProxy"
import * as TestDatabase from "@surety/testing/machine/TestDatabase"
import * as TestPostgres from "@surety/testing/machine/TestPostgres"
import { Draw } from "@surety/testing/simulation/world/Draw"
import { Effect, Fiber, Redacted } from "effect"
import { connected } from "../support/connected.js"
import { created, merchantWithConsumer } from "../support/Merchant.js"
import * as MigratedDatabase from "../support/MigratedDatabase.js"
import { all, paid } from "../support/Requests.js"
import { audit, environmentOf, sound } from "../support/ServerPair.js"
import { type ServerProcess, serverProcess } from "../support/ServerProcess.js"
import {
  Clients,
  paidMinor,
  type SharedKey,
  type SharedPayment,
  type SharedPerson,
  sharedKey
} from "./history/Clients.js"

/**
 * Time in milliseconds during which faults are injected. The run takes longer if some fault has not been injected by
 * then. `npx pnpm histories` sets `HISTORIES_SECONDS` from `--minutes`.
 */
const faultyMillis = Number(process.env.HISTORIES_SECONDS ?? "6") * 1_000
const seed = Number(process.env.HISTORIES_SEED ?? randomInt(2 ** 31))
const timeoutMillis = faultyMillis + 300_000

/** Time after which the load moves on to new records. Checking a longer history of one record takes too long. */
const partMillis = 3_000
const clientsOfEach = 3
const nowMillis = () => performance.now()

/** Retries a failed effect every 200 ms indefinitely, since a node or the database may be restarting. */
const persistently = <A, R>(effect: Effect.Effect<A, never, R>): Effect.Effect<A, never, R> =>
  Effect.catchCause(effect, () => Effect.andThen(Effect.sleep("200 millis"), persistently(effect)))

/**
 * Three nodes on one durable PostgreSQL. The last node's database connections can be cut. `killNode` kills and restarts
 * a node. It retries the start indefinitely, since a node cannot start while the database recovers.
 */
const scene = Effect.gen(function* () {
  const server = yield* TestPostgres.start({ durable: true })
  const { url } = yield* TestDatabase.make(server.url)
  yield* Effect.provide(MigratedDatabase.prepare, PgClient.layer({ url, maxConnections: 2 }))
  const proxy = yield* DatabaseProxy.make(url)
  const environment = environmentOf(url)
  const cut = environmentOf(proxy.url)
  const first = yield* serverProcess(environment)
  const nodes: Array<ServerProcess> = [first, ...(yield* all([serverProcess(environment), serverProcess(cut)]))]
  const killNode = Effect.fnUntraced(function* (at: number) {
    yield* Effect.promise(async () => nodes[at]?.stop("SIGKILL"))
    nodes[at] = yield* persistently(serverProcess(at === 2 ? cut : environment))
  })
  return { server, proxy, environment, nodes, killNode }
})

/**
 * Crashes PostgreSQL by killing one of its backends. The server then ends all other backends, discards shared memory
 * and recovers from the WAL.
 */
const crashPostgres = (url: Redacted.Redacted) =>
  Effect.scoped(
    Effect.gen(function* () {
      const client = yield* connected(Redacted.value(url))
      client.on("error", () => {})
      const { rows } = yield* Effect.promise(() => client.query("select pg_backend_pid() as pid"))
      yield* Effect.sync(() => process.kill(rows[0].pid, "SIGKILL"))
    })
  )

/** Records that the clients share during one part of the run, about `partMillis` long. */
interface Part {
  readonly payments: ReadonlyArray<SharedPayment>
  readonly people: ReadonlyArray<SharedPerson>
  readonly keys: ReadonlyArray<SharedKey>
}

type Scene = Effect.Success<typeof scene>

const storyOf = <S, I, O>(what: string, model: Model<S, I, O>, history: History<I, O>): ReadonlyArray<string> => {
  const verdict = linearizability(model, history)
  if (verdict === "Linearizable") return []
  const lines =
    verdict === "Undecided" ? [`${history.length} operations`] : linesOfHistory(model, shrinkHistory(model, history))
  return [`${what} is ${verdict} (seed ${seed}):`, ...lines]
}

/** Describes the histories that are not linearizable, and those whose check was inconclusive. */
const storiesOf = (parts: ReadonlyArray<Part>): ReadonlyArray<string> =>
  parts.flatMap(({ keys, payments, people }) => [
    ...payments.flatMap(({ recorder, transactionId }) =>
      storyOf(transactionId, refundModel(paidMinor), recorder.history)
    ),
    ...people.flatMap(({ recorder, serviceId }) => storyOf(serviceId, consentModel, recorder.history)),
    ...keys.flatMap(({ recorder, request }) =>
      storyOf(request.headers?.["idempotency-key"] ?? request.path, answerModel, recorder.history)
    )
  ])

it.live(
  "every history of concurrent clients is linearizable, while nodes and PostgreSQL are killed and connections are cut",
  () =>
    Effect.gen(function* () {
      const { environment, killNode, nodes, proxy, server }: Scene = yield* scene
      const [first] = nodes
      assert.isDefined(first)
      const merchant = yield* merchantWithConsumer(first)
      const clients = new Clients(nodes, merchant, seed)
      const until = nowMillis() + faultyMillis
      const parts: Array<Part> = []
      let isCalm = false

      const newPart = Effect.fnUntraced(function* (number: number) {
        const node = nodes[number % 2] ?? first
        const payments = yield* all(
          [1, 2].map(() =>
            Effect.map(paid(node, merchant, paidMinor / 100), (transactionId) => ({
              recorder: new HistoryRecorder<RefundInput, RefundOutput>(nowMillis),
              transactionId,
              paidMinor
            }))
          )
        )
        const people = yield* all(
          [1, 2].map(() =>
            Effect.map(created(node, "/v1/test-helpers/consumers", { bearer: merchant.key, body: {} }), ({ body }) => ({
              recorder: new HistoryRecorder<ConsentInput, ConsentOutput>(nowMillis),
              serviceId: body.serviceId as string
            }))
          )
        )
        const keys = Array.from({ length: 6 }, (_, index) => sharedKey(merchant, number * 6 + index, nowMillis))
        const part: Part = { payments, people, keys }
        return part
      })

      const load = Effect.gen(function* () {
        for (let number = 0; !isCalm; number += 1) {
          const part = yield* persistently(newPart(number))
          parts.push(part)
          const partUntil = nowMillis() + partMillis
          const client = (name: string, turn: (draw: Draw) => Promise<void>) =>
            Effect.promise(async () => {
              for (let count = 0; !isCalm && nowMillis() < partUntil; count += 1) {
                await turn(new Draw(seed, `${name} ${number} ${count}`))
                await new Promise((resolve) => setTimeout(resolve, 5))
              }
            })
          yield* all(
            Array.from({ length: clientsOfEach }, (_, index) => [
              client(`refunder ${index}`, (draw) =>
                clients.refund(draw.pick(part.payments), draw, `refunder ${index}`)
              ),
              client(`sender ${index}`, (draw) => clients.send(draw.pick(part.keys), draw, `sender ${index}`)),
              client(`reader ${index}`, (draw) => clients.read(draw.pick(part.people), draw, `reader ${index}`))
            ])
              .flat()
              .concat(
                part.people.map((person, index) =>
                  client(`asker ${index}`, (draw) => clients.consent(person, draw, `asker ${index}`))
                )
              )
          )
        }
      })

      const loading = yield* Effect.forkChild(load)
      const draw = new Draw(seed, "faults")
      const faults = [
        Effect.suspend(() => killNode(draw.below(nodes.length))),
        crashPostgres(server.url),
        Effect.andThen(proxy.set("cut"), Effect.sleep("500 millis")),
        Effect.suspend(() => killNode(draw.below(nodes.length))),
        Effect.andThen(proxy.set("blocked"), Effect.andThen(Effect.sleep("700 millis"), proxy.set("cut")))
      ]
      // Injects each fault once, in an order given by the seed, then random ones until the time is up.
      const left = [...faults.keys()]
      while (left.length > 0 || nowMillis() < until) {
        const [at] = left.splice(draw.below(left.length), 1)
        yield* Effect.sleep(`${draw.between(200, 600)} millis`)
        yield* faults[at ?? draw.below(faults.length)] ?? Effect.void
        yield* proxy.set("open")
      }
      isCalm = true
      yield* Fiber.join(loading)
      for (const { keys, payments } of parts) yield* Effect.promise(() => clients.finish(payments, keys))

      assert.deepStrictEqual(storiesOf(parts), [], `HISTORIES_SEED=${seed}`)
      assert.isAtLeast(clients.answered, 100)
      assert.isAtLeast(clients.unanswered, 1)
      assert.deepStrictEqual(yield* audit(environment), sound)
    }).pipe(Effect.scoped),
  timeoutMillis
)
