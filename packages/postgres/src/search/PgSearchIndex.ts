import type { PgClient } from "@effect/sql-pg/PgClient"
import { Currency } from "@surety/core/Currency"
import { Environment } from "@surety/core/Environment"
import { fromUuid, toUuid } from "@surety/core/Ids"
import { AmountMinor } from "@surety/core/Money"
import {
  type RecordPlace,
  type SearchBounds,
  type SearchedKind,
  type SearchGroup,
  type SearchHit,
  SearchIndex,
  searchedKinds
} from "@surety/core/search/SearchIndex"
import type { PlacedId, PlacedKind, SearchTerms } from "@surety/core/search/SearchTerms"
import { Array as Arr, Effect, Layer, Option, Redacted, Schema } from "effect"
import type { Fragment } from "effect/sql/Statement"
import * as Column from "../sql/ColumnSchemas.js"
import * as Database from "../sql/Database.js"

/** A record kind's table, and its columns for the environment, merchant and consumer. */
interface PlacedTable {
  readonly table: string
  readonly environment?: string
  readonly merchant?: string
  /** Column with the person's service id, or with the user id by which to look it up. */
  readonly consumer?: "service_id" | "user_id"
  /** Condition that excludes rows of removed records. */
  readonly only?: string
}

const ofMerchant = { environment: "environment", merchant: "merchant_id" } as const
const ofPerson = { ...ofMerchant, consumer: "service_id" } as const

const tables: Readonly<Record<PlacedKind, PlacedTable>> = {
  merchant: { table: "merchant", merchant: "id" },
  api_key: { table: "api_key", ...ofMerchant },
  endpoint: { table: "webhook_endpoint", ...ofMerchant, only: "t.removed_at is null" },
  verification: { table: "verification", ...ofPerson },
  refund: { table: "refund", ...ofMerchant },
  transfer: { table: "transfer", environment: "environment" },
  data_request: { table: "data_request", ...ofPerson },
  grant: { table: "consent_grant", ...ofPerson },
  receipt: { table: "consent_receipt", ...ofMerchant, consumer: "user_id" },
  identity_read: { table: "identity_read", ...ofPerson },
  rights_request: { table: "rights_request", environment: "environment", consumer: "service_id" },
  event: { table: "event", ...ofMerchant },
  delivery: { table: "delivery", ...ofMerchant },
  operator_action: { table: "operator_action", ...ofPerson },
  proposal: { table: "proposal", ...ofPerson }
}

const PlaceRow = Schema.Struct({
  environment: Column.nullable(Environment),
  merchantId: Column.nullable(Column.merchantId),
  serviceId: Column.nullable(Column.consumerId)
})

const decodePlaces = Schema.decodeUnknownEffect(Schema.Array(PlaceRow))

const HitRow = Schema.Struct({
  id: Schema.String,
  by: Schema.Literals(["id", "code", "reference", "email", "name"]),
  at: Column.time,
  merchantId: Column.nullable(Column.merchantId),
  serviceId: Column.nullable(Column.consumerId),
  name: Column.nullable(Column.personal),
  status: Column.nullable(Schema.String),
  currency: Column.nullable(Currency),
  amountMinor: Column.nullable(AmountMinor),
  count: Schema.BigInt
})

const decodeHits = Schema.decodeUnknownEffect(Schema.Array(HitRow))

const prefixes: Readonly<Partial<Record<SearchedKind, string>>> = { merchant: "merchant", refund: "refund" }

const hitOf = (kind: SearchedKind, { amountMinor, count: _, currency, id, ...row }: typeof HitRow.Type): SearchHit => {
  const prefix = prefixes[kind]
  return {
    ...row,
    id: prefix === undefined ? id : fromUuid(prefix, id),
    ...(currency === undefined || amountMinor === undefined ? {} : { amount: { currency, minor: amountMinor } })
  }
}

