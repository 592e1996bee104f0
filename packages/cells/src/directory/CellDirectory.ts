import type { BusinessCode, ConsumerId } from "@surety/core/consumer/ConsumerId"
import type { Environment } from "@surety/core/Environment"
import type { MerchantId, UserId } from "@surety/core/Ids"
import type { ApiKeyHash } from "@surety/core/merchant/ApiKey"
import type { StoreError } from "@surety/core/StoreError"
import { type Array as Arr, Context, type Duration, type Effect, type Option, type Scope } from "effect"
import type { CellName } from "../Cells.js"

/** A merchant that is about to be stored, and the cells that take new merchants. */
export interface MerchantClaim {
  readonly merchantId: MerchantId
  readonly businessCode: BusinessCode
  readonly externalId: string | undefined
  readonly cells: Arr.NonEmptyReadonlyArray<CellName>
}

/**
 * `Placed`: the claim is the merchant's, in this cell. `Taken`: a stored merchant has the code or the external id, or
 * the id under another code. `Held`: another claim has it, whose merchant may or may not be stored yet.
 */
export type Placement =
  | { readonly _tag: "Placed"; readonly cell: CellName }
  | { readonly _tag: "Taken" }
  | { readonly _tag: "Held"; readonly by: MerchantId; readonly cell: CellName }

/** Where a merchant's records are. Until it is confirmed, the cell may not have stored the merchant. */
export interface MerchantPlace {
  readonly cell: CellName
  readonly isConfirmed: boolean
  /** Whether another cell is about to have them. If so, do not cache this place. */
  readonly isMoving: boolean
}

/** A merchant's move that has begun, until nothing is left in the source cell. */
export interface MerchantMove {
  readonly merchantId: MerchantId
  readonly from: CellName
  readonly to: CellName
  /** Whether the directory names `to`. If so, the move can only be completed, not aborted. */
  readonly isSwitched: boolean
  /** The attempt that owns the move. Another process takes it over with a new attempt. */
  readonly attempt: string
}

/** Moves that have not ended. */
export interface OpenMoves {
  readonly count: number
  /** Zero without one. */
  readonly oldestAge: Duration.Duration
}

/** A person of an environment. */
export interface PersonKey {
  readonly environment: Environment
  readonly userId: UserId
}

/** A person's identifier, which is never issued again. */
export interface IssuedId {
  readonly environment: Environment
  readonly serviceId: ConsumerId
}

/** Work that runs one at a time, across processes. */
export type Turn = string

/** The turn for everything that changes one person, or debits the person's wallets. */
export const personTurn = ({ environment, userId }: PersonKey): Turn => JSON.stringify(["person", environment, userId])

/** The record that an idempotency key was last used for, and whose it is. Without a merchant it is in the home cell. */
export interface NamedRecord {
  readonly merchantId: MerchantId | undefined
  readonly id: string
}

/** A change of a person that has begun, until every cell has it. */
export interface PersonChange extends PersonKey {
  readonly id: string
  /** The cell that commits it, and whose row the others get. */
  readonly source: CellName
}

/**
 * Which cell holds which records. Shared by all processes. An entry is written before the cell's row, so a crash never
 * leaves a row that cannot be found. An entry without a row points to a cell that returns "missing".
 */
