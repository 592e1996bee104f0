import { AskingBlock, isBlocking } from "@surety/core/consent/asking/AskingBlock"
import { askDay, isBounded } from "@surety/core/consent/asking/AskLimits"
import { type AskingHistory, isSameSet, wasAsked } from "@surety/core/consent/asking/decideAsk"
import type { DataRequestLookup } from "@surety/core/consent/ConsentStore"
import { purposeOf } from "@surety/core/consent/grant/ConsentPolicy"
import type { Controller } from "@surety/core/consent/receipt/Receipt"
import { isPending } from "@surety/core/consent/request/DataRequest"
import type { OpenQuestion } from "@surety/core/consent/request/decideDataRequest"
import type { Consumer } from "@surety/core/consumer/Consumer"
import type { UserId } from "@surety/core/Ids"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import { DateTime } from "effect"
import type { Sql } from "./Database.ts"
import { dataRequests, type StoredDataRequest } from "./StoredDataRequest.ts"
import { storedRecord } from "./StoredRecord.ts"

export const blocks = storedRecord(AskingBlock)

const findBlock = (sql: Sql, { environment, merchantId }: MerchantScope, userId: UserId): AskingBlock | undefined =>
  blocks.of(sql.get`
    select record from asking_block
    where merchant_id = ${merchantId} and environment = ${environment} and user_id = ${userId}`)

/** Why the merchant may not ask the person; absent unless a block is in force. */
export const blockedAs = (sql: Sql, scope: MerchantScope, userId: UserId): AskingBlock["reason"] | undefined => {
  const block = findBlock(sql, scope, userId)
  return isBlocking(block) ? block?.reason : undefined
}

const saveBlock = (sql: Sql, block: AskingBlock): void => {
  sql.run`
    insert into asking_block (record) values (${blocks.text(block)})
    on conflict (merchant_id, environment, user_id) do update set record = excluded.record`
}

/** Blocks the merchant from asking, unless a block is in force. */
export const keepBlock = (sql: Sql, block: AskingBlock): void => {
  if (!isBlocking(findBlock(sql, block, block.userId))) saveBlock(sql, block)
}

/** Lifts the block. Returns whether one was in force. */
export const liftBlock = (sql: Sql, scope: MerchantScope, userId: UserId, liftedAt: DateTime.Utc): boolean => {
  const block = findBlock(sql, scope, userId)
  if (block === undefined || !isBlocking(block)) return false
  saveBlock(sql, { ...block, liftedAt })
  return true
}

/** The merchant's requests to the person that are pending, were made in the last `askDay`, or were denied. */
const asksOf = (
  sql: Sql,
  { now, scope: { environment, merchantId } }: DataRequestLookup,
  userId: UserId
): ReadonlyArray<StoredDataRequest> =>
  dataRequests.all(sql.all`
    select record from data_request
    where merchant_id = ${merchantId} and environment = ${environment} and user_id = ${userId}
      and (status in ('PENDING', 'DENIED') or created_at > ${DateTime.formatIso(DateTime.subtractDuration(now, askDay))})
    order by id`)

/** What was asked before: the same question if it is pending, and the history if asking the person is bounded. */
export const askedBefore = (
  sql: Sql,
  lookup: DataRequestLookup,
  consumer: Consumer,
  merchant: { readonly controller: Controller; readonly ownPurpose: string | undefined }
): { readonly open: OpenQuestion | undefined; readonly history: AskingHistory | undefined } => {
  const { now, requestedFields, scope } = lookup
  const purpose = purposeOf(lookup.purpose, merchant)
  const all = asksOf(sql, lookup, consumer.id)
  const same = all.filter(
    ({ request }) => request.purpose === purpose && isSameSet(request.requestedFields, requestedFields)
  )
  const open = same.find(({ request }) => isPending(request, now))
  const since = DateTime.subtractDuration(now, askDay)
  const requests = all.map(({ request }) => request)
  const denials = same.flatMap(({ request: { decidedAt, status } }) =>
    status === "DENIED" && decidedAt !== undefined ? [decidedAt] : []
  )
  return {
    open: open?.kept && { request: open.request, answer: open.kept.answer, sealedUrl: open.link?.sealedUrl },
    history: isBounded(scope.environment, consumer)
      ? {
          block: findBlock(sql, scope, consumer.id),
          openUntil: requests.filter((request) => isPending(request, now)).map(({ expiresAt }) => expiresAt),
          madeAt: requests
            .filter((request) => wasAsked(request) && DateTime.isGreaterThan(request.createdAt, since))
            .map(({ createdAt }) => createdAt),
          deniedAt: denials.sort(DateTime.Order).at(-1)
        }
      : undefined
  }
}
