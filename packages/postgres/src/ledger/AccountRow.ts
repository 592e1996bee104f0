import { fromUuid, type MerchantId, toUuid } from "@surety/core/Ids"
import type { AccountKey, AccountKind, AccountPart, Books } from "@surety/core/ledger/Account"
import type { Fragment } from "effect/sql/Statement"
import type { Database } from "../sql/Database.js"

/** Represents the platform's own books in columns with a foreign key. */
export const platformBooks = "00000000-0000-0000-0000-000000000000"

/** The uuid of a part's books. */
export const booksUuid = ({ books }: AccountPart): string => (books === "platform" ? platformBooks : toUuid(books))

/** The merchant in whose books a part is; null in the platform's own. */
export const merchantOf = ({ books }: AccountPart): string | null => (books === "platform" ? null : toUuid(books))

/** The consumer that owns a wallet. */
export const consumerOf = ({ kind, owner }: AccountKey): string | null => (kind === "WALLET" ? owner : null)

/** The owner's column text of the row `alias`: a user id, a merchant's uuid, or `platform`. */
export const ownerText = (alias: string): string =>
  `case ${alias}.kind when 'WALLET' then ${alias}.user_id when 'SETTLEMENT' then ${alias}.merchant_id::text
    else 'platform' end`

/** The owner as keys name it, from `ownerText`. */
export const ownerOf = (kind: AccountKind, owner: string): string =>
  kind === "SETTLEMENT" ? fromUuid("merchant", owner) : owner

/** The merchant's books; the platform's without a merchant. */
export const booksOf = (merchantId: MerchantId | undefined): Books => merchantId ?? "platform"

/** Whether the row `a` is a part of the account. No index finds `is not distinct from`: each kind has a condition. */
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
