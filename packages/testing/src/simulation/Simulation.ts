import { isVerificationOpen } from "@surety/core/kyc/verification/Verification"
import { Duration, Exit } from "effect"
import { type Cast, castOf, type Scene } from "./acts/Scene.js"
import { watchClients } from "./invariants/ClientInvariants.js"
import { watchConsent } from "./invariants/ConsentInvariants.js"
import { checkNotified } from "./invariants/checkNotified.js"
import { watchErasures } from "./invariants/ErasureInvariants.js"
import { watchTelling } from "./invariants/EventInvariants.js"
import { watchKeys } from "./invariants/KeyInvariants.js"
import { watchKyc } from "./invariants/KycInvariants.js"
import { checkRefunds, watchMoney } from "./invariants/MoneyInvariants.js"
import { watchOperators } from "./invariants/OperatorInvariants.js"
import { watchQueue } from "./invariants/QueueInvariants.js"
import { overdueOf, watchRetention } from "./invariants/RetentionInvariants.js"
import { watchRights } from "./invariants/RightsInvariants.js"
import { watchSessions } from "./invariants/SessionInvariants.js"
import { watchStandings } from "./invariants/StandingInvariants.js"
import { everyPlay, repertoireOf, type Subject } from "./Repertoire.js"
import { Cluster, type SimulatedParts } from "./world/Cluster.js"
import { type Fate, faultyFates, noFaults, ratesOf, trialRepeats } from "./world/Fates.js"
import { type Violation, World } from "./world/World.js"

/** The inputs that determine a run of the simulation, besides its parts. */
export interface Story {
  readonly seed: number
  readonly acts: number
  /** The story's main subject. If undefined, the seed decides. */
  readonly about?: Subject | undefined
  /** Labels of acts and clients' calls to omit, and of other calls to run without faults. */
  readonly calm: ReadonlySet<string>
  /** True if every call to a port has the fate `answered`, regardless of the seed. Defaults to false. */
  readonly isFaultless?: boolean | undefined
  /** Fate of the first call to each operation that may meet it, unless `isFaultless`. By default the seed decides. */
  readonly fate?: Fate | undefined
  /** True if the story plays every act in turn. By default the seed picks acts, some often and some never. */
  readonly playsAll?: boolean | undefined
}

export interface Told {
  readonly steps: number
  readonly violation: Violation | undefined
  /** Number of times that each outcome was reached. */
  readonly coverage: ReadonlyMap<string, number>
  /** Every callable operation of every port. */
  readonly verbs: ReadonlySet<string>
  /** Labels of the acts played. */
  readonly acts: ReadonlyArray<string>
  /** Labels of clients' calls that `Story.calm` can omit without omitting their act. */
  readonly copies: ReadonlyArray<string>
  readonly mishaps: ReadonlyArray<string>
  /** The log of the story, if requested. */
  readonly lines: ReadonlyArray<string>
}

export const defaultActs = 100

/** Default number of acts in a story that plays every act. */
const allActs = 250

/** Constraints on a story. The seed decides the rest. */
export interface StoryOptions {
  readonly about?: Subject | undefined
  readonly acts?: number | undefined
  readonly fate?: Fate | undefined
}

/**
 * Returns the story for a seed. Without `about`, one in four stories plays every act, and four in five get a faulty
 * `fate` from the seed. If the option `fate` is given, every story gets that fate.
 */
export const storyOf = (seed: number, { about, acts, fate }: StoryOptions = {}): Story => {
  const playsAll = about === undefined && seed % 4 === 0
  const ofSeed = about === undefined && seed % 5 !== 0 ? faultyFates[seed % faultyFates.length] : undefined
  return {
    seed,
    acts: acts ?? (playsAll ? allActs : defaultActs),
    about,
    fate: fate ?? ofSeed,
    playsAll,
    calm: new Set()
  }
}

/** A story with more steps than this counts as endless. */
const mostSteps = 50_000

/** Part of a story in progress. It pauses at each `yield` until all promises in `World.awaited` have settled. */
type Telling<A> = Generator<void, A, void>

/** Runs steps until `isOver`, a violation, `untilMillis` or an empty agenda. Checks the invariants after each step. */
function* runUntil(world: World, cluster: Cluster, isOver: () => boolean, untilMillis?: number): Telling<void> {
  while (world.violation === undefined && !isOver() && world.agenda.step(untilMillis)) {
    while (world.awaited.size > 0) yield
    world.steps += 1
    cluster.drain()
    world.checkStep()
    if (world.steps > mostSteps) world.violate("nothing_open_for_ever", "the story does not end")
  }
}