export class CellDirectory extends Context.Service<
  CellDirectory,
  {
    /**
     * Claims a cell for a new merchant: the one with the fewest merchants; on a tie, the earlier one in the list.
     * Repeating a claim returns the same cell. Under any concurrency a business code, and an external id, has one
     * claim.
     */
    readonly place: (claim: MerchantClaim) => Effect.Effect<Placement, StoreError>

    /** Confirms that the cell has stored the merchant. Idempotent. False if there is no claim. */
    readonly confirm: (merchantId: MerchantId) => Effect.Effect<boolean, StoreError>

    /** Removes an unconfirmed claim of at least that age by the directory's own clock. False if it stays. */
    readonly release: (merchantId: MerchantId, olderThan: Duration.Duration) => Effect.Effect<boolean, StoreError>

    readonly find: (merchantId: MerchantId) => Effect.Effect<Option.Option<MerchantPlace>, StoreError>

    /** The merchant of a host's id, confirmed or not. */
    readonly findByExternalId: (externalId: string) => Effect.Effect<Option.Option<MerchantId>, StoreError>

    /** Records the merchant whose key has this hash. Idempotent. False if the hash is another merchant's. */
    readonly claimKey: (hash: ApiKeyHash, merchantId: MerchantId) => Effect.Effect<boolean, StoreError>

    readonly findByKey: (hash: ApiKeyHash) => Effect.Effect<Option.Option<MerchantId>, StoreError>

    /** Records that a cell has, or is about to have, a copy of the person. Idempotent. */
    readonly addCopy: (person: PersonKey, cell: CellName) => Effect.Effect<void, StoreError>

    /** Cells with a copy of the person, by name. */
    readonly copies: (person: PersonKey) => Effect.Effect<ReadonlyArray<CellName>, StoreError>

    /**
     * Runs the effect while no other caller, in any process, has the turn. A process that dies, or loses its
     * connection, loses its turn.
     */
    readonly inTurn: (turn: Turn) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | StoreError, R>

    /**
     * Takes turns one after another, and holds all until the scope closes. A process never waits for its own turns,
     * since they are all taken by one of these. A turn may be taken once.
     */
    readonly turns: Effect.Effect<(turn: Turn) => Effect.Effect<void, StoreError>, StoreError, Scope.Scope>

    /** The record of a name, confirmed or not. Read and write it in the name's turn. */
    readonly findNamed: (name: string) => Effect.Effect<Option.Option<NamedRecord>, StoreError>

    /** Assigns the name to a record, in place of an earlier one. */
    readonly name: (name: string, record: NamedRecord) => Effect.Effect<void, StoreError>

    /**
     * The person's pseudonym in every cell: the one of the first call. So an interrupted erasure continues under the
     * same pseudonym.
     */
    readonly pseudonym: (person: IssuedId, proposed: UserId) => Effect.Effect<UserId, StoreError>

    /** Records that a person is about to change in a cell, so that the other cells get the row even after a crash. */
    readonly beginChange: (person: PersonKey, source: CellName) => Effect.Effect<PersonChange, StoreError>

    /** Removes this change, and no other of the same person. A no-op if it is missing. */
    readonly endChange: (change: PersonChange) => Effect.Effect<void, StoreError>

    /** The person's changes that have not ended, the oldest first. */
    readonly changesOf: (person: PersonKey) => Effect.Effect<ReadonlyArray<PersonChange>, StoreError>

    /** At most `limit` changes that began at least that long ago and have not ended, the oldest first. */
    readonly openChanges: (
      olderThan: Duration.Duration,
      limit: number
    ) => Effect.Effect<ReadonlyArray<PersonChange>, StoreError>

    /**
     * Begins a move of a confirmed merchant, or takes over the open one to that cell under a new attempt. None if there
     * is no such merchant, if it is in that cell and no move is open, or if it is moving elsewhere.
     */
    readonly beginMove: (merchantId: MerchantId, to: CellName) => Effect.Effect<Option.Option<MerchantMove>, StoreError>

    /** Points to the target cell from now on. Idempotent. False if another attempt has the move, or it has ended. */
    readonly switchMove: (move: MerchantMove) => Effect.Effect<boolean, StoreError>

    /** Ends a move: the merchant stays where the directory points. False if another attempt has it, or it has ended. */
    readonly endMove: (move: MerchantMove) => Effect.Effect<boolean, StoreError>

    /** How many moves have not ended, and how long ago the oldest began, by the directory's own clock. Taking one over changes no age. */
    readonly openMoves: Effect.Effect<OpenMoves, StoreError>

    /** Moves that have not ended, by merchant. */
    readonly moves: Effect.Effect<ReadonlyArray<MerchantMove>, StoreError>
  }
>()("@surety/cells/directory/CellDirectory") {}
