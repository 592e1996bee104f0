import type { PgClient } from "@effect/sql-pg/PgClient"
import { Currency } from "@surety/core/Currency"
import { Environment } from "@surety/core/Environment"
import { toUuid, UserId } from "@surety/core/Ids"
import { Fingerprint } from "@surety/core/idempotency/Fingerprint"
import type { IdempotencyKey } from "@surety/core/idempotency/IdempotencyKey"
import {
  AdjustmentDirection,
  type OperatorTransfer,
  OperatorTransferKind,
  transferOf
} from "@surety/core/ledger/OperatorTransfer"
import {
  type OperatorTransferPlan,
  OperatorTransferStore,
  type PostOutcome
} from "@surety/core/ledger/OperatorTransferStore"
import { AmountMinor } from "@surety/core/Money"
import { Effect, Layer, Option, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import * as Column from "../sql/ColumnSchemas.js"
import * as Database from "../sql/Database.js"
import * as JsonRow from "../sql/JsonRow.js"
import { isPartOf } from "./AccountRow.js"
import { drawOnWallet, heldIn } from "./drawOnWallet.js"
import { postTransfers } from "./postTransfers.js"

const TransferRow = Schema.Struct({
  id: Column.transferId,
  kind: OperatorTransferKind,
  direction: Column.nullable(AdjustmentDirection),
  environment: Environment,
  currency: Currency,
  amountMinor: AmountMinor,
  merchantId: Column.nullable(Column.merchantId),
  userId: Column.nullable(UserId),
  serviceId: Column.nullable(Column.consumerId),
  reason: Schema.String,
  fingerprint: Fingerprint,
  at: Column.time
})

const transferColumns = `t.id, t.kind, t.direction, t.environment, t.currency, t.amount_minor as "amountMinor",
  t.merchant_id as "merchantId", t.user_id as "userId", t.service_id as "serviceId", t.reason, t.fingerprint, t.at`

const decodeTransfers = Schema.decodeUnknownEffect(Schema.Array(TransferRow))

const added = JsonRow.tableRow("operator_transfer", {
  id: JsonRow.uuid,
  kind: Schema.String,
  direction: Schema.UndefinedOr(Schema.String),
  environment: Schema.String,
  currency: Schema.String,
  amount_minor: JsonRow.amount,
  merchant_id: Schema.UndefinedOr(JsonRow.uuid),
  user_id: Schema.UndefinedOr(Schema.String),
  service_id: Schema.UndefinedOr(Schema.String),
  reason: Schema.String,
  idempotency_key: Schema.String,
  fingerprint: Schema.String,
  at: JsonRow.time
})

export const layer: Layer.Layer<OperatorTransferStore, never, PgClient> = Layer.effect(
  OperatorTransferStore,
  Effect.gen(function* () {
    const database = yield* Database.make
    const { name, sql, verb } = database
    const transfers = name("operator_transfer")

    const rowOf = ({ fingerprint, idempotencyKey, posted }: OperatorTransferPlan) => ({
      id: posted.id,
      kind: posted.kind,
      direction: posted.direction,
      environment: posted.environment,
      currency: posted.amount.currency,
      amount_minor: posted.amount.minor,
      merchant_id: posted.merchantId,
      user_id: posted.userId,
      service_id: posted.serviceId,
      reason: posted.reason,
      idempotency_key: idempotencyKey,
      fingerprint,
      at: posted.at
    })

    const existing = Effect.fnUntraced(function* (environment: Environment, idempotencyKey: IdempotencyKey) {
      const rows = yield* sql`
        select ${sql.literal(transferColumns)} from ${transfers} t
        where t.idempotency_key = ${idempotencyKey} and t.environment = ${environment}`
      const [row] = yield* decodeTransfers(rows)
      if (row === undefined) return undefined
      const { amountMinor, currency, fingerprint, ...found } = row
      const earlier: OperatorTransfer = { ...found, amount: { currency, minor: amountMinor } }
      return { posted: earlier, fingerprint }
    })

    /** Locks the person, if any. Call it before accounts are locked, in the same order as an erasure. */
    const lockPerson = ({ environment, userId }: OperatorTransfer): Effect.Effect<unknown, SqlError> =>
      userId === undefined
        ? Effect.void
        : sql`select 1 from ${name("consumer")} where id = ${userId} and environment = ${environment} for key share`

    // A debited wallet is checked and locked first, unless the caller has checked it and prevents concurrent
    // debits (`isCovered`). A debited settlement account is locked if it covers the amount. The insert then waits
    // for a concurrent use of the key.
    const postNow = Effect.fnUntraced(function* (
      plan: OperatorTransferPlan
    ): Effect.fn.Return<PostOutcome, Database.InnerError> {
      const transfer = transferOf(plan.posted)
      const { amount, debit } = transfer
      const suffices =
        debit.kind === "SETTLEMENT"
          ? sql`
            select a.balance_minor from ${name("account")} a
            where ${isPartOf(database, debit)} and a.balance_minor >= ${amount.minor} for no key update of a`
          : sql`select 1`
      const cause = { operatorTransferId: toUuid(plan.posted.id) }
      const storing = sql`
        with sufficient as materialized (${suffices}),
        stored as (
          ${added.insertWhen(database, rowOf(plan), sql.literal("sufficient"))}
          on conflict (idempotency_key, environment) do nothing
          returning 1
        )${postTransfers(database, [transfer], cause, sql.literal("stored"))}
        select 1 from stored`
      const isChecked = debit.kind === "WALLET" && plan.isCovered !== true
      const isDrawn = !isChecked || (yield* drawOnWallet(database, debit, amount.minor))
      if (isDrawn && (yield* storing).length > 0) return { _tag: "Posted" }
      const earlier = yield* existing(plan.posted.environment, plan.idempotencyKey)
      if (earlier !== undefined) return { _tag: "Existing", ...earlier }
      return { _tag: "Insufficient", balanceMinor: yield* heldIn(database, debit) }
    })

    const post = Effect.fn("PgOperatorTransferStore.post")(
      (plan: OperatorTransferPlan): Effect.Effect<PostOutcome, Database.InnerError> =>
        plan.posted.userId === undefined
          ? postNow(plan)
          : sql.withTransaction(Effect.andThen(lockPerson(plan.posted), postNow(plan))),
      verb("OperatorTransferStore.post")
    )

    const find = Effect.fn("PgOperatorTransferStore.find")(
      (environment: Environment, idempotencyKey: IdempotencyKey) =>
        Effect.map(existing(environment, idempotencyKey), Option.fromUndefinedOr),
      verb("OperatorTransferStore.find")
    )

    return OperatorTransferStore.of({ post, find })
  })
)