const never = (): boolean => false

function* runFor(world: World, cluster: Cluster, millis: number): Telling<void> {
  const until = world.nowMillis + millis
  yield* runUntil(world, cluster, never, until)
  world.agenda.nowMillis = Math.max(world.agenda.nowMillis, until)
}

function* prepare(world: World, cluster: Cluster): Telling<Cast | undefined> {
  let cast: Cast | undefined
  cluster.run(
    0,
    "prologue",
    castOf(world.draw("cast")),
    (exit) => {
      if (Exit.isSuccess(exit)) cast = exit.value
      else world.violate("no_defects", `the prologue failed: ${String(exit.cause)}`)
    },
    () => {}
  )
  yield* runUntil(world, cluster, () => cast !== undefined)
  return cast
}

/** Names the cast and the first payments up front, so that every run of a story uses the same names. */
const introduce = (world: World, { consumers, endpoints, scopes }: Cast): void => {
  for (const { merchantId } of scopes) world.nameOf(merchantId)
  for (const { userId } of consumers) world.nameOf(userId)
  for (const { id } of endpoints) world.nameOf(id)
  for (const { id } of world.state.payments.values()) world.nameOf(id)
}

const hours = (count: number): number => Duration.toMillis(Duration.hours(count))

/**
 * Stops all faults, then lets enough time pass for open work to finish. Retries of a delivery take about three days,
 * and a grant lasts up to 180 days.
 */
function* rest(world: World, cluster: Cluster): Telling<void> {
  world.rates = undefined
  world.tell(() => "from here on nothing fails")
  yield* runFor(world, cluster, isWaiting(world) ? retryMillis : roundMillis)
  const { state } = world
  function* wait(isOpen: () => boolean, ...pauses: ReadonlyArray<number>): Telling<void> {
    for (const pause of pauses) if (isOpen()) yield* leapAndRun(world, cluster, pause)
  }
  const isRefunding = () => [...state.refunds.values()].some(({ refund }) => refund.status === "PENDING")
  const isAsking = () => [...state.dataRequests.values()].some(({ request }) => request.status === "PENDING")
  const isQueued = () => [...state.hostRequests.values()].some(({ request }) => request.status === "PENDING")
  const isGranted = () => [...state.grants.values()].some(({ status }) => status === "ACTIVE")
  for (let count = 0; count < mostRepeats && world.waiting > 0; count += 1) {
    yield* leapAndRun(world, cluster, 31_000, callMillis)
  }
  world.require(world.waiting === 0, "nothing_open_for_ever", () => `${world.waiting} clients still wait`)
  yield* wait(isRefunding, 31_000, 20_000, 20_000, 31_000, 31_000)
  for (let count = 0; count < mostRepeats; count += 1) yield* wait(cluster.platform.isWaiting, 31_000)
  checkRefunds(world)
  for (let count = 0; count < mostQueued; count += 1) yield* wait(isQueued, 130_000)
  for (let count = 0; count < mostQueued; count += 1) yield* wait(isQueued, hours(1))
  yield* wait(isAsking, hours(25), hours(1))
  checkNotified(world, cluster)
  for (let count = 0; count < mostLooks; count += 1) yield* wait(() => isWaiting(world), hours(12))
  yield* wait(isAsking, hours(8 * 24), 20_000)
  yield* wait(isGranted, hours(185 * 24), 20_000)
  const isKept = () => state.identityReads.size + state.rightsRequests.size > 0
  yield* wait(isKept, hours(101 * 24), retainMillis)
  yield* wait(() => state.operatorSessions.size > 0, retainMillis, retainMillis)
  for (let count = 0; count < mostRepeats; count += 1) yield* wait(cluster.platform.isWaiting, 31_000)
  const isOverdue = () => overdueOf(world) !== undefined
  yield* wait(isOverdue, retainMillis, retainMillis)
}

/** Maximum number of 31 s leaps: two for each attempt of a client's call. Also enough to send the platform's events. */
const mostRepeats = 2 * (trialRepeats + 1)

/** Maximum number of queued requests that can be open at once, since they share 12 keys. */
const mostQueued = 12

/** Longer than the pause between two rounds of retention. */
const retainMillis = 700_000

/** Enough 12-hour leaps to end every open verification and delivery. */
const mostLooks = 16

