import type { MerchantId } from "@surety/core/Ids"
import { Merchant, MerchantStatusChange } from "@surety/core/merchant/Merchant"
import { MerchantStore } from "@surety/core/merchant/MerchantStore"
import { Effect, Layer, Option } from "effect"
import { Database, type Sql } from "./Database.ts"
import { pageOf } from "./pages.ts"
import { storedRecord } from "./StoredRecord.ts"

const merchants = storedRecord(Merchant)
const changes = storedRecord(MerchantStatusChange)

export const findMerchant = (sql: Sql, id: MerchantId): Merchant | undefined =>
  merchants.of(sql.get`select record from merchant where id = ${id}`)

const save = (sql: Sql, merchant: Merchant): void => {
  sql.run`update merchant set record = ${merchants.text(merchant)} where id = ${merchant.id}`
}

const keepChange = (sql: Sql, change: MerchantStatusChange): void => {
  sql.run`insert into merchant_status_change (record) values (${changes.text(change)})`
}

export const make = ({ read, write }: Database["Service"]): MerchantStore["Service"] =>
  MerchantStore.of({
    insert: (merchant, change) =>
      write("MerchantStore.insert", (sql) => {
        if (sql.get`select 1 from merchant where business_code = ${merchant.businessCode}`) return false
        sql.run`insert into merchant (record) values (${merchants.text(merchant)})`
        keepChange(sql, change)
        return true
      }),

    find: (id) => read("MerchantStore.find", (sql) => Option.fromUndefinedOr(findMerchant(sql, id))),

    transition: (change) =>
      write("MerchantStore.transition", (sql) => {
        const merchant = findMerchant(sql, change.merchantId)
        if (merchant === undefined || merchant.status !== change.from) return false
        save(sql, { ...merchant, status: change.to, updatedAt: change.at })
        keepChange(sql, change)
        return true
      }),

    saveSettings: (id, settings, at) =>
      write("MerchantStore.saveSettings", (sql) => {
        const merchant = findMerchant(sql, id)
        if (merchant === undefined) return false
        save(sql, { ...merchant, settings, updatedAt: at })
        return true
      }),

    history: (id) =>
      read("MerchantStore.history", (sql) =>
        changes.all(sql.all`select record from merchant_status_change where merchant_id = ${id} order by sequence`)
      ),

    list: (page) =>
      read("MerchantStore.list", (sql) =>
        pageOf(
          page,
          ({ at, id }, limit) => sql.all`
            select record, created_at as at, id from merchant
            where (created_at, id) < (${at}, ${id}) order by created_at desc, id desc limit ${limit}`,
          (row) => merchants.parse(row.record)
        )
      )
  })

export const layer: Layer.Layer<MerchantStore, never, Database> = Layer.effect(
  MerchantStore,
  Effect.map(Database, make)
)
