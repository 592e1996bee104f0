import { assert } from "@effect/vitest"
import { CellName } from "@surety/cells/Cells"
import { CellDirectory, type MerchantClaim, personTurn } from "@surety/cells/directory/CellDirectory"
import { BusinessCode, nextBusinessCode, next as nextConsumerId } from "@surety/core/consumer/ConsumerId"
import { ApiKeyHash } from "@surety/core/merchant/ApiKey"
import * as Fresh from "@surety/testing/FreshIds"
import { type Law, law, lawAlone } from "@surety/testing/Law"
import { type Array as Arr, Duration, Effect, Exit, Option } from "effect"

export const east = CellName.make("east")
export const west = CellName.make("west")
const cells: Arr.NonEmptyReadonlyArray<CellName> = [east, west]

export const freshClaim = Effect.gen(function* () {
  const claim: MerchantClaim = {
    merchantId: Fresh.merchantId(yield* Fresh.now),
    businessCode: BusinessCode.make(yield* Fresh.withRandom(nextBusinessCode)),
    externalId: Fresh.randomText("shop"),
    cells
  }
  return claim
})

const freshPerson = Effect.map(Fresh.now, (at) => ({ environment: "LIVE" as const, userId: Fresh.userId(at) }))

const freshHash = (): ApiKeyHash => ApiKeyHash.make(Fresh.sha256(Fresh.randomText("key"), "hex"))

const placedIn = Effect.fnUntraced(function* (claim: MerchantClaim) {
  const placement = yield* (yield* CellDirectory).place(claim)
  return placement._tag === "Placed" ? placement.cell : assert.fail(`the claim is ${placement._tag}`)
})

const noTime = Duration.zero
const anHour = Duration.hours(1)

const idempotent = law(
  "the same claim again leads to the same cell, confirmed or not",
  Effect.gen(function* () {
    const directory = yield* CellDirectory
    const claim = yield* freshClaim
    const cell = yield* placedIn(claim)
    for (let others = 0; others < 3; others += 1) yield* placedIn(yield* freshClaim)
    assert.strictEqual(yield* placedIn(claim), cell)
    assert.deepStrictEqual(
      yield* directory.find(claim.merchantId),
      Option.some({ cell, isConfirmed: false, isMoving: false })
    )
    assert.isTrue(yield* directory.confirm(claim.merchantId))
    assert.isTrue(yield* directory.confirm(claim.merchantId), "a second confirmation is one too")
    assert.strictEqual(yield* placedIn(claim), cell)
    assert.deepStrictEqual(
      yield* directory.find(claim.merchantId),
      Option.some({ cell, isConfirmed: true, isMoving: false })
    )
  })
)

const emptiestFirst = lawAlone(
  "a new merchant goes to the cell with the fewest",
  Effect.gen(function* () {
    const name = (suffix: string) => CellName.make(`c${Fresh.randomText("").slice(1, 20)}-${suffix}`)
    const [first, second] = [name("one"), name("two")]
    const claims = yield* Effect.forEach([0, 1, 2, 3], () => freshClaim)
    const used: Array<CellName> = []
    for (const claim of claims) used.push(yield* placedIn({ ...claim, cells: [first, second] }))
    assert.deepStrictEqual(used, [first, second, first, second])
  })
)

const oneHolder = law(
  "of concurrent claims of a business code one is placed, and the others learn who holds it",
  Effect.gen(function* () {
    const directory = yield* CellDirectory
    const { businessCode } = yield* freshClaim
    const claims = yield* Effect.forEach([0, 1, 2, 3], () =>
      Effect.map(freshClaim, (claim) => ({ ...claim, businessCode }))
    )
    const placements = yield* Effect.forEach(claims, directory.place, { concurrency: "unbounded" })
    const winner = placements.findIndex(({ _tag }) => _tag === "Placed")
    const [by, cell] = [claims[winner]?.merchantId, placements[winner]]
    if (by === undefined || cell?._tag !== "Placed") return assert.fail("no claim is placed")
    for (const [index, placement] of placements.entries()) {
      if (index !== winner) assert.deepStrictEqual(placement, { _tag: "Held", by, cell: cell.cell })
    }
    for (const [index, { merchantId }] of claims.entries()) {
      assert.strictEqual(Option.isSome(yield* directory.find(merchantId)), index === winner)
    }
  })
)

