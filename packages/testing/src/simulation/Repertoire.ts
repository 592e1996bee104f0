import * as Approval from "./acts/ApprovalActs.js"
import * as Consent from "./acts/ConsentActs.js"
import * as Console from "./acts/ConsoleActs.js"
import * as Grant from "./acts/GrantActs.js"
import * as Host from "./acts/HostActs.js"
import * as Key from "./acts/KeyActs.js"
import * as Kyc from "./acts/KycActs.js"
import * as Money from "./acts/MoneyActs.js"
import * as Operator from "./acts/OperatorActs.js"
import * as Overseer from "./acts/OverseerActs.js"
import * as Person from "./acts/PersonActs.js"
import * as Reads from "./acts/ReadActs.js"
import * as Sandbox from "./acts/SandboxActs.js"
import type { Act, Scene } from "./acts/Scene.js"
import type { Draw } from "./world/Draw.js"

export const subjects = [
  "money",
  "wallet",
  "consent",
  "asking",
  "reads",
  "links",
  "kyc",
  "rights",
  "retention",
  "erasure",
  "console",
  "sessions",
  "approval",
  "proposals",
  "transfers",
  "queue",
  "telling",
  "standing"
] as const
export type Subject = (typeof subjects)[number]

type Play = (scene: Scene, act: Act) => void

export type Repertoire = ReadonlyArray<readonly [weight: number, play: Play]>

const money: Repertoire = [
  [12, Money.refund],
  [12, Money.rush],
  [6, Money.pay],
  [2, Money.settle],
  [3, Host.queue]
]

/** Each refund needs money that no other refund has taken, so the story also makes many payments. */
const wallet: Repertoire = [
  [16, Money.refund],
  [12, Money.pay]
]

const consent: Repertoire = [
  [15, Consent.request],
  [14, Consent.decide],
  [4, Consent.insist],
  [1, Consent.cancel],
  [6, Grant.grant],
  [7, Grant.revoke],
  [12, Grant.read],
  [3, Grant.lift],
  [0.5, Grant.link],
  [0.3, Grant.guess]
]

const asking: Repertoire = [
  [12, Consent.request],
  [14, Consent.decide],
  [14, Consent.insist],
  [2, Grant.grant],
  [1, Grant.lift],
  [2, Operator.leap]
]

const reads: Repertoire = [
  [10, Grant.grant],
  [8, Grant.revoke],
  [16, Grant.read],
  [0.5, Operator.judge]
]

const kyc: Repertoire = [
  [8, Kyc.verify],
  [3, Kyc.look],
  [14, Kyc.enterCode],
  [4, Kyc.callBack]
]

const rights: Repertoire = [
  [6, Person.restrict],
  [5, Person.askRight],
  [5, Person.answerRight],
  [10, Person.access],
  [4, Person.rectify],
  [2.5, Person.erase],
  [1, Person.retain]
]

/** Creates records that are retained for months, and lets months pass. */
const retention: Repertoire = [
  [8, Grant.grant],
  [12, Grant.read],
  [4, Person.askRight],
  [4, Person.answerRight],
  [4, Person.retain],
  [4, Operator.sleepForMonths]
]

const console: Repertoire = [
  [4, Console.signIn],
  [12, Console.comeBack],
  [8, Console.signOut],
  [3, Console.look],
  [5, Console.openPerson],
  [5, Console.leave],
  [2, Console.review],
  [2, Overseer.search],
  [1, Overseer.reportBreach]
]

const approval: Repertoire = [
  [5, Console.transfer],
  [1.5, Console.leave],
  [8, Approval.propose],
  [10, Approval.approve],
  [4, Approval.withdraw],
  [6, Host.queue]
]

/** Gives proposing more weight than approving, so that several proposals are often open at once. */
const proposals: Repertoire = [
  [14, Approval.propose],
  [10, Approval.approve],
  [3, Approval.approveLate]
]

const telling: Repertoire = [
  [6, Money.pay],
  [4, Money.settle],
  [3, Money.refund],
  [3, Grant.grant],
  [2, Grant.revoke],
  [5, Operator.tend],
  [3, Sandbox.tryEndpoint],
  [6, Reads.poll],
  [2, Reads.browse]
]

