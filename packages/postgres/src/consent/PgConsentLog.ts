import type { PgClient } from "@effect/sql-pg/PgClient"
import type { AskingBlock } from "@surety/core/consent/asking/AskingBlock"
import {
  type ConsentListing,
  ConsentLog,
  type LinkedDataRequest,
  type PersonFilter
} from "@surety/core/consent/ConsentLog"
import type { ConsentTarget } from "@surety/core/consent/ConsentStore"
import type { ConsentTokenHash } from "@surety/core/consent/link/ConsentToken"
import type { Receipt } from "@surety/core/consent/receipt/Receipt"
import { genesis } from "@surety/core/consent/receipt/ReceiptChain"
import { type DataRequestId, type GrantId, toUuid } from "@surety/core/Ids"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import type { PageRequest } from "@surety/core/Page"
import { Array as Arr, DateTime, Effect, Layer, Option, Schema } from "effect"
import type { Fragment } from "effect/sql/Statement"
import * as Column from "../sql/ColumnSchemas.js"
import * as Database from "../sql/Database.js"
import { type CursorCodec, cursorCodec, cursorText, moment, pageOfRows } from "../sql/listCursor.js"
import * as AskingRow from "./AskingRow.js"
import * as DataRequestRow from "./DataRequestRow.js"
import * as GrantRow from "./GrantRow.js"
import * as IdentityReadRow from "./IdentityReadRow.js"
import { makeLastReads } from "./lastReads.js"
import { isTarget } from "./loadConsents.js"
import * as ReceiptRow from "./ReceiptRow.js"
import { makeVerifiedChains } from "./verifiedChains.js"

const requestCursors = cursorCodec(Schema.Tuple([Column.dataRequestId]))
const grantCursors = cursorCodec(Schema.Tuple([Column.grantId]))
const readCursors = cursorCodec(Schema.Tuple([Column.identityReadId]))
const personReceiptCursors = cursorCodec(Schema.Tuple([Column.receiptId]))
const blockCursors = cursorCodec(Schema.Tuple([moment, Column.merchantId, cursorText]))
const receiptCursors = cursorCodec(Schema.Tuple([Schema.Int]))

