import type { MerchantId, UserId } from "@surety/core/Ids"
import type { ApiKeyHash } from "@surety/core/merchant/ApiKey"
import { Clock, Duration, Effect, Layer, Option, Scope, Semaphore } from "effect"
import type { CellName } from "../Cells.js"
import {
  CellDirectory,
  type MerchantClaim,
  type MerchantMove,
  type NamedRecord,
  type PersonChange,
  type PersonKey,
  type Turn
} from "./CellDirectory.js"

interface Claimed {
  readonly claim: MerchantClaim
  cell: CellName
  readonly at: number
  isConfirmed: boolean
  move?: MerchantMove | undefined
  /** Milliseconds since the epoch. */
  moveBeganAt?: number | undefined
}

const nameOf = ({ environment, userId }: PersonKey): string => JSON.stringify([environment, userId])

/** In-memory `CellDirectory`, empty at start and lost with the process. For tests. */
export const layer: Layer.Layer<CellDirectory> = Layer.effect(
  CellDirectory,
  Effect.sync(() => {
    const merchants = new Map<MerchantId, Claimed>()
    const keys = new Map<ApiKeyHash, MerchantId>()
    const copiesOf = new Map<string, Set<CellName>>()
    const changes = new Map<string, { readonly change: PersonChange; readonly at: number }>()
    const pseudonyms = new Map<string, UserId>()
    const named = new Map<string, NamedRecord>()
    const semaphores = new Map<Turn, Semaphore.Semaphore>()
    let changesBegun = 0
    let movesBegun = 0

    const countIn = (cell: CellName): number => [...merchants.values()].filter((other) => other.cell === cell).length

    const emptiest = ({ cells }: MerchantClaim): CellName =>
      cells.reduce((best, cell) => (countIn(cell) < countIn(best) ? cell : best))

    const rivalOf = ({ businessCode, externalId, merchantId }: MerchantClaim): [MerchantId, Claimed] | undefined =>
      [...merchants].find(
        ([id, { claim }]) =>
          id !== merchantId &&
          (claim.businessCode === businessCode || (externalId !== undefined && claim.externalId === externalId))
      )

    const semaphoreOf = (turn: Turn): Semaphore.Semaphore => {
      const semaphore = semaphores.get(turn) ?? Semaphore.makeUnsafe(1)
      semaphores.set(turn, semaphore)
      return semaphore
    }

    const claimedBy = ({ attempt, merchantId }: MerchantMove): Claimed | undefined => {
      const claimed = merchants.get(merchantId)
      return claimed?.move?.attempt === attempt ? claimed : undefined
    }

    return CellDirectory.of({
      place: (claim) =>
        Effect.map(Clock.currentTimeMillis, (at) => {
          const own = merchants.get(claim.merchantId)
          if (own !== undefined) {
            const isSame = own.claim.businessCode === claim.businessCode && own.claim.externalId === claim.externalId
            return isSame ? { _tag: "Placed", cell: own.cell } : { _tag: "Taken" }
          }
          const rival = rivalOf(claim)
          if (rival !== undefined) {
            const [by, { cell, isConfirmed }] = rival
            return isConfirmed ? { _tag: "Taken" } : { _tag: "Held", by, cell }
          }
          const cell = emptiest(claim)
          merchants.set(claim.merchantId, { claim, cell, at, isConfirmed: false })
          return { _tag: "Placed", cell }
        }),
      confirm: (merchantId) =>
        Effect.sync(() => {
          const claimed = merchants.get(merchantId)
          if (claimed !== undefined) claimed.isConfirmed = true
          return claimed !== undefined
        }),
      release: (merchantId, olderThan) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const claimed = merchants.get(merchantId)
          if (claimed === undefined || claimed.isConfirmed) return false
          return now - claimed.at >= Duration.toMillis(olderThan) && merchants.delete(merchantId)
        }),
      find: (merchantId) =>
        Effect.sync(() =>
          Option.map(Option.fromUndefinedOr(merchants.get(merchantId)), ({ cell, isConfirmed, move }) => ({
            cell,
            isConfirmed,
            isMoving: move !== undefined && !move.isSwitched
          }))
        ),
      findByExternalId: (externalId) =>
        Effect.sync(() =>
          Option.fromUndefinedOr([...merchants].find(([, { claim }]) => claim.externalId === externalId)?.[0])
        ),
      claimKey: (hash, merchantId) =>
        Effect.sync(() => {
          const holder = keys.get(hash) ?? merchantId
          keys.set(hash, holder)
          return holder === merchantId
        }),
      findByKey: (hash) => Effect.sync(() => Option.fromUndefinedOr(keys.get(hash))),
      addCopy: (person, cell) =>
        Effect.sync(() => {
          const known = copiesOf.get(nameOf(person)) ?? new Set()
          copiesOf.set(nameOf(person), known.add(cell))
        }),
      copies: (person) => Effect.sync(() => [...(copiesOf.get(nameOf(person)) ?? [])].sort()),
      inTurn: (turn) => (effect) => Effect.suspend(() => semaphoreOf(turn).withPermit(effect)),
      turns: Effect.map(Effect.scope, (scope) => ({
        take: (turn: Turn) => {
          const semaphore = semaphoreOf(turn)
          return Effect.asVoid(
            Scope.provide(
              Effect.acquireRelease(semaphore.take(1), () => semaphore.release(1), { interruptible: true }),
              scope
            )
          )
        },
        held: Effect.void
      })),
      findNamed: (name) => Effect.sync(() => Option.fromUndefinedOr(named.get(name))),
      name: (name, record) =>
        Effect.sync(() => {
          named.set(name, record)
        }),
      pseudonym: ({ environment, serviceId }, proposed) =>
        Effect.sync(() => {
          const name = `${environment} ${serviceId}`
          const pseudonym = pseudonyms.get(name) ?? proposed
          pseudonyms.set(name, pseudonym)
          return pseudonym
        }),
      beginChange: ({ environment, userId }, source) =>
        Effect.map(Clock.currentTimeMillis, (at) => {
          changesBegun += 1
          const change = { id: String(changesBegun), environment, userId, source }
          changes.set(change.id, { change, at })
          return change
        }),
      endChange: ({ id }) =>
        Effect.sync(() => {
          changes.delete(id)
        }),
      changesOf: (person) =>
        Effect.sync(() =>
          [...changes.values()].map(({ change }) => change).filter((change) => nameOf(change) === nameOf(person))
        ),
      openChanges: (olderThan, limit) =>
        Effect.map(Clock.currentTimeMillis, (now) =>
          [...changes.values()]
            .filter(({ at }) => now - at >= Duration.toMillis(olderThan))
            .slice(0, limit)
            .map(({ change }) => change)
        ),
      beginMove: (merchantId, to) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const claimed = merchants.get(merchantId)
          if (claimed === undefined || !claimed.isConfirmed) return Option.none()
          const begins = claimed.move === undefined ? claimed.cell !== to : claimed.move.to === to
          if (!begins) return Option.none()
          movesBegun += 1
          const open = claimed.move ?? { merchantId, from: claimed.cell, to, isSwitched: false }
          claimed.move = { ...open, attempt: String(movesBegun) }
          claimed.moveBeganAt ??= now
          return Option.some(claimed.move)
        }),
      switchMove: (move) =>
        Effect.sync(() => {
          const claimed = claimedBy(move)
          if (claimed?.move === undefined) return false
          claimed.cell = claimed.move.to
          claimed.move = { ...claimed.move, isSwitched: true }
          return true
        }),
      endMove: (move) =>
        Effect.sync(() => {
          const claimed = claimedBy(move)
          if (claimed === undefined) return false
          claimed.move = undefined
          claimed.moveBeganAt = undefined
          return true
        }),
      openMoves: Effect.map(Clock.currentTimeMillis, (now) => {
        const began = [...merchants.values()].flatMap(({ moveBeganAt }) =>
          moveBeganAt === undefined ? [] : [moveBeganAt]
        )
        return { count: began.length, oldestAge: Duration.millis(began.length === 0 ? 0 : now - Math.min(...began)) }
      }),
      moves: Effect.sync(() =>
        [...merchants.values()]
          .flatMap(({ move }) => (move === undefined ? [] : [move]))
          .sort((one, other) => (one.merchantId < other.merchantId ? -1 : 1))
      )
    })
  })
)
