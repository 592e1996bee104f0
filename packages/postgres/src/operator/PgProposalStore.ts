import type { PgClient } from "@effect/sql-pg/PgClient"
import { Currency } from "@surety/core/Currency"
import { Environment } from "@surety/core/Environment"
import { type ProposalId, toUuid } from "@surety/core/Ids"
import { Fingerprint } from "@surety/core/idempotency/Fingerprint"
import type { IdempotencyKey } from "@surety/core/idempotency/IdempotencyKey"
import { AdjustmentDirection, OperatorTransferKind } from "@surety/core/ledger/OperatorTransfer"
import { AmountMinor } from "@surety/core/Money"
import {
  mayApprove,
  type Proposal,
  type ProposalStatus,
  ProposedCommand
} from "@surety/core/operator/approval/Proposal"
import {
  type BegunProposals,
  type CarriedOut,
  type ProposalDecision,
  type ProposalFilter,
  type ProposalPlan,
  ProposalStore,
  type ProposeOutcome
} from "@surety/core/operator/approval/ProposalStore"
import { Array as Arr, DateTime, Effect, Layer, Option, Schema } from "effect"
import * as Column from "../sql/ColumnSchemas.js"
import * as Database from "../sql/Database.js"
import * as JsonRow from "../sql/JsonRow.js"
import { cursorCodec, moment, pageOfRows } from "../sql/listCursor.js"
import { makeInOneCommit, refused } from "./inOneCommit.js"

const ProposalRow = Schema.Struct({
  id: Column.proposalId,
  environment: Environment,
  kind: Schema.Literals(["TRANSFER", "ERASURE"]),
  transferKind: Column.nullable(OperatorTransferKind),
  direction: Column.nullable(AdjustmentDirection),
  currency: Column.nullable(Currency),
  amountMinor: Column.nullable(AmountMinor),
  merchantId: Column.nullable(Column.merchantId),
  serviceId: Column.nullable(Column.consumerId),
  reason: Schema.String,
  fingerprint: Fingerprint,
  proposedBy: Schema.String,
  proposedAt: Column.time,
  endsAt: Column.time,
  status: Schema.Literals(["OPEN", "APPROVED", "REFUSED"]),
  begunAt: Column.nullable(Column.time),
  decidedBy: Column.nullable(Schema.String),
  decidedAt: Column.nullable(Column.time),
  refusal: Column.nullable(Schema.String),
  transferId: Column.nullable(Column.transferId)
})

const columns = `p.id, p.environment, p.kind, p.transfer_kind as "transferKind", p.direction, p.currency,
  p.amount_minor as "amountMinor", p.merchant_id as "merchantId", p.service_id as "serviceId", p.reason, p.fingerprint,
  p.proposed_by as "proposedBy", p.proposed_at as "proposedAt", p.ends_at as "endsAt", p.status,
  p.begun_at as "begunAt", p.decided_by as "decidedBy", p.decided_at as "decidedAt", p.refusal, p.transfer_id as "transferId"`

const decodeRows = Schema.decodeUnknownEffect(Schema.Array(ProposalRow))

/** Validates the command built from a row. Table constraints guarantee the columns that the command's kind needs. */
const decodeCommand = Schema.decodeUnknownEffect(Schema.toType(ProposedCommand))

const storedOf = Effect.fnUntraced(function* (row: typeof ProposalRow.Type) {
  const { amountMinor, serviceId, currency, direction, fingerprint, kind, merchantId, transferKind, ...rest } = row
  const person = serviceId === undefined ? {} : { serviceId }
  const command = yield* decodeCommand(
    kind === "ERASURE"
      ? { _tag: "Erasure", ...person }
      : {
          _tag: "Transfer",
          kind: transferKind,
          ...(direction === undefined ? {} : { direction }),
          amount: { currency, minor: amountMinor },
          ...(merchantId === undefined ? {} : { merchantId }),
          ...person
        }
  )
  const proposal: Proposal = { ...rest, command }
  return { proposal, fingerprint }
})

const decode = (rows: ReadonlyArray<unknown>) =>
  Effect.flatMap(decodeRows(rows), (decoded) => Effect.forEach(decoded, storedOf))

