import type { Check, Pair } from "./pairs.ts"

/**
 * The number of rounds, and how long each check runs in a round and in the warm-up. Times are in milliseconds of
 * processor time.
 */
export interface Pace {
  readonly rounds: number
  readonly roundMillis: number
  readonly warmUpMillis: number
}

/** Medians over all rounds (operations per second of processor time, and the ratio) and the extremes of the ratio. */
export interface Measured {
  readonly ours: number
  readonly theirs: number
  readonly ratio: number
  readonly leastRatio: number
  readonly mostRatio: number
}

/**
 * Measures a pair. Alternates between the two checks and swaps their order, so that other load on the machine affects
 * both equally.
 */
export const measurePair = async ({ ours, theirs }: Pair, body: Buffer | string, pace: Pace): Promise<Measured> => {
  await perSecond(ours, body, pace.warmUpMillis)
  await perSecond(theirs, body, pace.warmUpMillis)
  const rounds: Array<{ readonly ours: number; readonly theirs: number }> = []
  for (let round = 0; round < pace.rounds; round++) {
    const first = await perSecond(round % 2 === 0 ? ours : theirs, body, pace.roundMillis)
    const second = await perSecond(round % 2 === 0 ? theirs : ours, body, pace.roundMillis)
    rounds.push(round % 2 === 0 ? { ours: first, theirs: second } : { ours: second, theirs: first })
  }
  const ratios = rounds.map((round) => round.ours / round.theirs)
  return {
    ours: median(rounds.map((round) => round.ours)),
    theirs: median(rounds.map((round) => round.theirs)),
    ratio: median(ratios),
    leastRatio: Math.min(...ratios),
    mostRatio: Math.max(...ratios)
  }
}

/**
 * Runs the check in batches of 20 until this process has used at least `millis` of processor time. Awaits promises.
 * Returns operations per second of processor time, which includes garbage collection but not other processes.
 */
const perSecond = async (check: Check, body: Buffer | string, millis: number): Promise<number> => {
  let operations = 0
  let spentMillis = 0
  const start = process.cpuUsage()
  // A synchronous check is not awaited, because awaiting would add to its time.
  const isAsync = check(body) instanceof Promise
  while (spentMillis < millis) {
    for (let batch = 0; batch < 20; batch++) {
      if (isAsync) await check(body)
      else check(body)
    }
    operations += 20
    const { system, user } = process.cpuUsage(start)
    spentMillis = (system + user) / 1000
  }
  return (operations / spentMillis) * 1000
}

export const median = (values: ReadonlyArray<number>): number => {
  const sorted = values.toSorted((one, other) => one - other)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2
}
