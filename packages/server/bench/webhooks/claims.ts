// node packages/server/bench/webhooks/claims.ts
//
// Compares one node with three nodes that claim the same backlog from one PostgreSQL server, in alternating rounds.
// Prints a report as JSON.
import { type ChildProcess, fork } from "node:child_process"
import path from "node:path"
import * as TestPostgres from "@surety/testing/machine/TestPostgres"
import { Array as Arr, Console, Effect, Redacted } from "effect"
import { postmasterOf, query, settle } from "../BenchDatabase.ts"
import { BenchFailed } from "../BenchFailed.ts"
import { meter } from "../CpuMeter.ts"
import { type BenchReport, median } from "../Report.ts"
import type { ClaimReply } from "./claimMessages.ts"

const merchants = 10
const endpointsOfMerchant = 10
const eventsOfMerchant = 200
const backlog = merchants * endpointsOfMerchant * eventsOfMerchant
const rounds = 5
const most = 3
const mostCost = 1.25

const say = (line: string): void => console.error(line)

const promised = <A>(what: string, run: () => Promise<A>) =>
  Effect.tryPromise({ try: run, catch: (cause) => new BenchFailed({ message: `${what}: ${cause}` }) })

/** Resolves with a node's next reply. Fails if the node exits. */
const replyOf = (child: ChildProcess): Promise<ClaimReply> =>
  new Promise((resolve, reject) => {
    const onExit = (code: number | null): void => reject(new Error(`A node exited with ${code}`))
    child.once("exit", onExit)
    child.once("message", (message: ClaimReply) => {
      child.off("exit", onExit)
      resolve(message)
    })
  })

const startNode = (databaseUrl: string) =>
  Effect.acquireRelease(
    promised("A node did not start", async () => {
      const child = fork(path.join(import.meta.dirname, "claimNode.ts"), {
        env: { PATH: process.env.PATH, NODE_ENV: "production", DATABASE_URL: databaseUrl }
      })
      await replyOf(child)
      return child
    }),
    (child) => Effect.sync(() => child.disconnect())
  )

const register = (databaseUrl: string) =>
  query(
    databaseUrl,
    `insert into surety.merchant (id, business_code, name, legal_name, contact_name, contact_email, country, business_type, status,
       refunds_enabled, settlement_overdraft, created_at, updated_at)
     select surety.uuid_v7(now()), 'code ' || n, 'Shop ' || n, 'Shop', 'Ada Obi', 'ada@bench.example', 'NG', 'retail', 'ACTIVE', true,
       false, now(), now() from generate_series(1, ${merchants}) n`,
    `insert into surety.webhook_endpoint (merchant_id, environment, id, url, topics, status, secrets, created_at, updated_at)
     select m.id, 'LIVE', surety.uuid_v7(now()), 'https://hooks.example/' || n, '{refund.completed}', 'ENABLED', '[]', now(), now()
     from surety.merchant m cross join generate_series(1, ${endpointsOfMerchant}) n`
  )

/**
 * Deletes all events with their deliveries, and inserts new ones with one call to `append_events` per merchant. Each
 * event has a delivery for each of the merchant's endpoints.
 */
const fill = (databaseUrl: string) =>
  query(
    databaseUrl,
    "delete from surety.delivery_attempt",
    "delete from surety.delivery",
    "delete from surety.event",
    `select count(*) from surety.merchant m cross join lateral surety.append_events((
       select json_agg(json_build_object(
         'merchant_id', m.id, 'environment', 'LIVE', 'id', surety.uuid_v7(now()), 'topic', 'refund.completed',
         'body', '{"refundId":"' || n || '"}', 'occurred_at', now(), 'platform_only', false
       )) from generate_series(1, ${eventsOfMerchant}) n
     )) d`
  )