const oneExternalId = law(
  "an external id has one claim, and is found by it",
  Effect.gen(function* () {
    const directory = yield* CellDirectory
    const claim = yield* freshClaim
    const { externalId = "" } = claim
    assert.deepStrictEqual(yield* directory.findByExternalId(externalId), Option.none())
    const cell = yield* placedIn(claim)
    assert.deepStrictEqual(yield* directory.findByExternalId(externalId), Option.some(claim.merchantId))
    const rival = { ...(yield* freshClaim), externalId }
    assert.deepStrictEqual(yield* directory.place(rival), { _tag: "Held", by: claim.merchantId, cell })
    yield* directory.confirm(claim.merchantId)
    assert.deepStrictEqual(yield* directory.place(rival), { _tag: "Taken" })
    assert.deepStrictEqual(yield* directory.findByExternalId(externalId), Option.some(claim.merchantId))
  })
)

const takenForGood = law(
  "a confirmed merchant's code is taken, and its id is no other code's",
  Effect.gen(function* () {
    const directory = yield* CellDirectory
    const claim = yield* freshClaim
    yield* placedIn(claim)
    yield* directory.confirm(claim.merchantId)
    const { businessCode, merchantId } = claim
    assert.deepStrictEqual(yield* directory.place({ ...(yield* freshClaim), businessCode }), { _tag: "Taken" })
    assert.deepStrictEqual(yield* directory.place({ ...(yield* freshClaim), merchantId }), { _tag: "Taken" })
    assert.isFalse(yield* directory.release(merchantId, noTime), "a confirmed merchant stays")
    assert.isTrue(Option.isSome(yield* directory.find(merchantId)))
  })
)

const released = law(
  "an unconfirmed claim can be released once it is old enough, which frees its names",
  Effect.gen(function* () {
    const directory = yield* CellDirectory
    const claim = yield* freshClaim
    yield* placedIn(claim)
    assert.isFalse(yield* directory.release(claim.merchantId, anHour), "too young")
    assert.isTrue(Option.isSome(yield* directory.find(claim.merchantId)))
    assert.isTrue(yield* directory.release(claim.merchantId, noTime))
    assert.isFalse(yield* directory.release(claim.merchantId, noTime), "released already")
    assert.isFalse(yield* directory.confirm(claim.merchantId), "nothing to confirm")
    assert.deepStrictEqual(yield* directory.find(claim.merchantId), Option.none())
    yield* placedIn({ ...(yield* freshClaim), businessCode: claim.businessCode, externalId: claim.externalId })
  })
)

const manyWithoutExternalId = law(
  "merchants without an external id do not exclude each other",
  Effect.gen(function* () {
    yield* placedIn({ ...(yield* freshClaim), externalId: undefined })
    yield* placedIn({ ...(yield* freshClaim), externalId: undefined })
  })
)

const keys = law(
  "a key leads to the merchant that claimed it first, and to no other",
  Effect.gen(function* () {
    const directory = yield* CellDirectory
    const [hash, other] = [freshHash(), freshHash()]
    const [{ merchantId: mine }, { merchantId: theirs }] = [yield* freshClaim, yield* freshClaim]
    assert.deepStrictEqual(yield* directory.findByKey(hash), Option.none())
    assert.isTrue(yield* directory.claimKey(hash, mine))
    assert.isTrue(yield* directory.claimKey(hash, mine), "the same claim again")
    assert.isFalse(yield* directory.claimKey(hash, theirs))
    assert.deepStrictEqual(yield* directory.findByKey(hash), Option.some(mine))
    assert.deepStrictEqual(yield* directory.findByKey(other), Option.none())
  })
)

