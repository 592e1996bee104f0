import { Clients } from "./Clients.ts"
import { Cluster } from "./Cluster.ts"
import type { Place } from "./Place.ts"
import type { Programs } from "./Programs.ts"
import { openShop, type Shop } from "./Shop.ts"
import { sleep, until } from "./waiting.ts"

/**
 * A fault, and the longest pause between acknowledged refunds until the next fault or the end of sending. A pause that
 * is only partly within this period counts in full.
 */
export interface Fault {
  readonly what: string
  readonly pauseSeconds: number
}

export interface Seen {
  readonly faults: ReadonlyArray<Fault>
  /** The longest pause between acknowledged refunds before the first fault. The pause may end after the fault. */
  readonly calmPauseSeconds: number
  readonly acknowledged: number
  readonly answers: Readonly<Record<string, number>>
  readonly slowestSeconds: number
  readonly deliveries: number
  readonly events: number
  /** Broken guarantees, one entry each. An entry may contain the full output of `surety verify`. */
  readonly wrong: ReadonlyArray<string>
}

interface Options {
  /** How long clients send before the first fault, after each fault, and again after each recovery. */
  readonly restSeconds: number
  /**
   * True if clients send few refunds while the cluster recovers, and nodes serve no documentation. Pauses measured in
   * such a run are unusable as figures.
   */
  readonly isSparing: boolean
  readonly tell: (line: string) => void
}

/**
 * Maximum response time. A node allows 5 s for a database operation, including the wait for a connection. HAProxy tries
 * at most three times to connect to a node, for 2 s each. The rest allows for a busy machine.
 */
const slowestSeconds = 25

/**
 * Longest wait after a fault for a complete PostgreSQL cluster. The subsequent wait for ready nodes has the same limit.
 * The former primary may have to run `pg_rewind`.
 */
const wholeWithinSeconds = 180

/** Longest wait, after the clients have stopped, for the webhook of every acknowledged refund. */
const deliveredWithinSeconds = 240

const makeFaults = (
  cluster: Cluster
): ReadonlyArray<{ readonly what: string; readonly happen: () => Promise<string> }> => [
  { what: "the primary PostgreSQL and its Patroni", happen: () => cluster.killPrimary() },
  { what: "the leader of etcd", happen: () => cluster.killEtcdLeader() },
  { what: "a Surety node", happen: () => cluster.killNode(2) }
]

/**
 * Starts a merchant's webhook server, the cluster and its clients. Causes the faults, then checks what the clients saw
 * and what is stored. Closes only the webhook server at the end. The caller must end `place` to stop the programs.
 */
export const rehearse = async (
  programs: Programs,
  place: Place,
  { isSparing, restSeconds, tell }: Options
): Promise<Seen> => {
  const shop = await openShop(place)
  try {
    const environment = { ...shop.environment, ...(isSparing ? { DOCS: "off" } : {}) }
    const cluster = await Cluster.start(place, programs, environment, tell)
    const clients = new Clients(cluster.url, cluster.operatorToken)
    await clients.prepare(shop.url)
    clients.begin()
    const beganAtMillis = performance.now()
    tell(`Clients send refunds; ${restSeconds} s of rest before each fault`)
    await sleep(restSeconds * 1_000)
    const times: Array<{ readonly what: string; readonly atMillis: number }> = []
    for (const { happen, what } of makeFaults(cluster)) {
      times.push({ what, atMillis: performance.now() })
      const name = await happen()
      tell(`SIGKILL: ${what} (${name})`)
      await sleep(restSeconds * 1_000)
      clients.spare(isSparing)
      await cluster.untilReplicated(wholeWithinSeconds)
      await cluster.untilReady(wholeWithinSeconds)
      tell(`whole again: ${await cluster.describe()}`)
      clients.spare(false)
      await sleep(restSeconds * 1_000)
    }
    await clients.stop()
    const endedAtMillis = performance.now()
    tell("Clients have stopped; checking what is stored")
    return {
      faults: times.map(({ atMillis, what }, index) => ({
        what,
        pauseSeconds: clients.longestPause(atMillis, times[index + 1]?.atMillis ?? endedAtMillis)
      })),
      calmPauseSeconds: clients.longestPause(beganAtMillis, times[0]?.atMillis ?? endedAtMillis),
      wrong: await judge(cluster, clients, shop),
      acknowledged: clients.acknowledged.length,
      answers: Object.fromEntries([...clients.answers].toSorted()),
      slowestSeconds: clients.slowestMillis / 1_000,
      deliveries: [...shop.received.values()].reduce((sum, times) => sum + times, 0),
      events: shop.received.size
    }
  } finally {
    shop.close()
  }
}

