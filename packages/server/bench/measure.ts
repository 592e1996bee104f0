import { Effect } from "effect"
import { postmasterOf, settle } from "./BenchDatabase.ts"
import type { BenchFailed } from "./BenchFailed.ts"
import type { Contender } from "./Contender.ts"
import { type CpuTimes, meter } from "./CpuMeter.ts"
import type { LoadProcess } from "./LoadProcess.ts"
import type { BenchMerchant, HttpTarget, LoadResult, MadeRefund, SqlTarget, SystemName } from "./load/LoadJob.ts"

export interface Pace {
  readonly rounds: number
  readonly roundSeconds: number
  readonly warmUpSeconds: number
}

/** A measured server, or the bare database. */
export interface Subject {
  readonly name: SystemName | "sql"
  readonly contender: Contender
  readonly target: HttpTarget | SqlTarget
}

/** Subjects measured in alternating rounds. */
export interface Scenario {
  readonly name: string
  readonly connections: number
  /** Number of merchants whose payments are refunded. Absent in the whoami scenario. */
  readonly merchants?: number
  readonly subjects: ReadonlyArray<Subject>
}

export interface Round extends Omit<LoadResult, "refunds"> {
  readonly perSecond: number
  /** Undefined except on Linux. */
  readonly cpu: CpuTimes | undefined
}

export interface Measured {
  readonly scenario: Omit<Scenario, "subjects">
  readonly subject: Subject["name"]
  readonly rounds: ReadonlyArray<Round>
}

/** Acknowledged refunds by contender. At the end of the bench, the contender's database must hold each of them. */
export type Answered = Readonly<Record<Contender["name"], Array<MadeRefund>>>

const whoami = (contender: Contender): Subject => {
  const { fixture, name, origin } = contender
  return { name, contender, target: { kind: "whoami", system: name, origin, merchants: fixture.one } }
}

const refunds = (contender: Contender, merchants: ReadonlyArray<BenchMerchant>): Subject => {
  const { name, origin } = contender
  return { name, contender, target: { kind: "refunds", system: name, origin, merchants } }
}

const sql = (contender: Contender, merchants: ReadonlyArray<BenchMerchant>): Subject => {
  const { databaseUrl, name } = contender
  return { name: "sql", contender, target: { kind: "sql", system: name, databaseUrl, merchants } }
}

const usualConnections = 32

export const whoamiScenario = (surety: Contender, peer: Contender): Scenario => ({
  name: "whoami",
  connections: usualConnections,
  subjects: [whoami(surety), whoami(peer)]
})

export type Contenders = Readonly<Record<Contender["name"], Contender>>

/**
 * Builds a scenario that refunds payments of one merchant or of many. Surety and the simple peer always take part. The
 * full peer and the bare database take part only with `usualConnections`.
 */
export const refundScenario = (
  { peer, simple, surety }: Contenders,
  of: "one" | "many",
  connections: number
): Scenario => {
  const merchants = peer.fixture[of].length
  const all = connections === usualConnections
  return {
    name: `refunds, ${merchants} ${merchants === 1 ? "merchant" : "merchants"}, ${connections} connections`,
    connections,
    merchants,
    subjects: [
      refunds(surety, surety.fixture[of]),
      refunds(simple, simple.fixture[of]),
      ...(all ? [refunds(peer, peer.fixture[of]), sql(peer, peer.fixture[of])] : [])
    ]
  }
}

/** Warms up all subjects, then measures them in alternating rounds. Adds the acknowledged refunds to `answered`. */
export const measure = (
  load: LoadProcess,
  scenario: Scenario,
  pace: Pace,
  answered: Answered
): Effect.Effect<ReadonlyArray<Measured>, BenchFailed> =>
  Effect.gen(function* () {
    const runFor = Effect.fnUntraced(function* ({ contender, name, target }: Subject, seconds: number, round: number) {
      if (target.kind !== "whoami") yield* settle(contender.databaseUrl)
      const stop = meter({
        load: load.pid,
        server: contender.pid,
        postmaster: yield* postmasterOf(contender.databaseUrl)
      })
      const { refunds, ...result } = yield* load.run({
        target,
        connections: scenario.connections,
        seconds,
        seed: round,
        name: `${scenario.name}-${name}-${round}`
      })
      const cpu = stop?.()
      for (const refund of refunds) answered[contender.name].push(refund)
      return { ...result, perSecond: result.requests / result.seconds, cpu } satisfies Round
    })

    for (const subject of scenario.subjects) yield* runFor(subject, pace.warmUpSeconds, 0)
    const rounds = scenario.subjects.map((): Array<Round> => [])
    for (let round = 1; round <= pace.rounds; round += 1) {
      for (const [index, subject] of scenario.subjects.entries()) {
        rounds[index]?.push(yield* runFor(subject, pace.roundSeconds, round))
      }
    }
    const { subjects: _, ...measuredScenario } = scenario
    return scenario.subjects.map(({ name }, index) => ({
      scenario: measuredScenario,
      subject: name,
      rounds: rounds[index] ?? []
    }))
  })
