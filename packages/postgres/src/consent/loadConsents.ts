import { AskingBlockReason } from "@surety/core/consent/asking/AskingBlock"
import type { ConsentTarget, DataRequestLookup, PersonLookup } from "@surety/core/consent/ConsentStore"
import type { GrantEndSnapshot, GrantSnapshot } from "@surety/core/consent/grant/decideGrant"
import type { IdentityReadSnapshot } from "@surety/core/consent/read/decideIdentityRead"
import type { DataRequestSnapshot } from "@surety/core/consent/request/decideDataRequest"
import { type DataRequestId, type GrantId, toUuid, UserId } from "@surety/core/Ids"
import { Fingerprint } from "@surety/core/idempotency/Fingerprint"
import { MerchantStatus } from "@surety/core/merchant/Merchant"
import { Array as Arr, Effect, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import * as Column from "../sql/ColumnSchemas.js"
import type { Database } from "../sql/Database.js"
import * as AskingRow from "./AskingRow.js"
import * as DataRequestRow from "./DataRequestRow.js"
import * as GrantRow from "./GrantRow.js"

type Loaded<A> = Effect.Effect<A, SqlError | Schema.SchemaError>

const PartiesRow = Schema.Struct({
  controller: DataRequestRow.ControllerColumn,
  merchantStatus: MerchantStatus,
  ownPurpose: Column.nullable(Schema.String),
  returnUrls: Schema.Array(Schema.String),
  userId: Column.nullable(UserId)
})

const PriorRow = Schema.Struct({
  priorId: Column.nullable(Column.dataRequestId),
  fingerprint: Column.nullable(Fingerprint),
  answer: Column.nullable(Schema.String),
  ...DataRequestRow.LinkColumns.fields
})

const RequestRow = Schema.Tuple([
  Schema.Struct({
    ...PartiesRow.fields,
    ...PriorRow.fields,
    isRestricted: Schema.Boolean,
    grants: Schema.Unknown,
    ...AskingRow.HistoryRow.fields
  })
])
const decodeRequest = Schema.decodeUnknownEffect(RequestRow)
const decodeParties = Schema.decodeUnknownEffect(
  Schema.Tuple([
    Schema.Struct({
      ...PartiesRow.fields,
      blockedAs: Column.nullable(AskingBlockReason)
    })
  ])
)

const ReadRow = Schema.Struct({ userId: UserId, grants: Schema.Unknown, requests: Schema.Unknown })
const decodeRead = Schema.decodeUnknownEffect(Schema.Array(ReadRow))

const decodeControllers = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ controller: DataRequestRow.ControllerColumn }))
)

export const isTarget = (
  { sql }: Database,
  alias: string,
  { id, scope }: ConsentTarget<DataRequestId | GrantId>
): Fragment => {
  const of = sql.literal(alias)
  return scope === undefined
    ? sql`${of}.id = ${toUuid(id)}`
    : sql`${of}.id = ${toUuid(id)} and ${of}.merchant_id = ${toUuid(scope.merchantId)}
        and ${of}.environment = ${scope.environment}`
}

const isBetween = ({ sql }: Database, alias: string, { scope }: PersonLookup): Fragment => {
  const of = sql.literal(alias)
  return sql`${of}.user_id = c.id and ${of}.merchant_id = ${toUuid(scope.merchantId)}
    and ${of}.environment = ${scope.environment}`
}

const parties = ({ name, sql }: Database, { scope, serviceId }: PersonLookup): Fragment => sql`
  ${name("merchant")} m
  left join ${name("consumer")} c on c.service_id = ${serviceId} and c.environment = ${scope.environment}`

/**
 * Loads the snapshot for a new request, and the version of the `asking` row of the merchant and the person. The version
 * is undefined without such a row.
 */