const copies = law(
  "a person's copies are its own, in one environment, each cell once",
  Effect.gen(function* () {
    const directory = yield* CellDirectory
    const person = yield* freshPerson
    assert.deepStrictEqual(yield* directory.copies(person), [])
    yield* Effect.forEach([west, east, west], (cell) => directory.addCopy(person, cell))
    assert.deepStrictEqual(yield* directory.copies(person), [east, west])
    assert.deepStrictEqual(yield* directory.copies({ ...person, environment: "TEST" }), [])
    assert.deepStrictEqual(yield* directory.copies(yield* freshPerson), [])
  })
)

const turns = law(
  "one effect of a turn runs at a time, and those of others beside it",
  Effect.gen(function* () {
    const directory = yield* CellDirectory
    const turn = personTurn(yield* freshPerson)
    const other = personTurn(yield* freshPerson)
    let running = 0
    let most = 0
    const step = Effect.gen(function* () {
      running += 1
      most = Math.max(most, running)
      yield* directory.inTurn(other)(Effect.yieldNow)
      yield* directory.copies(yield* freshPerson)
      running -= 1
    })
    yield* Effect.forEach([0, 1, 2], () => directory.inTurn(turn)(step), { concurrency: "unbounded" })
    assert.strictEqual(most, 1)
    assert.isTrue(Exit.isFailure(yield* Effect.exit(directory.inTurn(turn)(Effect.fail("refused")))))
    yield* directory.inTurn(turn)(Effect.void)
  })
)

const severalTurns = law(
  "several turns are held until the scope closes, and many at once hold several each",
  Effect.gen(function* () {
    const directory = yield* CellDirectory
    const [outer, inner] = [Fresh.randomText("outer"), Fresh.randomText("inner")]
    let running = 0
    let most = 0
    const step = Effect.scoped(
      Effect.gen(function* () {
        const { held, take } = yield* directory.turns
        yield* take(outer)
        yield* take(inner)
        yield* held
        running += 1
        most = Math.max(most, running)
        yield* Effect.yieldNow
        yield* directory.copies(yield* freshPerson)
        running -= 1
      })
    )
    const alone = directory.inTurn(inner)(
      Effect.sync(() => {
        most = Math.max(most, running + 1)
      })
    )
    const steps = Array.from({ length: 6 }, () => Effect.andThen(step, alone))
    yield* Effect.all(steps, { concurrency: "unbounded" })
    assert.strictEqual(most, 1)
  })
)

const names = law(
  "a name leads to the record that it was given last",
  Effect.gen(function* () {
    const directory = yield* CellDirectory
    const name = Fresh.randomText("name")
    const { merchantId } = yield* freshClaim
    assert.deepStrictEqual(yield* directory.findNamed(name), Option.none())
    yield* directory.name(name, { merchantId, id: "first" })
    assert.deepStrictEqual(yield* directory.findNamed(name), Option.some({ merchantId, id: "first" }))
    yield* directory.name(name, { merchantId: undefined, id: "second" })
    assert.deepStrictEqual(yield* directory.findNamed(name), Option.some({ merchantId: undefined, id: "second" }))
    assert.deepStrictEqual(yield* directory.findNamed(Fresh.randomText("name")), Option.none())
  })
)

const pseudonyms = law(
  "a person has the pseudonym that was proposed first",
  Effect.gen(function* () {
    const directory = yield* CellDirectory
    const person = { environment: "LIVE" as const, serviceId: yield* Fresh.withRandom(nextConsumerId) }
    const { userId: first } = yield* freshPerson
    const { userId: second } = yield* freshPerson
    assert.strictEqual(yield* directory.pseudonym(person, first), first)
    assert.strictEqual(yield* directory.pseudonym(person, second), first)
    assert.strictEqual(yield* directory.pseudonym({ ...person, environment: "TEST" }, second), second)
  })
)