const isWaiting = ({ state }: World): boolean =>
  [...state.verifications.values()].some(({ verification }) => isVerificationOpen(verification.status)) ||
  [...state.deliveries.values()].some(
    ({ delivery }) => delivery.status === "PENDING" && state.endpoints.get(delivery.endpointId)?.status === "ENABLED"
  )

/** Long enough for the first two retries of a KYC submission, before a leap ends its lease. */
const retryMillis = 7_000

/** Long enough for workers to do the work due after a leap, but shorter than any worker's pause. */
const roundMillis = 100

/** Long enough for a call that uses many operations, which the next leap would otherwise cut off. */
const callMillis = 3_000

function* leapAndRun(world: World, cluster: Cluster, millis: number, thenMillis = roundMillis): Telling<void> {
  if (world.violation !== undefined) return
  world.agenda.leap(millis)
  yield* runFor(world, cluster, thenMillis)
}

const worldOf = ({ about, calm, fate, isFaultless = false, seed }: Story, records: boolean): World =>
  new World({ about, calm, fate: isFaultless ? undefined : fate, records, seed })

function* telling(
  world: World,
  { about, acts, calm, isFaultless = false, playsAll = false }: Story,
  parts: SimulatedParts
): Telling<Told> {
  const cluster = new Cluster(world, parts)
  watchMoney(world, cluster)
  watchConsent(world)
  watchKyc(world, cluster)
  watchTelling(world, cluster)
  watchRetention(world)
  watchQueue(world)
  watchStandings(world)
  const scene: Scene | undefined = yield* sceneOf(world, cluster)
  const played: Array<string> = []
  if (scene !== undefined) {
    world.hasBegun = true
    world.rates = isFaultless ? noFaults : ratesOf(world.draw("rates"))
    const pace = world.draw("pace").pick(paces)
    const repertoire = repertoireOf((what) => world.draw(`repertoire ${what}`), about)
    const plays = playsAll ? everyPlay(world.draw("every play")) : undefined
    for (let number = 1; number <= acts && world.violation === undefined; number += 1) {
      const label = `act ${number}`
      if (calm.has(label)) continue
      played.push(label)
      const draw = world.draw(label)
      const gap = draw.weighted([
        [pace.atOnce, 0],
        [40, draw.between(0, 15)],
        [pace.later, draw.between(15, 150)],
        [5, draw.between(150, 2_500)]
      ])
      const play = plays?.[number % plays.length] ?? draw.weighted(repertoire)
      play(scene, { label, draw })
      cluster.drain()
      world.checkStep()
      yield* runFor(world, cluster, gap)
    }
    yield* rest(world, cluster)
    if (world.violation === undefined) world.checkRest()
  }
  return {
    steps: world.steps,
    violation: world.violation,
    coverage: world.coverage,
    verbs: world.verbs,
    acts: played,
    copies: [...world.copies].filter((label) => !calm.has(label)),
    mishaps: [...world.mishaps],
    lines: world.lines
  }
}

/** Plays the story's acts with its faults, then gives open work time to finish. Stops at the first violation. */
export const tell = (story: Story, parts: Omit<SimulatedParts, "beside"> = {}, records = false): Told => {
  const steps = telling(worldOf(story, records), story, parts)
  for (let next = steps.next(); ; next = steps.next()) if (next.done === true) return next.value
}

/** Like `tell`, but `parts.beside` may have stores that wait for a database. */
export const tellBeside = async (story: Story, parts: SimulatedParts, records = false): Promise<Told> => {
  const world = worldOf(story, records)
  const steps = telling(world, story, parts)
  for (let next = steps.next(); ; next = steps.next()) {
    if (next.done === true) return next.value
    await Promise.all(world.awaited)
  }
}

/** Degrees of concurrency: weights of starting the next act immediately (`atOnce`) and 15 to 150 ms `later`. */
const paces = [
  { atOnce: 30, later: 25 },
  { atOnce: 100, later: 10 },
  { atOnce: 10, later: 80 }
]

function* sceneOf(world: World, cluster: Cluster): Telling<Scene | undefined> {
  const book = watchClients(world)
  const rights = watchRights(world)
  const erasures = watchErasures(world, cluster)
  const sessions = watchSessions(world)
  const keys = watchKeys(world)
  const cast = yield* prepare(world, cluster)
  if (cast === undefined) {
    world.violate("no_defects", "the story has no cast")
    return undefined
  }
  introduce(world, cast)
  return { ...cast, world, cluster, book, rights, erasures, operators: watchOperators(world, cluster), sessions, keys }
}