export const loadRequest = Effect.fnUntraced(function* (database: Database, lookup: DataRequestLookup) {
  const { name, sql } = database
  const { idempotencyKey, scope } = lookup
  const [row] = yield* Effect.flatMap(
    sql`
      select c.id as "userId", m.status as "merchantStatus", c.restricted_at is not null as "isRestricted",
        r.id as "priorId", k.fingerprint, r.answer, ${AskingRow.historyColumns(database, lookup)},
        ${sql.literal(`${DataRequestRow.linkColumns}, ${DataRequestRow.partyColumns}`)},
        ${GrantRow.jsonOf(database, sql`${isBetween(database, "g", lookup)} and g.status = 'ACTIVE'`)} as grants
      from ${parties(database, lookup)}
      left join ${name("data_request_key")} k
        on k.idempotency_key = ${idempotencyKey} and k.merchant_id = m.id and k.environment = ${scope.environment}
      left join ${name("data_request")} r
        on r.id = k.data_request_id and r.merchant_id = k.merchant_id and r.environment = k.environment
      left join ${name("asking")} a
        on a.user_id = c.id and a.merchant_id = m.id and a.environment = ${scope.environment}
      where m.id = ${toUuid(scope.merchantId)}`,
    decodeRequest
  )
  const { answer, controller, fingerprint, grants, isRestricted, merchantStatus, ...rest } = row
  const { ownPurpose, priorId, returnUrls, userId, ...link } = rest
  const snapshot: DataRequestSnapshot = {
    prior:
      priorId === undefined || fingerprint === undefined || answer === undefined
        ? undefined
        : { requestId: priorId, fingerprint, answer, sealedUrl: DataRequestRow.sealedUrlOf(link) },
    controller,
    merchantStatus,
    ownPurpose,
    returnUrls,
    userId,
    ...(isRestricted ? { isRestricted } : {}),
    grants: yield* GrantRow.decodeJson(grants),
    open: yield* AskingRow.openOf(row.open),
    history: userId === undefined || !row.isBounded ? undefined : AskingRow.historyOf(lookup, userId, row)
  }
  return { snapshot, version: row.version }
})

/** Loads the snapshot for a grant without a request. */
export const loadParties = (database: Database, lookup: PersonLookup): Loaded<GrantSnapshot> =>
  database.sql`
    select c.id as "userId", ${database.sql.literal(DataRequestRow.partyColumns)}, m.status as "merchantStatus", (
        select a.block_reason from ${database.name("asking")} a
        where a.user_id = c.id and a.merchant_id = m.id and a.environment = ${lookup.scope.environment}
          and ${DataRequestRow.isStopped(database, database.sql`null::timestamptz`)}
      ) as "blockedAs"
    from ${parties(database, lookup)} where m.id = ${toUuid(lookup.scope.merchantId)}`.pipe(
    Effect.flatMap(decodeParties),
    Effect.map(([{ blockedAs, controller, merchantStatus, ownPurpose, userId }]) => ({
      controller,
      merchantStatus,
      ownPurpose,
      userId,
      blockedAs
    }))
  )

/**
 * Loads the snapshot for a decision on a request, if the request exists. Builds the statement only when the effect
 * runs, since a caller with a loaded snapshot may never run it.
 */
export const loadConsent = Effect.fnUntraced(function* (database: Database, target: ConsentTarget<DataRequestId>) {
  const { name, sql } = database
  const rows = yield* sql`
    select ${DataRequestRow.linkedColumnsOf(database)}
    from ${name("data_request")} r join ${name("merchant")} m on m.id = r.merchant_id
    where ${isTarget(database, "r", target)}`
  return Arr.head(yield* DataRequestRow.decodeLinked(rows))
})

/** Loads the snapshot for ending a grant, if the grant exists. */
export const loadGrant = Effect.fnUntraced(function* (database: Database, target: ConsentTarget<GrantId>) {
  const { name, sql } = database
  const rows = yield* sql`
    select ${sql.literal(`${GrantRow.columns}, ${DataRequestRow.controllerColumn}`)}
    from ${name("consent_grant")} g join ${name("merchant")} m on m.id = g.merchant_id
    where ${isTarget(database, "g", target)}`
  const grants = yield* GrantRow.decode(rows)
  const controllers = yield* decodeControllers(rows)
  return Arr.head(
    Arr.zipWith(grants, controllers, (grant, { controller }): GrantEndSnapshot => ({ grant, controller }))
  )
})

/** Loads the snapshot for a read. A restricted person is treated like an unknown one. */
export const loadHistory = Effect.fnUntraced(function* (database: Database, lookup: PersonLookup) {
  const { name, sql } = database
  const [found] = yield* Effect.flatMap(
    sql`
      select c.id as "userId", ${GrantRow.jsonOf(database, isBetween(database, "g", lookup))} as grants,
        ${DataRequestRow.jsonOf(database, isBetween(database, "r", lookup))} as requests
      from ${name("consumer")} c
      where c.service_id = ${lookup.serviceId} and c.environment = ${lookup.scope.environment}
        and c.restricted_at is null`,
    decodeRead
  )
  const snapshot: IdentityReadSnapshot =
    found === undefined
      ? { userId: undefined, grants: [], requests: [] }
      : {
          userId: found.userId,
          grants: yield* GrantRow.decodeJson(found.grants),
          requests: yield* DataRequestRow.decodeJson(found.requests)
        }
  return snapshot
})