const links: Repertoire = [
  [10, Consent.request],
  [12, Consent.decide],
  [8, Grant.grant],
  [18, Grant.revoke],
  [2, Grant.read]
]

const erasure: Repertoire = [
  [8, Person.access],
  [1, Person.erase],
  [6, Grant.grant],
  [4, Consent.request],
  [4, Consent.decide],
  [4, Approval.propose],
  [6, Approval.approve],
  [4, Approval.withdraw]
]

const sessions: Repertoire = [
  [7, Console.signIn],
  [12, Console.comeBack],
  [7, Console.signOut],
  [2, Console.leave]
]

const transfers: Repertoire = [
  [14, Console.transfer],
  [2, Money.pay],
  [4, Money.refund]
]

const queue: Repertoire = [
  [14, Host.queue],
  [3, Money.refund],
  [1, Person.erase]
]

const standing: Repertoire = [
  [8, Operator.admit],
  [2, Operator.arrange],
  [4, Sandbox.steer],
  [6, Key.issueKey],
  [14, Key.useKey],
  [6, Key.endKey],
  [2, Operator.judge],
  [3, Operator.tend],
  [3, Sandbox.tryEndpoint],
  [3, Operator.unlink],
  [3, Operator.leap]
]

/** Acts mixed into every story, regardless of its subject. */
const everywhere: Repertoire = [
  [6, Operator.leap],
  [3, Operator.crash],
  [1, Operator.unlink],
  [0.5, Operator.judge],
  [3, Operator.tend],
  [1.5, Reads.browse],
  [2, Reads.poll],
  [1, Reads.audit],
  [0.3, Overseer.auditAll],
  [0.4, Sandbox.steer],
  [0.3, Sandbox.holdKey],
  [0.6, Sandbox.tryEndpoint],
  [1.5, Overseer.oversee]
]

const all: Readonly<Record<Subject | "everywhere", Repertoire>> = {
  money,
  wallet,
  consent,
  asking,
  reads,
  links,
  kyc,
  rights,
  retention,
  erasure,
  console,
  sessions,
  approval,
  proposals,
  transfers,
  queue,
  telling,
  standing,
  everywhere
}

const playsOf = (repertoires: ReadonlyArray<Repertoire>): ReadonlyArray<Play> => [
  ...new Set(repertoires.flatMap((repertoire) => repertoire.map(([, play]) => play)))
]

/** All acts of the repertoires whose records other acts need, such as grants and keys. */
const needed = playsOf([consent, reads, kyc, wallet, approval, standing])

/** Acts that are rarely possible, or that choose one of several effects. */
const seldom = [
  Kyc.verify,
  Kyc.enterCode,
  Kyc.look,
  Approval.propose,
  Approval.approve,
  Grant.revoke,
  Sandbox.steer,
  Sandbox.steer
]

/** Returns the acts of a story that plays every act, some several times, in an order drawn from the seed. */
export const everyPlay = (draw: Draw): ReadonlyArray<Play> =>
  [...playsOf(Object.values(all)), ...needed, ...needed, ...seldom, ...seldom, ...Overseer.oversights]
    .map((play) => ({ place: draw.next(), play }))
    .sort((one, other) => one.place - other.place)
    .map(({ play }) => play)

/**
 * Returns the acts of one story with their weights. The seed makes some frequent and some rare. Most stories
 * concentrate on one subject, since a narrow story reaches deeper than a broad one.
 */
export const repertoireOf = (drawOf: (what: string) => Draw, about: Subject | undefined): Repertoire => {
  const subject =
    about ?? drawOf("subject").pick<Subject | undefined>([undefined, "consent", "kyc", "kyc", ...subjects])
  const around = about === undefined ? 1 : 0.2
  const beside = about === undefined ? 0.02 : 0.003
  const oftens = about === undefined ? [0.1, 0.5, 1, 1, 3] : [0.5, 1, 1, 3]
  return Object.entries(all).flatMap(([name, plays]) => {
    // Restrictions matter only in stories with requests and reads. A story about rights therefore plays the acts of
    // consent at full weight.
    const isIn = subject === undefined || name === subject || (subject === "rights" && name === "consent")
    const draw = drawOf(name)
    const share = plays === everywhere ? around : isIn ? 1 : beside
    return plays.map(([weight, play]) => [weight * share * draw.pick(oftens), play] as const)
  })
}