const round = Effect.fnUntraced(function* (databaseUrl: string, nodes: ReadonlyArray<ChildProcess>) {
  yield* fill(databaseUrl)
  yield* settle(databaseUrl)
  const postmaster = yield* postmasterOf(databaseUrl)
  const meters = nodes.map(({ pid = 0 }) => meter({ load: process.pid, server: pid, postmaster }))
  const startedAt = performance.now()
  const taken = yield* promised("A node failed", () =>
    Promise.all(
      nodes.map((node) => {
        const reply = replyOf(node)
        node.send("start")
        return reply
      })
    )
  )
  const seconds = (performance.now() - startedAt) / 1000
  const times = meters.flatMap((stop) => stop?.() ?? [])
  const total = taken.reduce((sum, { deliveries }) => sum + deliveries, 0)
  const [left] = yield* query(
    databaseUrl,
    "select count(*)::int as waiting from surety.delivery where status <> 'DELIVERED'",
    "select count(*)::int as waiting, (select count(*)::int from surety.delivery_attempt) as attempts from surety.delivery where status <> 'DELIVERED'"
  )
  if (total !== backlog || Number(left?.waiting) !== 0 || Number(left?.attempts) !== backlog) {
    return yield* new BenchFailed({ message: `Of ${backlog} deliveries ${total} were taken, ${left?.waiting} wait` })
  }
  const nodeSeconds = times.reduce((sum, { server }) => sum + server, 0)
  return {
    perSecond: backlog / seconds,
    nodeMicros: (nodeSeconds / backlog) * 1e6,
    databaseMicros: ((times[0]?.database ?? Number.NaN) / backlog) * 1e6,
    leastShare: Math.min(...taken.map(({ deliveries }) => deliveries / backlog)),
    claims: taken.reduce((sum, { claims }) => sum + claims, 0),
    othersShare:
      times[0] === undefined ? Number.NaN : (times[0].others - (nodeSeconds - times[0].server)) / times[0].available
  }
})

type Round = Effect.Success<ReturnType<typeof round>>

const lineOf = (nodes: number, made: ReadonlyArray<Round>) => {
  const of = (read: (round: Round) => number): number => median(made.map(read))
  return {
    nodes,
    perSecond: of(({ perSecond }) => perSecond),
    nodeMicros: of(({ nodeMicros }) => nodeMicros),
    databaseMicros: of(({ databaseMicros }) => databaseMicros),
    leastShare: of(({ leastShare }) => leastShare),
    claims: of(({ claims }) => claims),
    othersShare: of(({ othersShare }) => othersShare)
  }
}

const bench = Effect.gen(function* () {
  const settings = { max_wal_size: "8GB", checkpoint_timeout: "1h", shared_buffers: "512MB" }
  const server = yield* TestPostgres.start({ durable: true, settings })
  const url = Redacted.value(server.url)
  yield* query(url, "create database claims")
  const databaseUrl = Object.assign(new URL(url), { pathname: "/claims" }).href
  const first = yield* startNode(databaseUrl)
  const others = yield* Effect.forEach(Arr.range(2, most), () => startNode(databaseUrl))
  const all = [first, ...others]
  yield* register(databaseUrl)
  for (const nodes of [all, all]) yield* round(databaseUrl, nodes)
  const made: { readonly one: Array<Round>; readonly three: Array<Round> } = { one: [], three: [] }
  for (let index = 0; index < rounds; index += 1) {
    made.one.push(yield* round(databaseUrl, [first]))
    made.three.push(yield* round(databaseUrl, all))
    say(
      `Round ${index + 1}: ${made.one.at(-1)?.perSecond.toFixed(0)} and ${made.three.at(-1)?.perSecond.toFixed(0)} a second`
    )
  }
  const [one, three] = [lineOf(1, made.one), lineOf(most, made.three)]
  const ratio = median(made.three.map(({ perSecond }, index) => perSecond / (made.one[index]?.perSecond ?? Number.NaN)))
  const costOf = (line: typeof one): number => line.nodeMicros + line.databaseMicros
  const cost = costOf(three) / costOf(one)
  const [row] = yield* query(url, "show server_version")
  const claims: BenchReport = {
    versions: { PostgreSQL: String(row?.server_version) },
    settings: { backlog, endpoints: merchants * endpointsOfMerchant, rounds },
    lines: [one, three],
    goals: [
      {
        what: `deliveries a second, ${most} nodes / one`,
        goal: "> 1",
        measured: ratio.toFixed(2),
        isMet: ratio > 1
      },
      {
        what: `processor time per delivery, ${most} nodes / one`,
        goal: `≤ ${mostCost}`,
        measured: cost.toFixed(2),
        isMet: cost <= mostCost
      }
    ],
    figures: { ratio, cost },
    rounds: [made]
  }
  yield* Console.log(JSON.stringify({ claims }))
})

await Effect.runPromise(Effect.scoped(bench)).catch((failure: Error) => {
  console.error(failure.message)
  process.exitCode = 1
})