const changes = lawAlone(
  "a change stays open until it has ended itself, the oldest first",
  Effect.gen(function* () {
    const directory = yield* CellDirectory
    const person = yield* freshPerson
    const first = yield* directory.beginChange(person, east)
    const second = yield* directory.beginChange(person, west)
    const other = yield* directory.beginChange(yield* freshPerson, east)
    assert.notStrictEqual(first.id, second.id)
    const open = Effect.map(directory.openChanges(noTime, 100), (all) => {
      const mine = new Set([first.id, second.id, other.id])
      return all.filter(({ id }) => mine.has(id))
    })
    assert.deepStrictEqual([first.source, second.source], [east, west])
    assert.deepStrictEqual(yield* open, [first, second, other])
    assert.deepStrictEqual(yield* directory.changesOf(person), [first, second])
    assert.deepStrictEqual(yield* directory.changesOf({ ...person, environment: "TEST" }), [])
    assert.deepStrictEqual(yield* directory.openChanges(anHour, 100), [], "those of the last hour are left in peace")
    assert.strictEqual((yield* directory.openChanges(noTime, 1)).length, 1)
    yield* directory.endChange(first)
    yield* directory.endChange(first)
    assert.deepStrictEqual(yield* open, [second, other], "another change of the same person stays open")
    yield* directory.endChange(second)
    yield* directory.endChange(other)
    assert.deepStrictEqual(yield* open, [])
  })
)

export const confirmedIn = Effect.fnUntraced(function* (cell: CellName) {
  const directory = yield* CellDirectory
  const claim = { ...(yield* freshClaim), cells: [cell] as const }
  yield* placedIn(claim)
  assert.isTrue(yield* directory.confirm(claim.merchantId))
  return claim.merchantId
})

const begun = Effect.fnUntraced(function* (merchantId: MerchantClaim["merchantId"], to: CellName) {
  const move = yield* (yield* CellDirectory).beginMove(merchantId, to)
  return Option.isSome(move) ? move.value : assert.fail("the move has begun")
})

const placeOf = Effect.fnUntraced(function* (merchantId: MerchantClaim["merchantId"]) {
  return Option.getOrUndefined(yield* (yield* CellDirectory).find(merchantId))
})

const moved = law(
  "a move leads to the former cell until it is switched, and to the other one from then on",
  Effect.gen(function* () {
    const directory = yield* CellDirectory
    const merchantId = yield* confirmedIn(east)
    const open = Effect.map(directory.moves, (moves) => moves.filter((move) => move.merchantId === merchantId))
    const move = yield* begun(merchantId, west)
    assert.deepStrictEqual(move, { merchantId, from: east, to: west, isSwitched: false, attempt: move.attempt })
    assert.deepStrictEqual(yield* open, [move])
    assert.deepStrictEqual(yield* placeOf(merchantId), { cell: east, isConfirmed: true, isMoving: true })
    assert.isTrue(yield* directory.switchMove(move))
    assert.isTrue(yield* directory.switchMove(move), "a second time is one too")
    assert.deepStrictEqual(yield* placeOf(merchantId), { cell: west, isConfirmed: true, isMoving: false })
    assert.deepStrictEqual(yield* open, [{ ...move, isSwitched: true }])
    assert.isTrue(yield* directory.endMove(move))
    assert.isFalse(yield* directory.endMove(move))
    assert.isFalse(yield* directory.switchMove(move))
    assert.deepStrictEqual(yield* open, [])
    assert.deepStrictEqual(yield* placeOf(merchantId), { cell: west, isConfirmed: true, isMoving: false })
  })
)

