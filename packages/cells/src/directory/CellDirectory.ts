import type { BusinessCode, ConsumerId } from "@surety/core/consumer/ConsumerId"
import type { Environment } from "@surety/core/Environment"
import type { MerchantId, UserId } from "@surety/core/Ids"
import type { ApiKeyHash } from "@surety/core/merchant/ApiKey"
import type { StoreError } from "@surety/core/StoreError"
import { type Array as Arr, Context, type Duration, type Effect, type Option, type Scope } from "effect"
import type { CellName } from "../Cells.js"

/** A merchant to be placed, and the candidate cells. */
export interface MerchantClaim {
  readonly merchantId: MerchantId
  readonly businessCode: BusinessCode
  readonly externalId: string | undefined
  readonly cells: Arr.NonEmptyReadonlyArray<CellName>
}

/**
 * `Placed`: this merchant holds the claim, in `cell`. `Taken`: another merchant, already confirmed, has the code or the
 * external id, or this merchant has a claim with different values. `Held`: the merchant `by`, possibly not stored yet,
 * has an unconfirmed claim to the code or external id.
 */
export type Placement =
  | { readonly _tag: "Placed"; readonly cell: CellName }
  | { readonly _tag: "Taken" }
  | { readonly _tag: "Held"; readonly by: MerchantId; readonly cell: CellName }

/** The cell that holds a merchant's records. Until the place is confirmed, that cell may lack the merchant. */
export interface MerchantPlace {
  readonly cell: CellName
  readonly isConfirmed: boolean
  /**
   * True from the beginning of a move until `switchMove` or `endMove`. While it is true, the place must not be cached.
   */
  readonly isMoving: boolean
}

/** A merchant's open move. It ends once the source cell has none of the merchant's rows, or when it is given up. */
export interface MerchantMove {
  readonly merchantId: MerchantId
  readonly from: CellName
  readonly to: CellName
  /** True if the directory already names `to`. From then on the move can be completed but not aborted. */
  readonly isSwitched: boolean
  /** Id of the attempt that owns the move. `beginMove` assigns a new one when it begins or takes over the move. */
  readonly attempt: string
}

/** Number of open moves, and the age of the oldest. */
export interface OpenMoves {
  readonly count: number
  /** Zero if no move is open. */
  readonly oldestAge: Duration.Duration
}

/** Key of a person within an environment. */
export interface PersonKey {
  readonly environment: Environment
  readonly userId: UserId
}

/** Identifier issued to a person. It is never reissued. */
export interface IssuedId {
  readonly environment: Environment
  readonly serviceId: ConsumerId
}

/** Key of a lock shared by all processes. Only one caller holds the turn at a time. */
export type Turn = string

/**
 * Returns the turn for changing, copying or erasing a person. Debits checked against the person's wallet balance also
 * take it.
 */
export const personTurn = ({ environment, userId }: PersonKey): Turn => JSON.stringify(["person", environment, userId])

/** Turns of one operation. */
export interface Turns {
  /** Takes a turn and holds it until the scope closes. Take each turn at most once. */
  readonly take: (turn: Turn) => Effect.Effect<void, StoreError>
  /** Fails if the turns taken are no longer held, because the directory ended the connection that holds them. */
  readonly held: Effect.Effect<void, StoreError>
}

/**
 * The record for which an idempotency key was last used, and the record's merchant. A record without a merchant is in
 * the home cell.
 */
export interface NamedRecord {
  readonly merchantId: MerchantId | undefined
  readonly id: string
}

/** An open change to a person. It ends once the change has reached every cell that has the person. */
export interface PersonChange extends PersonKey {
  readonly id: string
  /** The cell that commits the change. Its row of the person is copied to the other cells that have the person. */
  readonly source: CellName
}

/**
 * Maps records to the cells that hold them. Shared by all processes. A new record's entry is written before the
 * cell's row, so a crash leaves no row that cannot be found. An entry may therefore lead to a cell that lacks the row.
 */