const added = JsonRow.tableRow("proposal", {
  id: JsonRow.uuid,
  environment: Schema.String,
  kind: Schema.String,
  transfer_kind: Schema.UndefinedOr(Schema.String),
  direction: Schema.UndefinedOr(Schema.String),
  currency: Schema.UndefinedOr(Schema.String),
  amount_minor: Schema.UndefinedOr(JsonRow.amount),
  merchant_id: Schema.UndefinedOr(JsonRow.uuid),
  service_id: Schema.UndefinedOr(Schema.String),
  reason: Schema.String,
  idempotency_key: Schema.String,
  fingerprint: Schema.String,
  proposed_by: Schema.String,
  proposed_at: JsonRow.time,
  ends_at: JsonRow.time,
  status: Schema.String
})

const rowOf = ({ fingerprint, idempotencyKey, proposal }: ProposalPlan) => {
  const { command, endsAt, environment, id, proposedAt, proposedBy, reason, status } = proposal
  const transfer = command._tag === "Transfer" ? command : undefined
  return {
    id,
    environment,
    kind: command._tag === "Transfer" ? "TRANSFER" : "ERASURE",
    transfer_kind: transfer?.kind,
    direction: transfer?.direction,
    currency: transfer?.amount.currency,
    amount_minor: transfer?.amount.minor,
    merchant_id: transfer?.merchantId,
    service_id: command.serviceId,
    reason,
    idempotency_key: idempotencyKey,
    fingerprint,
    proposed_by: proposedBy,
    proposed_at: proposedAt,
    ends_at: endsAt,
    status
  }
}

const cursors = cursorCodec(Schema.Tuple([moment, Column.proposalId]))