const judge = async (cluster: Cluster, clients: Clients, shop: Shop): Promise<ReadonlyArray<string>> => {
  const wrong: Array<string> = []
  const claim = (isSo: boolean, otherwise: string): void => {
    if (!isSo) wrong.push(otherwise)
  }
  const told = new Set(clients.acknowledged.map(({ refundId }) => refundId))
  const count = clients.acknowledged.length
  claim(count > 0, "No refund was acknowledged")
  claim(told.size === count, `${count - told.size} keys were answered with another key's refund`)
  claim(clients.withoutRetryAfter === 0, `${clients.withoutRetryAfter} responses 503 had no Retry-After`)
  claim(
    clients.slowestMillis <= slowestSeconds * 1_000,
    `An answer took ${(clients.slowestMillis / 1_000).toFixed(1)} s, more than ${slowestSeconds} s`
  )

  const listed = await clients.listed()
  const stored = new Set(listed)
  claim(stored.size === listed.length, "A refund is listed twice")
  const lost = [...told].filter((id) => !stored.has(id))
  claim(lost.length === 0, `${lost.length} acknowledged refunds are gone, such as ${lost[0]}`)
  const doubled = [...stored].filter((id) => !told.has(id))
  claim(doubled.length === 0, `${doubled.length} refunds belong to no answer: paid twice, such as ${doubled[0]}`)
  const refunded = await clients.refunded()
  claim(refunded === count, `The payments are refunded by ${refunded}, and ${count} was acknowledged`)
  const replayed = await clients.replayed()
  claim(replayed.length === 0, `${replayed.length} keys are not answered as before, such as ${replayed[0]}`)

  const isTold = (): true | undefined => ([...told].every((id) => shop.refunds.has(id)) ? true : undefined)
  await until("every webhook", deliveredWithinSeconds, isTold).catch(() => {
    const missing = [...told].filter((id) => !shop.refunds.has(id))
    wrong.push(`${missing.length} refunds were never reported by a webhook, such as ${missing[0]}`)
  })

  const { isClean, said } = await cluster.verify()
  claim(isClean, `surety verify: ${said}`)
  const isEverywhere = async (): Promise<true | undefined> =>
    (await cluster.stored()).every(({ refunds }) => refunds === count) ? true : undefined
  await until("each PostgreSQL to have each refund", 60, isEverywhere).catch(async (error: Error) => {
    const found = await cluster.stored().catch(() => [])
    wrong.push(`${error.message}: ${found.map(({ name, refunds }) => `${name} has ${refunds}`).join(", ")} of ${count}`)
  })
  return wrong
}

const names = ["primarySeconds", "etcdSeconds", "nodeSeconds"]

/** Formats the results as a bench report. */
export const reportOf = (seen: Seen, versions: Readonly<Record<string, string>>, restSeconds: number) => ({
  ha: {
    versions,
    settings: { restSeconds },
    lines: [
      { killed: "nothing", pauseSeconds: seen.calmPauseSeconds.toFixed(1) },
      ...seen.faults.map(({ pauseSeconds, what }) => ({ killed: what, pauseSeconds: pauseSeconds.toFixed(1) }))
    ],
    goals: [],
    figures: {
      calmSeconds: tenths(seen.calmPauseSeconds),
      ...Object.fromEntries(seen.faults.map(({ pauseSeconds }, index) => [names[index] ?? "", tenths(pauseSeconds)])),
      acknowledged: seen.acknowledged,
      refused: seen.answers["503"] ?? 0,
      slowestSeconds: tenths(seen.slowestSeconds)
    }
  }
})

const tenths = (seconds: number): number => Math.round(seconds * 10) / 10

export const linesOf = (seen: Seen): ReadonlyArray<string> => [
  `${seen.acknowledged} refunds acknowledged; responses: ${Object.entries(seen.answers)
    .map(([status, count]) => `${status} ${count} times`)
    .join(", ")}; the slowest after ${seen.slowestSeconds.toFixed(1)} s`,
  `longest pause between two acknowledged refunds: ${seen.calmPauseSeconds.toFixed(1)} s without a fault`,
  ...seen.faults.map(({ pauseSeconds, what }) => `  ${pauseSeconds.toFixed(1)} s after SIGKILL of ${what}`),
  `${seen.events} webhooks, sent ${seen.deliveries} times`,
  ...(seen.wrong.length === 0
    ? [
        "All acknowledged refunds are there, on each PostgreSQL, none of them twice. Each key is answered as before.",
        "Each refund's webhook came. surety verify: everything adds up."
      ]
    : seen.wrong.map((line) => `WRONG: ${line}`))
]