export class CellDirectory extends Context.Service<
  CellDirectory,
  {
    /**
     * Claims the cell with the fewest merchants for a new merchant. On a tie, the earliest in `cells` wins.
     * Repeating a claim returns the merchant's cell. Under any concurrency, a business code or external id has at most
     * one claim.
     */
    readonly place: (claim: MerchantClaim) => Effect.Effect<Placement, StoreError>

    /** Confirms that the cell has stored the merchant. Idempotent. Returns false if no claim exists. */
    readonly confirm: (merchantId: MerchantId) => Effect.Effect<boolean, StoreError>

    /**
     * Removes an unconfirmed claim that is at least `olderThan` old by the directory's own clock. Returns false if it
     * removed nothing.
     */
    readonly release: (merchantId: MerchantId, olderThan: Duration.Duration) => Effect.Effect<boolean, StoreError>

    readonly find: (merchantId: MerchantId) => Effect.Effect<Option.Option<MerchantPlace>, StoreError>

    /** Finds the merchant with this external id, even if its place is unconfirmed. */
    readonly findByExternalId: (externalId: string) => Effect.Effect<Option.Option<MerchantId>, StoreError>

    /**
     * Records the merchant whose key has this hash. Idempotent. Returns false if the hash belongs to another merchant.
     */
    readonly claimKey: (hash: ApiKeyHash, merchantId: MerchantId) => Effect.Effect<boolean, StoreError>

    readonly findByKey: (hash: ApiKeyHash) => Effect.Effect<Option.Option<MerchantId>, StoreError>

    /** Records that a cell has, or is about to have, a copy of the person. Idempotent. */
    readonly addCopy: (person: PersonKey, cell: CellName) => Effect.Effect<void, StoreError>

    /** Lists the cells that `addCopy` recorded for the person, sorted by name. */
    readonly copies: (person: PersonKey) => Effect.Effect<ReadonlyArray<CellName>, StoreError>

    /**
     * Runs the effect while no other caller in any process holds the turn. A process that dies or loses its connection
     * also loses its turn.
     */
    readonly inTurn: (turn: Turn) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | StoreError, R>

    /**
     * Returns `Turns` that end when the scope closes. Take all turns of an operation through one of them, or the
     * operation may wait for itself.
     */
    readonly turns: Effect.Effect<Turns, StoreError, Scope.Scope>

    /**
     * Finds the record to which the name was last assigned. A name stands for an idempotency key. If the attempt to
     * store the record failed, no cell has it. To store another record under the name, hold the name's turn from this
     * call until the attempt has ended.
     */
    readonly findNamed: (name: string) => Effect.Effect<Option.Option<NamedRecord>, StoreError>

    /** Assigns the name to a record. An earlier record loses the name. */
    readonly name: (name: string, record: NamedRecord) => Effect.Effect<void, StoreError>

    /**
     * Returns the person's pseudonym for all cells, fixed by the first call's `proposed`. An interrupted erasure
     * therefore continues under the same pseudonym.
     */
    readonly pseudonym: (person: IssuedId, proposed: UserId) => Effect.Effect<UserId, StoreError>

    /** Records that a person is about to change in a cell, so that other cells get the change even after a crash. */
    readonly beginChange: (person: PersonKey, source: CellName) => Effect.Effect<PersonChange, StoreError>

    /** Removes only this change, not the person's other changes. A no-op if it is missing. */
    readonly endChange: (change: PersonChange) => Effect.Effect<void, StoreError>

    /** Lists the person's open changes, oldest first. */
    readonly changesOf: (person: PersonKey) => Effect.Effect<ReadonlyArray<PersonChange>, StoreError>

    /** Lists up to `limit` open changes that are at least `olderThan` old, oldest first. */
    readonly openChanges: (
      olderThan: Duration.Duration,
      limit: number
    ) => Effect.Effect<ReadonlyArray<PersonChange>, StoreError>

    /**
     * Begins a move of a confirmed merchant, or takes over its open move to `to` under a new attempt. Returns `None` if
     * the merchant is missing, unconfirmed or moving to another cell. Also returns `None` if it is already in `to` with
     * no move open.
     */
    readonly beginMove: (merchantId: MerchantId, to: CellName) => Effect.Effect<Option.Option<MerchantMove>, StoreError>

    /**
     * Switches the directory to the target cell. Idempotent. Returns false if the move has ended or another attempt
     * owns it.
     */
    readonly switchMove: (move: MerchantMove) => Effect.Effect<boolean, StoreError>

    /**
     * Ends a move. The merchant stays in the cell that the directory names. Returns false if the move has ended or
     * another attempt owns it.
     */
    readonly endMove: (move: MerchantMove) => Effect.Effect<boolean, StoreError>

    /** Number of open moves and age of the oldest, by the directory's own clock. A takeover does not reset the age. */
    readonly openMoves: Effect.Effect<OpenMoves, StoreError>

    /** Open moves, sorted by merchant. */
    readonly moves: Effect.Effect<ReadonlyArray<MerchantMove>, StoreError>
  }
>()("@surety/cells/directory/CellDirectory") {}