/** `carryOut` makes the change and approves the proposal in one transaction. */
export const layer: Layer.Layer<ProposalStore, never, PgClient> = Layer.effect(
  ProposalStore,
  Effect.gen(function* () {
    const database = yield* Database.make
    const { environmentIs, name, sql, verb } = database
    const inOneCommit = makeInOneCommit(database)
    const proposals = name("proposal")
    const all = sql.literal(columns)
    const once = sql.literal("(select) as once")

    const underKey = (environment: Environment, idempotencyKey: IdempotencyKey) =>
      Effect.flatMap(
        sql`
          select ${all} from ${proposals} p
          where p.idempotency_key = ${idempotencyKey} and p.environment = ${environment}`,
        decode
      )

    const propose = Effect.fn("PgProposalStore.propose")(function* (
      plan: ProposalPlan
    ): Effect.fn.Return<ProposeOutcome, Database.InnerError> {
      const rows = yield* sql`
        ${added.insertWhen(database, rowOf(plan), once)}
        on conflict (idempotency_key, environment) do nothing returning 1`
      if (rows.length > 0) return { _tag: "Proposed" }
      const [earlier] = yield* underKey(plan.proposal.environment, plan.idempotencyKey)
      return earlier === undefined
        ? yield* Effect.die(new Error("a proposal that is in the way is stored"))
        : { _tag: "Existing", ...earlier }
    }, verb("ProposalStore.propose"))

    const find = Effect.fn("PgProposalStore.find")(function* (environment: Environment, id: ProposalId) {
      const rows = yield* sql`
        select ${all} from ${proposals} p where p.id = ${toUuid(id)} and p.environment = ${environment}`
      return Option.map(Arr.head(yield* decode(rows)), ({ proposal }) => proposal)
    }, verb("ProposalStore.find"))

    const findByKey: ProposalStore["Service"]["findByKey"] = Effect.fn("PgProposalStore.findByKey")(
      (environment, idempotencyKey) =>
        Effect.map(underKey(environment, idempotencyKey), (found) =>
          Option.map(Arr.head(found), ({ proposal }) => proposal)
        ),
      verb("ProposalStore.findByKey")
    )

    const isOf = (status: ProposalStatus, now: DateTime.Utc) => {
      const at = DateTime.toDate(now)
      if (status === "OPEN") return sql`and p.status = 'OPEN' and p.ends_at > ${at}`
      if (status === "EXPIRED") return sql`and p.status = 'OPEN' and p.ends_at <= ${at}`
      return sql`and p.status = ${status}`
    }

    const list: ProposalStore["Service"]["list"] = Effect.fn("PgProposalStore.list")(
      ({ environment, erasureOf, now, status }: ProposalFilter, page) =>
        pageOfRows(
          page,
          cursors,
          ({ id, proposedAt }: Proposal) => [DateTime.toEpochMillis(proposedAt), id] as const,
          (after, limit) =>
            sql`
              select ${all} from ${proposals} p where ${environmentIs("p", environment)}
              ${status === undefined ? sql`` : isOf(status, now)}
              ${erasureOf === undefined ? sql`` : sql`and p.kind = 'ERASURE' and p.service_id = ${erasureOf}`}
              ${after === undefined ? sql`` : sql`and (p.proposed_at, p.id) < (${new Date(after[0])}, ${toUuid(after[1])})`}
              order by p.proposed_at desc, p.id desc limit ${limit}`.pipe(
              Effect.flatMap(decode),
              Effect.map((found) => found.map(({ proposal }) => proposal))
            )
        ),
      verb("ProposalStore.list")
    )

    /** Locks the proposal, so a concurrent decision waits for this transaction and then sees its result. */
    const lock = ({ environment, id }: ProposalDecision) =>
      sql`
        select ${all} from ${proposals} p
        where p.id = ${toUuid(id)} and p.environment = ${environment} for no key update`.pipe(
        Effect.flatMap(decode),
        Effect.map(([stored]) => stored?.proposal)
      )

    const approve = ({ at, by, id }: ProposalDecision, { transferId }: CarriedOut<unknown>) => sql`
      update ${proposals} set status = 'APPROVED', decided_by = ${by}, decided_at = ${DateTime.toDate(at)},
        transfer_id = ${transferId === undefined ? null : toUuid(transferId)}
      where id = ${toUuid(id)}`

    const carryOut: ProposalStore["Service"]["carryOut"] = (decision, change) =>
      inOneCommit(
        "ProposalStore.carryOut",
        Effect.flatMap(lock(decision), (open) =>
          open === undefined || !mayApprove(open, decision.by, decision.at)
            ? Effect.succeedNone
            : Effect.map(Effect.mapError(change(open), refused), (carriedOut) => Option.some({ open, carriedOut }))
        ),
        Option.match({
          onNone: () => Effect.void,
          onSome: ({ carriedOut }) => approve(decision, carriedOut)
        })
      ).pipe(
        Effect.map(
          Option.map(({ carriedOut: { result, transferId }, open }) => {
            const { at: decidedAt, by: decidedBy } = decision
            const proposal: Proposal = {
              ...open,
              status: "APPROVED",
              decidedBy,
              decidedAt,
              ...(transferId === undefined ? {} : { transferId })
            }
            return { proposal, result }
          })
        ),
        Effect.withSpan("PgProposalStore.carryOut")
      )

    const begin = Effect.fn("PgProposalStore.begin")(function* ({ at, by, environment, id }: ProposalDecision) {
      const begunAt = DateTime.toDate(at)
      const rows = yield* sql`
        update ${proposals} p set begun_at = coalesce(p.begun_at, ${begunAt}::timestamptz)
        where p.id = ${toUuid(id)} and p.environment = ${environment} and p.status = 'OPEN' and p.ends_at > ${begunAt}
          and lower(p.proposed_by) <> lower(${by}::text collate "C")
        returning 1`
      return rows.length > 0
    }, verb("ProposalStore.begin"))

    const refuse = Effect.fn("PgProposalStore.refuse")(function* (
      { at, by, environment, id }: ProposalDecision,
      refusal: string,
      begun: BegunProposals
    ) {
      const decidedAt = DateTime.toDate(at)
      const rows = yield* sql`
        update ${proposals} p
        set status = 'REFUSED', decided_by = ${by}, decided_at = ${decidedAt}, refusal = ${refusal}
        where p.id = ${toUuid(id)} and p.environment = ${environment} and p.status = 'OPEN' and p.ends_at > ${decidedAt}
          ${begun === "KEEP_BEGUN" ? sql`and p.begun_at is null` : sql``}
        returning ${all}`
      return Option.map(Arr.head(yield* decode(rows)), ({ proposal }) => proposal)
    }, verb("ProposalStore.refuse"))

    return ProposalStore.of({ propose, find, findByKey, list, carryOut, begin, refuse })
  })
)