/** Searches each column with its own select, so that each can use its index. */
export const layer: Layer.Layer<SearchIndex, never, PgClient> = Layer.effect(
  SearchIndex,
  Effect.gen(function* () {
    const { anyEnvironment, isRefundOf, name, sql, verb } = yield* Database.make

    const place = Effect.fn("PgSearchIndex.place")(function* ({ id, kind }: PlacedId) {
      const { consumer, environment, merchant, only, table } = tables[kind]
      const column = (of: string | undefined, type: string) =>
        sql.literal(of === undefined ? `null::${type}` : `t.${of}`)
      const serviceId =
        consumer === "user_id"
          ? sql`(select c.service_id from ${name("consumer")} c where c.id = t.user_id and c.environment = t.environment)`
          : column(consumer, "text")
      const rows = yield* sql`
        select ${column(environment, "text")} as environment, ${column(merchant, "uuid")} as "merchantId",
          ${serviceId} as "serviceId"
        from ${name(table)} t
        where t.id = ${toUuid(id)} ${environment === undefined ? sql`` : sql`and ${anyEnvironment("t")}`}
          ${sql.literal(only === undefined ? "" : `and ${only}`)}
        limit 1`
      return Option.map(Arr.head(yield* decodePlaces(rows)), (row): RecordPlace => ({ kind, id, ...row }))
    }, verb("SearchIndex.place"))

    /**
     * Builds a condition that matches a prefix, ignoring case. A range in code point order can use the index on names.
     */
    const begins = (column: string, start: Redacted.Redacted<string>) => {
      const text = Redacted.value(start)
      const named = sql.literal(`lower(${column}) collate "C"`)
      return sql`${named} >= lower(${text}) collate "C" and ${named} < (lower(${text}) || chr(1114111)) collate "C"`
    }

    const rule = (by: SearchHit["by"], columns: string, from: Fragment, where: Fragment, countTo: number) => sql`(
      select ${sql.literal(`'${by}'`)} as by, ${sql.literal(columns)} from ${from} where ${where} limit ${countTo}
    )`

    /**
     * Builds a query for up to `countTo` rows whose name begins with `start`. Orders the rows like the index on names,
     * so that the index scan stops at `countTo`. Otherwise the planner may read every matching name.
     */
    const nameRule = (
      columns: string,
      from: Fragment,
      column: string,
      start: Redacted.Redacted<string>,
      where: Fragment,
      countTo: number
    ) => {
      const order = sql.literal(`order by lower(${column}) collate "C"`)
      return rule("name", columns, from, sql`${begins(column, start)} ${where} ${order}`, countTo)
    }

    const merchantRules = ({ businessCode, nameStart, text }: SearchTerms, countTo: number) => {
      const columns = `m.id::text, m.created_at as at, m.id as "merchantId", null::text as "serviceId", m.name, m.status,
        null::text as currency, null::bigint as "amountMinor"`
      const from = sql`${name("merchant")} m`
      return [
        rule("id", columns, from, sql`m.external_id = ${Redacted.value(text)}`, countTo),
        ...(businessCode === undefined
          ? []
          : [rule("code", columns, from, sql`m.business_code = ${businessCode}`, countTo)]),
        ...(nameStart === undefined ? [] : [nameRule(columns, from, "m.name", nameStart, sql``, countTo)])
      ]
    }

    const personRules = (environment: Environment, terms: SearchTerms, countTo: number) => {
      const { serviceId, email, nameStart, text } = terms
      const columns = `c.service_id as id, c.created_at as at, null::uuid as "merchantId", c.service_id as "serviceId",
        c.display_name as name, null::text as status, null::text as currency, null::bigint as "amountMinor"`
      const from = sql`${name("consumer")} c`
      const here = (where: Fragment) => sql`${where} and c.environment = ${environment} and c.erased_at is null`
      const [exactly, address] = [Redacted.value(text), email === undefined ? undefined : Redacted.value(email)]
      return [
        ...(serviceId === undefined
          ? []
          : [rule("id", columns, from, here(sql`c.service_id = ${serviceId}`), countTo)]),
        rule("id", columns, from, here(sql`c.id = ${exactly}`), countTo),
        rule("id", columns, from, here(sql`c.external_id = ${exactly}`), countTo),
        ...(address === undefined
          ? []
          : [rule("email", columns, from, here(sql`lower(c.email) = lower(${address})`), countTo)]),
        ...(nameStart === undefined ? [] : [nameRule(columns, from, "c.display_name", nameStart, here(sql``), countTo)])
      ]
    }

    const withPerson = sql`
      left join ${name("consumer")} c on c.id = p.user_id and c.environment = p.environment and c.erased_at is null`

    const paymentRules = (environment: Environment, { text }: SearchTerms, countTo: number) => {
      const columns = `p.id, p.created_at as at, p.merchant_id as "merchantId", c.service_id as "serviceId",
        null::text as name, p.status, p.currency, p.amount_minor as "amountMinor"`
      const from = sql`${name("payment")} p ${withPerson}`
      const here = (where: Fragment) => sql`${where} and p.environment = ${environment}`
      const exactly = Redacted.value(text)
      return [
        rule("id", columns, from, here(sql`p.id = ${exactly}`), countTo),
        rule("reference", columns, from, here(sql`p.reference = ${exactly}`), countTo)
      ]
    }

    const refundRules = (environment: Environment, { text }: SearchTerms, countTo: number) => {
      const columns = `r.id::text, r.created_at as at, r.merchant_id as "merchantId", c.service_id as "serviceId",
        null::text as name, r.status, p.currency, r.amount_minor as "amountMinor"`
      const from = sql`${name("refund")} r join ${name("payment")} p on ${isRefundOf("r", "p")} ${withPerson}`
      const here = (where: Fragment) => sql`${where} and r.environment = ${environment}`
      const exactly = Redacted.value(text)
      return [
        rule("reference", columns, from, here(sql`r.merchant_reference = ${exactly}`), countTo),
        rule("reference", columns, from, here(sql`p.reference = ${exactly}`), countTo)
      ]
    }

    const rulesOf = (kind: SearchedKind, environment: Environment, terms: SearchTerms, countTo: number) => {
      switch (kind) {
        case "merchant":
          return merchantRules(terms, countTo)
        case "person":
          return personRules(environment, terms, countTo)
        case "payment":
          return paymentRules(environment, terms, countTo)
        case "refund":
          return refundRules(environment, terms, countTo)
      }
    }

    /**
     * Searches one kind. Returns an array with its group, or an empty array if there are no hits. A record found by
     * several rules is one hit. Its `by` is the first property that matched, in the order id, code, reference, email,
     * name.
     */
    const groupOf = Effect.fnUntraced(function* (
      kind: SearchedKind,
      environment: Environment,
      terms: SearchTerms,
      { countTo, limit }: SearchBounds
    ) {
      const [first, ...others] = rulesOf(kind, environment, terms, countTo)
      if (first === undefined) return []
      const union = others.reduce((all, each) => sql`${all} union all ${each}`, sql`${first}`)
      const isName = sql.literal("h.by = 'name'")
      const rows = yield* sql`
        with found as (
          select distinct on (f.id, f."merchantId") f.* from (${union}) f
          order by f.id, f."merchantId", array_position(array['id', 'code', 'reference', 'email', 'name'], f.by)
        )
        select h.id, h.by, h.at, h."merchantId", h."serviceId", h.name, h.status, h.currency, h."amountMinor",
          count(*) over () as count
        from found h order by ${isName}, h.at desc, h.id collate "C" desc limit ${Math.max(1, limit)}`
      const found = yield* decodeHits(rows)
      const [top] = found
      if (top === undefined) return []
      const count = Math.min(Number(top.count), countTo)
      const group: SearchGroup = { kind, hits: found.slice(0, limit).map((row) => hitOf(kind, row)), count }
      return [group]
    })

    const find: SearchIndex["Service"]["find"] = Effect.fn("PgSearchIndex.find")(function* (
      environment,
      terms,
      bounds
    ) {
      const groups = yield* Effect.forEach(searchedKinds, (kind) => groupOf(kind, environment, terms, bounds))
      return groups.flat()
    }, verb("SearchIndex.find"))

    return SearchIndex.of({ place, find })
  })
)
