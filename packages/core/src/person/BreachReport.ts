import type { DateTime } from "effect"
import { Effect } from "effect"
import type { IdentityRead } from "../consent/read/IdentityRead.js"
import type { ConsumerId } from "../consumer/ConsumerId.js"
import type { IdentityField } from "../consumer/IdentityField.js"
import type { ApiKeyId, MerchantId } from "../Ids.js"
import { PersonLog, type ReadFilter } from "./PersonLog.js"

/** Summary of the reads of one person's data for a merchant, made with one API key or by the host without a key. */
export interface BreachLine {
  readonly merchantId: MerchantId
  /** Undefined if the host read without a key. */
  readonly apiKeyId: ApiKeyId | undefined
  readonly serviceId: ConsumerId
  readonly fields: ReadonlyArray<IdentityField>
  readonly reads: number
  readonly firstAt: DateTime.Utc
  readonly lastAt: DateTime.Utc
}

const readAtOnce = 500

const keyOf = ({ apiKeyId, merchantId, serviceId }: IdentityRead): string => [merchantId, apiKeyId, serviceId].join("/")

const extended = (line: BreachLine | undefined, read: IdentityRead): BreachLine => ({
  merchantId: read.merchantId,
  apiKeyId: read.apiKeyId,
  serviceId: read.serviceId,
  fields: [...new Set([...(line?.fields ?? []), ...read.fields])],
  reads: (line?.reads ?? 0) + 1,
  // Reads arrive newest first, so this read is the earliest so far.
  firstAt: read.readAt,
  lastAt: line?.lastAt ?? read.readAt
})

/**
 * Summarises whose data was read, for which merchants and with which API keys. Intended for the notice due within 72
 * hours of a breach (NDPA 2023 s. 40). The line with the latest read comes first. Contains field names, never values.
 */
export const breachReport = Effect.fn("breachReport")(function* (filter: ReadFilter) {
  const log = yield* PersonLog
  const lines = new Map<string, BreachLine>()
  let cursor: string | undefined
  do {
    const page = yield* log.reads(filter, { limit: readAtOnce, cursor })
    for (const read of page.data) lines.set(keyOf(read), extended(lines.get(keyOf(read)), read))
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return [...lines.values()]
})
