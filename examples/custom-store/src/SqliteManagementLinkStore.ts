import { ManagementLink } from "@surety/core/consent/link/ManagementLink"
import { ManagementLinkStore } from "@surety/core/consent/link/ManagementLinkStore"
import { DateTime, Effect, Layer, Option } from "effect"
import { Database } from "./Database.ts"
import { storedRecord } from "./StoredRecord.ts"

const links = storedRecord(ManagementLink)

export const make = ({ read, write }: Database["Service"]): ManagementLinkStore["Service"] =>
  ManagementLinkStore.of({
    keep: (link) =>
      write("ManagementLinkStore.keep", (sql) => {
        sql.run`insert into management_link (record) values (${links.text(link)}) on conflict (token_hash) do nothing`
      }),

    find: (tokenHash) =>
      read("ManagementLinkStore.find", (sql) =>
        Option.fromUndefinedOr(links.of(sql.get`select record from management_link where token_hash = ${tokenHash}`))
      ),

    forget: (expiredBefore, limit) =>
      write("ManagementLinkStore.forget", (sql) => {
        const { changes } = sql.run`
          delete from management_link where rowid in (
            select rowid from management_link where expires_at < ${DateTime.formatIso(expiredBefore)} limit ${limit}
          )`
        return Number(changes)
      })
  })

export const layer: Layer.Layer<ManagementLinkStore, never, Database> = Layer.effect(
  ManagementLinkStore,
  Effect.map(Database, make)
)
