import { fromUuid, type MerchantId, toUuid } from "@surety/core/Ids"
import type { AccountKey, AccountKind, AccountPart, Books } from "@surety/core/ledger/Account"
import type { Fragment } from "effect/sql/Statement"
import type { Database } from "../sql/Database.js"

/** Nil UUID that stands for the platform's own books in foreign keys, where null would disable the check. */
export const platformBooks = "00000000-0000-0000-0000-000000000000"

export const booksUuid = ({ books }: AccountPart): string => (books === "platform" ? platformBooks : toUuid(books))

export const merchantOf = ({ books }: AccountPart): string | null => (books === "platform" ? null : toUuid(books))

export const consumerOf = ({ kind, owner }: AccountKey): string | null => (kind === "WALLET" ? owner : null)

export const ownerText = (alias: string): string =>
  `case ${alias}.kind when 'WALLET' then ${alias}.user_id when 'SETTLEMENT' then ${alias}.merchant_id::text
    else 'platform' end`

/** Converts the value of `ownerText` to the owner in an account key. */
export const ownerOf = (kind: AccountKind, owner: string): string =>
  kind === "SETTLEMENT" ? fromUuid("merchant", owner) : owner

export const booksOf = (merchantId: MerchantId | undefined): Books => merchantId ?? "platform"

/**
 * Builds the condition that row `a` is a part of the account. Each kind has its own condition, since `is not distinct
 * from` cannot use an index.
 */
export const isPartOf = ({ sql }: Database, key: AccountKey): Fragment => {
  const { currency, environment, kind, owner } = key
  const own = sql`a.environment = ${environment} and a.currency = ${currency}`
  switch (kind) {
    case "WALLET":
      return sql`a.user_id = ${owner} and ${own} and a.kind = 'WALLET'`
    case "SETTLEMENT":
      return sql`a.user_id is null and a.merchant_id = ${toUuid(owner)}::uuid and ${own} and a.kind = 'SETTLEMENT'`
    case "EXTERNAL":
      return sql`a.kind = 'EXTERNAL' and ${own}`
  }
}
