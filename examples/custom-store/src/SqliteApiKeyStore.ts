import { ApiKey } from "@surety/core/merchant/ApiKey"
import { ApiKeyStore, type IssueOutcome } from "@surety/core/merchant/ApiKeyStore"
import { Effect, Layer, Option } from "effect"
import { Database } from "./Database.ts"
import { findMerchant } from "./SqliteMerchantStore.ts"
import { storedRecord } from "./StoredRecord.ts"

const keys = storedRecord(ApiKey)

export const make = ({ read, write }: Database["Service"]): ApiKeyStore["Service"] =>
  ApiKeyStore.of({
    issue: (key, statuses) =>
      write("ApiKeyStore.issue", (sql): IssueOutcome => {
        const merchant = findMerchant(sql, key.merchantId)
        if (merchant === undefined) return { _tag: "MerchantMissing" }
        if (!statuses.includes(merchant.status)) return { _tag: "StatusForbids", status: merchant.status }
        sql.run`insert into api_key (record) values (${keys.text(key)})`
        return { _tag: "Issued" }
      }),

    findByHash: (hash) =>
      read("ApiKeyStore.findByHash", (sql) => {
        const key = keys.of(sql.get`select record from api_key where hash = ${hash}`)
        const merchant = key && findMerchant(sql, key.merchantId)
        return key && merchant
          ? Option.some({ key, merchantName: merchant.profile.name, status: merchant.status })
          : Option.none()
      }),

    list: (merchantId) =>
      read("ApiKeyStore.list", (sql) =>
        keys.all(sql.all`select record from api_key where merchant_id = ${merchantId} order by id desc`)
      ),

    revoke: (merchantId, id, at) =>
      write("ApiKeyStore.revoke", (sql) => {
        const key = keys.of(sql.get`select record from api_key where id = ${id} and merchant_id = ${merchantId}`)
        if (key === undefined) return false
        const revoked = { ...key, revokedAt: key.revokedAt ?? at }
        sql.run`update api_key set record = ${keys.text(revoked)} where id = ${id}`
        return true
      })
  })

export const layer: Layer.Layer<ApiKeyStore, never, Database> = Layer.effect(ApiKeyStore, Effect.map(Database, make))
