import { ManagementLink } from "@surety/core/consent/link/ManagementLink"
import { ManagementLinkStore } from "@surety/core/consent/link/ManagementLinkStore"
import { DateTime, Effect, Layer, Option } from "effect"
import { Database, type Sql } from "./Database.ts"
import { storedRecord } from "./StoredRecord.ts"

const links = storedRecord(ManagementLink)

/** Stores the link, unless one with the same token exists. */
export const insertLink = (sql: Sql, link: ManagementLink): void => {
  sql.run`insert into management_link (record) values (${links.text(link)}) on conflict (token_hash) do nothing`
}

export const make = ({ read, write }: Database["Service"]): ManagementLinkStore["Service"] =>
  ManagementLinkStore.of({
    keep: (link) => write("ManagementLinkStore.keep", (sql) => insertLink(sql, link)),

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