/** Most lists are ordered by id, because ids sort by time. */
export const layer: Layer.Layer<ConsentLog, never, PgClient> = Layer.effect(
  ConsentLog,
  Effect.gen(function* () {
    const database = yield* Database.make
    const { environmentIs, name, sql, verb } = database
    const requests = name("data_request")
    const requestColumns = DataRequestRow.columnsOf(database)

    const isListed = (
      alias: string,
      { environment, merchantId }: ConsentListing,
      { userId }: PersonFilter
    ): Fragment => {
      const of = sql.literal(alias)
      return sql`${environmentIs(alias, environment)}
        ${merchantId === undefined ? sql`` : sql`and ${of}.merchant_id = ${toUuid(merchantId)}`}
        ${userId === undefined ? sql`` : sql`and ${of}.user_id = ${userId}`}`
    }

    /** Reads a page of the rows that `selected` finds, newest first by the `id` of the table with this alias. */
    const pageById = <Id extends string, Row extends { readonly id: Id }, E>(
      request: PageRequest,
      cursors: CursorCodec<readonly [Id]>,
      alias: string,
      selected: Fragment,
      decode: (rows: ReadonlyArray<unknown>) => Effect.Effect<ReadonlyArray<Row>, E>
    ) => {
      const of = sql.literal(alias)
      return pageOfRows(
        request,
        cursors,
        ({ id }: Row) => [id] as const,
        (after, limit) =>
          Effect.flatMap(
            sql`${selected} ${after === undefined ? sql`` : sql`and ${of}.id < ${toUuid(after[0])}`}
              order by ${of}.id desc limit ${limit}`,
            decode
          )
      )
    }

    const findRequest = Effect.fn("PgConsentLog.findRequest")(function* (target: ConsentTarget<DataRequestId>) {
      const rows = yield* sql`select ${requestColumns} from ${requests} r where ${isTarget(database, "r", target)}`
      return Arr.head(yield* DataRequestRow.decode(rows))
    }, verb("ConsentLog.findRequest"))

    const findByToken = Effect.fn("PgConsentLog.findByToken")(function* (tokenHash: ConsentTokenHash) {
      const rows = yield* sql`
        select ${DataRequestRow.linkedColumnsOf(database)}
        from ${requests} r join ${name("merchant")} m on m.id = r.merchant_id
        where r.token_hash = ${tokenHash}`
      return Arr.head(yield* DataRequestRow.decodeLinked(rows))
    }, verb("ConsentLog.findByToken"))

    const listRequests: ConsentLog["Service"]["listRequests"] = Effect.fn("PgConsentLog.listRequests")(
      (listing, filter, request) =>
        pageById(
          request,
          requestCursors,
          "r",
          sql`select ${requestColumns} from ${requests} r where ${isListed("r", listing, filter)}`,
          DataRequestRow.decode
        ),
      verb("ConsentLog.listRequests")
    )

    const listBlocks: ConsentLog["Service"]["listBlocks"] = Effect.fn("PgConsentLog.listBlocks")(
      (listing, filter, request) =>
        pageOfRows(
          request,
          blockCursors,
          ({ blockedAt, merchantId, userId }: AskingBlock) =>
            [DateTime.toEpochMillis(blockedAt), merchantId, userId] as const,
          (after, limit) =>
            Effect.flatMap(
              sql`
                select ${sql.literal(AskingRow.blockColumns)} from ${name("asking")} a
                join ${name("consumer")} c on c.environment = a.environment and c.id = a.user_id
                where ${isListed("a", listing, filter)}
                  and a.blocked_at is not null and a.lifted_at is null
                  ${after === undefined ? sql`` : sql`and (a.blocked_at, a.merchant_id, a.user_id) < (${new Date(after[0])}, ${toUuid(after[1])}, ${after[2]})`}
                order by a.blocked_at desc, a.merchant_id desc, a.user_id desc limit ${limit}`,
              AskingRow.decodeBlocks
            )
        ),
      verb("ConsentLog.listBlocks")
    )

    const listPending: ConsentLog["Service"]["listPending"] = Effect.fn("PgConsentLog.listPending")(
      (environment, now, request) =>
        pageOfRows(
          request,
          requestCursors,
          ({ request: { id } }: LinkedDataRequest) => [id] as const,
          (after, limit) =>
            Effect.flatMap(
              sql`
                select ${DataRequestRow.linkedColumnsOf(database)}
                from (
                  select q.* from (
                    -- The offset keeps the planner from using the index on the expiry, which would read all pending
                    -- requests.
                    select * from ${requests} r where ${environmentIs("r", environment)} and r.status = 'PENDING'
                    ${after === undefined ? sql`` : sql`and r.id < ${toUuid(after[0])}`} order by r.id desc offset 0
                  ) q where q.expires_at > ${DateTime.toDate(now)} limit ${limit}
                ) r join ${name("merchant")} m on m.id = r.merchant_id
                order by r.id desc`,
              DataRequestRow.decodeLinked
            )
        ),
      verb("ConsentLog.listPending")
    )

    const findGrant = Effect.fn("PgConsentLog.findGrant")(function* (target: ConsentTarget<GrantId>) {
      const rows = yield* sql`
        select ${sql.literal(GrantRow.columns)} from ${name("consent_grant")} g where ${isTarget(database, "g", target)}`
      return Arr.head(yield* GrantRow.decode(rows))
    }, verb("ConsentLog.findGrant"))

    const listGrants: ConsentLog["Service"]["listGrants"] = Effect.fn("PgConsentLog.listGrants")(
      (listing, filter, request) =>
        pageById(
          request,
          grantCursors,
          "g",
          sql`select ${sql.literal(GrantRow.columns)} from ${name("consent_grant")} g
            where ${isListed("g", listing, filter)}`,
          GrantRow.decode
        ),
      verb("ConsentLog.listGrants")
    )

    const listReads: ConsentLog["Service"]["listReads"] = Effect.fn("PgConsentLog.listReads")(
      (listing, filter, request) =>
        pageById(
          request,
          readCursors,
          "i",
          sql`select ${sql.literal(IdentityReadRow.columns)} from ${name("identity_read")} i
            where ${isListed("i", listing, filter)}`,
          IdentityReadRow.decode
        ),
      verb("ConsentLog.listReads")
    )

    const isOfChain = ({ environment, merchantId }: MerchantScope): Fragment =>
      sql`p.merchant_id = ${toUuid(merchantId)} and p.environment = ${environment}`

    const listReceipts: ConsentLog["Service"]["listReceipts"] = Effect.fn("PgConsentLog.listReceipts")(
      (scope, { userId }, request) =>
        pageOfRows(
          request,
          receiptCursors,
          ({ sequence }: Receipt) => [sequence] as const,
          (after, limit) =>
            Effect.flatMap(
              sql`
                select ${sql.literal(ReceiptRow.columns)} from ${name("consent_receipt")} p
                where ${isOfChain(scope)} ${userId === undefined ? sql`` : sql`and p.user_id = ${userId}`}
                ${after === undefined ? sql`` : sql`and p.sequence < ${after[0]}`}
                order by p.sequence desc limit ${limit}`,
              ReceiptRow.decode
            )
        ),
      verb("ConsentLog.listReceipts")
    )

    // Searches the receipts' bodies for the grant's id. A body is JSON, which escapes quotes in a merchant's own text.
    // That text therefore cannot imitate the id of another grant.
    const listGrantReceipts: ConsentLog["Service"]["listGrantReceipts"] = Effect.fn("PgConsentLog.listGrantReceipts")(
      function* (scope, { id, userId }) {
        const rows = yield* sql`
          select ${sql.literal(ReceiptRow.columns)} from ${name("consent_receipt")} p
          where ${isOfChain(scope)} and p.user_id = ${userId} and strpos(p.body, ${`"recordId":"${id}"`}) > 0
          order by p.sequence`
        return yield* ReceiptRow.decode(rows)
      },
      verb("ConsentLog.listGrantReceipts")
    )

    const listDisowned: ConsentLog["Service"]["listDisowned"] = Effect.fn("PgConsentLog.listDisowned")(
      (environment, request) =>
        pageById(
          request,
          requestCursors,
          "r",
          sql`select ${requestColumns} from ${requests} r
            where ${environmentIs("r", environment)} and r.denial_reason = 'NOT_ME'`,
          DataRequestRow.decode
        ),
      verb("ConsentLog.listDisowned")
    )

    const listPersonReceipts: ConsentLog["Service"]["listPersonReceipts"] = Effect.fn(
      "PgConsentLog.listPersonReceipts"
    )(
      (listing, userId, request) =>
        pageById(
          request,
          personReceiptCursors,
          "p",
          sql`select ${sql.literal(ReceiptRow.columns)} from ${name("consent_receipt")} p
            where ${isListed("p", listing, { userId })}`,
          ReceiptRow.decode
        ),
      verb("ConsentLog.listPersonReceipts")
    )

    const findPersonReceipt: ConsentLog["Service"]["findPersonReceipt"] = Effect.fn("PgConsentLog.findPersonReceipt")(
      function* (listing, userId, id) {
        const rows = yield* sql`
          select ${sql.literal(ReceiptRow.columns)} from ${name("consent_receipt")} p
          where p.id = ${toUuid(id)} and ${isListed("p", listing, { userId })}`
        return Arr.head(yield* ReceiptRow.decode(rows))
      },
      verb("ConsentLog.findPersonReceipt")
    )

    const chainEnd = Effect.fn("PgConsentLog.chainEnd")(function* (scope: MerchantScope) {
      const rows = yield* sql`select p.sequence, p.hash from ${name("receipt_chain_end")} p where ${isOfChain(scope)}`
      return Option.getOrElse(Arr.head(yield* ReceiptRow.decodeHeads(rows)), () => genesis)
    }, verb("ConsentLog.chainEnd"))

    const chain = Effect.fn("PgConsentLog.chain")(function* (scope: MerchantScope, after: number, limit: number) {
      const rows = yield* sql`
        select ${sql.literal(ReceiptRow.columns)} from ${name("consent_receipt")} p
        where ${isOfChain(scope)} and p.sequence > ${after} order by p.sequence limit ${limit}`
      return yield* ReceiptRow.decode(rows)
    }, verb("ConsentLog.chain"))

    return ConsentLog.of({
      findRequest,
      findByToken,
      listRequests,
      listPending,
      listBlocks,
      findGrant,
      listGrants,
      listReads,
      listReceipts,
      listDisowned,
      listGrantReceipts,
      listPersonReceipts,
      findPersonReceipt,
      chainEnd,
      chain,
      ...makeLastReads(database),
      ...makeVerifiedChains(database)
    })
  })
)