const takenOver = law(
  "a move that is begun again is the new attempt's, and the former one changes nothing",
  Effect.gen(function* () {
    const directory = yield* CellDirectory
    const merchantId = yield* confirmedIn(east)
    const first = yield* begun(merchantId, west)
    const second = yield* begun(merchantId, west)
    assert.deepStrictEqual({ ...second, attempt: first.attempt }, first, "it goes where it was going")
    assert.notStrictEqual(second.attempt, first.attempt)
    assert.isFalse(yield* directory.switchMove(first))
    assert.isFalse(yield* directory.endMove(first))
    assert.isTrue((yield* placeOf(merchantId))?.isMoving)
    assert.isTrue(yield* directory.switchMove(second))
    const third = yield* begun(merchantId, west)
    assert.deepStrictEqual({ ...third, attempt: second.attempt }, { ...second, isSwitched: true })
    assert.isFalse(yield* directory.endMove(second))
    assert.isTrue(yield* directory.endMove(third))
  })
)

const oneWay = law(
  "no move begins beside one that goes elsewhere, which stays that attempt's",
  Effect.gen(function* () {
    const directory = yield* CellDirectory
    const merchantId = yield* confirmedIn(east)
    const move = yield* begun(merchantId, west)
    for (const to of [CellName.make("north"), east]) {
      assert.isTrue(Option.isNone(yield* directory.beginMove(merchantId, to)), to)
    }
    assert.isTrue(yield* directory.switchMove(move))
    for (const to of [CellName.make("north"), east]) {
      assert.isTrue(Option.isNone(yield* directory.beginMove(merchantId, to)), to)
    }
    assert.isTrue(yield* directory.endMove(move))
  })
)

const aged = law(
  "open moves are counted, with the age of the oldest, which no later attempt changes",
  Effect.gen(function* () {
    const directory = yield* CellDirectory
    const before = yield* directory.openMoves
    const merchantId = yield* confirmedIn(east)
    yield* begun(merchantId, west)
    yield* Effect.sleep("40 millis")
    const move = yield* begun(merchantId, west)
    const open = yield* directory.openMoves
    assert.strictEqual(open.count, before.count + 1)
    assert.isAtLeast(Duration.toMillis(open.oldestAge), 35)
    assert.isTrue(yield* directory.endMove(move))
    const after = yield* directory.openMoves
    assert.strictEqual(after.count, before.count)
    if (after.count === 0) assert.strictEqual(Duration.toMillis(after.oldestAge), 0)
  })
)

const notMoved = law(
  "a move that is given up leaves the merchant, and none begins to its own cell or of a merchant that is not stored",
  Effect.gen(function* () {
    const directory = yield* CellDirectory
    const merchantId = yield* confirmedIn(east)
    assert.isTrue(Option.isNone(yield* directory.beginMove(merchantId, east)))
    const move = yield* begun(merchantId, west)
    assert.isTrue(yield* directory.endMove(move))
    assert.deepStrictEqual(yield* placeOf(merchantId), { cell: east, isConfirmed: true, isMoving: false })
    const claim = yield* freshClaim
    yield* placedIn(claim)
    assert.isTrue(Option.isNone(yield* directory.beginMove(claim.merchantId, west)))
    assert.isTrue(Option.isNone(yield* directory.beginMove(claim.merchantId, east)))
  })
)

export const laws: ReadonlyArray<Law<CellDirectory>> = [
  idempotent,
  emptiestFirst,
  oneHolder,
  oneExternalId,
  takenForGood,
  released,
  manyWithoutExternalId,
  keys,
  copies,
  turns,
  severalTurns,
  names,
  pseudonyms,
  changes,
  aged,
  moved,
  takenOver,
  oneWay,
  notMoved
]

/** The laws by name, for tests of broken directories. */
export const byName = {
  ...{ idempotent, emptiestFirst, oneHolder, oneExternalId, takenForGood, released },
  ...{ manyWithoutExternalId, keys, copies, turns, severalTurns, names, pseudonyms, changes },
  ...{ aged, moved, takenOver, oneWay, notMoved }
}
