import { ConsentLog, type LinkedDataRequest } from "@surety/core/consent/ConsentLog"
import { DateTime, Effect, Layer, Option } from "effect"
import { blockedAs, blocks } from "./asking.ts"
import { Database, type Sql } from "./Database.ts"
import { pageOf } from "./pages.ts"
import { chainEnd, receipts } from "./receiptChain.ts"
import { controllerIn, reads } from "./SqliteConsentStore.ts"
import { findMerchant } from "./SqliteMerchantStore.ts"
import { dataRequests, findDataRequest, type StoredDataRequest } from "./StoredDataRequest.ts"
import { findGrant, grants } from "./StoredGrant.ts"
import type { Row } from "./StoredRecord.ts"

/** A request with what those who bring it to the person need. */
export const linkedOf = (sql: Sql, { link, request }: StoredDataRequest): LinkedDataRequest => ({
  request,
  controller: controllerIn(sql, request.merchantId),
  merchantStatus: findMerchant(sql, request.merchantId)?.status ?? "CLOSED",
  blockedAs: blockedAs(sql, request, request.userId),
  sealedUrl: link?.sealedUrl
})

const requestIn = ({ record }: Row) => dataRequests.parse(record).request

type Requests = Pick<
  ConsentLog["Service"],
  "findRequest" | "findByToken" | "listRequests" | "listPending" | "listDisowned" | "listBlocks"
>

const requests = ({ read }: Database["Service"]): Requests => ({
  findRequest: (target) =>
    read("ConsentLog.findRequest", (sql) => Option.fromUndefinedOr(findDataRequest(sql, target)?.request)),

  findByToken: (tokenHash) =>
    read("ConsentLog.findByToken", (sql) => {
      const stored = dataRequests.of(sql.get`select record from data_request where token_hash = ${tokenHash}`)
      return Option.fromUndefinedOr(stored && linkedOf(sql, stored))
    }),

  listRequests: ({ environment, merchantId = null }, { userId = null }, page) =>
    read("ConsentLog.listRequests", (sql) =>
      pageOf(
        page,
        ({ at, id }, limit) => sql.all`
          select record, created_at as at, id from data_request
          where environment = ${environment} and merchant_id = coalesce(${merchantId}, merchant_id)
            and user_id = coalesce(${userId}, user_id) and (created_at, id) < (${at}, ${id})
          order by created_at desc, id desc limit ${limit}`,
        requestIn
      )
    ),

  listBlocks: ({ environment, merchantId = null }, page) =>
    read("ConsentLog.listBlocks", (sql) =>
      pageOf(
        page,
        ({ at, id }, limit) => sql.all`
          select record, blocked_at as at, merchant_id || user_id as id from asking_block
          where environment = ${environment} and merchant_id = coalesce(${merchantId}, merchant_id)
            and lifted_at is null and (blocked_at, merchant_id || user_id) < (${at}, ${id})
          order by blocked_at desc, merchant_id || user_id desc limit ${limit}`,
        (row) => blocks.parse(row.record)
      )
    ),

  listPending: (environment, now, page) =>
    read("ConsentLog.listPending", (sql) =>
      pageOf(
        page,
        ({ at, id }, limit) => sql.all`
          select record, created_at as at, id from data_request
          where environment = ${environment} and status = 'PENDING' and expires_at > ${DateTime.formatIso(now)}
            and (created_at, id) < (${at}, ${id})
          order by created_at desc, id desc limit ${limit}`,
        ({ record }) => linkedOf(sql, dataRequests.parse(record))
      )
    ),

  listDisowned: (environment, page) =>
    read("ConsentLog.listDisowned", (sql) =>
      pageOf(
        page,
        ({ at, id }, limit) => sql.all`
          select record, created_at as at, id from data_request
          where environment = ${environment} and denial_reason = 'NOT_ME' and (created_at, id) < (${at}, ${id})
          order by created_at desc, id desc limit ${limit}`,
        requestIn
      )
    )
})

type Receipts = Pick<
  ConsentLog["Service"],
  "listReceipts" | "listPersonReceipts" | "findPersonReceipt" | "chainEnd" | "chain"
>

const chains = ({ read }: Database["Service"]): Receipts => ({
  listReceipts: ({ environment, merchantId }, { userId = null }, page) =>
    read("ConsentLog.listReceipts", (sql) =>
      pageOf(
        page,
        ({ at }, limit) => sql.all`
          select record, printf('%019d', sequence) as at, '' as id from consent_receipt
          where merchant_id = ${merchantId} and environment = ${environment}
            and user_id = coalesce(${userId}, user_id) and at < ${at}
          order by sequence desc limit ${limit}`,
        ({ record }) => receipts.parse(record)
      )
    ),

  // Ids begin with their moment.
  listPersonReceipts: ({ environment, merchantId = null }, userId, page) =>
    read("ConsentLog.listPersonReceipts", (sql) =>
      pageOf(
        page,
        ({ at }, limit) => sql.all`
          select record, id as at, id from consent_receipt
          where environment = ${environment} and merchant_id = coalesce(${merchantId}, merchant_id)
            and user_id = ${userId} and id < ${at}
          order by id desc limit ${limit}`,
        ({ record }) => receipts.parse(record)
      )
    ),

  findPersonReceipt: ({ environment, merchantId = null }, userId, id) =>
    read("ConsentLog.findPersonReceipt", (sql) =>
      Option.fromUndefinedOr(
        receipts.of(sql.get`
          select record from consent_receipt
          where id = ${id} and environment = ${environment} and user_id = ${userId}
            and merchant_id = coalesce(${merchantId}, merchant_id)`)
      )
    ),

  chainEnd: (scope) => read("ConsentLog.chainEnd", (sql) => chainEnd(sql, scope)),

  chain: ({ environment, merchantId }, after, limit) =>
    read("ConsentLog.chain", (sql) =>
      receipts.all(sql.all`
        select record from consent_receipt
        where merchant_id = ${merchantId} and environment = ${environment} and sequence > ${after}
        order by sequence limit ${limit}`)
    )
})

export const make = (database: Database["Service"]): ConsentLog["Service"] =>
  ConsentLog.of({
    ...requests(database),
    ...chains(database),

    findGrant: (target) =>
      database.read("ConsentLog.findGrant", (sql) => Option.fromUndefinedOr(findGrant(sql, target))),

    listGrants: ({ environment, merchantId = null }, { userId = null }, page) =>
      database.read("ConsentLog.listGrants", (sql) =>
        pageOf(
          page,
          ({ at, id }, limit) => sql.all`
            select record, granted_at as at, id from consent_grant
            where environment = ${environment} and merchant_id = coalesce(${merchantId}, merchant_id)
              and user_id = coalesce(${userId}, user_id) and (granted_at, id) < (${at}, ${id})
            order by granted_at desc, id desc limit ${limit}`,
          ({ record }) => grants.parse(record)
        )
      ),

    listReads: ({ environment, merchantId = null }, { userId = null }, page) =>
      database.read("ConsentLog.listReads", (sql) =>
        pageOf(
          page,
          ({ at, id }, limit) => sql.all`
            select record, read_at as at, id from identity_read
            where environment = ${environment} and merchant_id = coalesce(${merchantId}, merchant_id)
              and user_id = coalesce(${userId}, user_id) and (read_at, id) < (${at}, ${id})
            order by read_at desc, id desc limit ${limit}`,
          ({ record }) => reads.parse(record)
        )
      )
  })

export const layer: Layer.Layer<ConsentLog, never, Database> = Layer.effect(ConsentLog, Effect.map(Database, make))
