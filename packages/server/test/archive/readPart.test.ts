import { createHash } from "node:crypto"
import { mkdirSync, writeFileSync } from "node:fs"
import path from "node:path"
import { gzipSync } from "node:zlib"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import type * as PgArchive from "@surety/postgres/PgArchive"
import { Effect } from "effect"
import { manifestName } from "../../src/archive/ArchiveManifest.js"
import { readManifest, verifyPart } from "../../src/archive/readPart.js"
import { directory } from "./ArchiveStore.js"

type Row = Readonly<Record<string, string>>
type Tables = Readonly<Record<PgArchive.ArchivedTable, ReadonlyArray<ReadonlyArray<Row>>>>

const event = { id: "event-1", occurred_at: "2025-01-15T00:00:00.000Z" }
const delivery = { id: "delivery-1", event_id: event.id }
const attempt = { delivery_id: delivery.id }

const sound: Tables = {
  merchant: [[{ id: "merchant-1" }]],
  webhook_endpoint: [[{ id: "endpoint-1" }]],
  event: [[event]],
  delivery: [[delivery]],
  delivery_attempt: [[attempt]]
}

/** Writes a part whose files match its manifest, and verifies it. Each table is a list of pages. */
const verified = Effect.fnUntraced(function* (tables: Tables) {
  const part = path.join(yield* directory, "2025-01")
  mkdirSync(part)
  const files = Object.entries(tables).map(([table, pages]) => {
    const members = pages.map((rows) => gzipSync(rows.map((row) => `${JSON.stringify(row)}\n`).join("")))
    const bytes = Buffer.concat(members)
    writeFileSync(path.join(part, `${table}.jsonl.gz`), bytes)
    return {
      table,
      rows: pages.flat().length,
      bytes: bytes.byteLength,
      sha256: createHash("sha256").update(bytes).digest("hex"),
      columns: Object.keys(pages[0]?.[0] ?? {}),
      pages: pages.map((rows, page) => ({ rows: rows.length, bytes: members[page]?.byteLength }))
    }
  })
  const manifest = {
    format: "surety-archive-1",
    id: "01940000-0000-7000-8000-000000000000",
    month: "2025-01",
    schema: "11 archive",
    writtenAt: "2025-03-01T00:00:00.000Z",
    files
  }
  writeFileSync(path.join(part, manifestName), JSON.stringify(manifest))
  yield* verifyPart(yield* readManifest(part))
})

describe("A part of an archive", () => {
  const refusals: ReadonlyArray<readonly [what: string, tables: Tables, detail: string]> = [
    [
      "an event of another month",
      { ...sound, event: [[{ ...event, occurred_at: "2025-02-01T00:00:00.000Z" }]] },
      "on page 1, the event event-1 belongs to another month"
    ],
    [
      "a delivery of an event that it lacks",
      { ...sound, delivery: [[{ ...delivery, event_id: "event-2" }]] },
      "on page 1, the delivery delivery-1 belongs to none of its events"
    ],
    [
      "a delivery on a page after the last one of events",
      { ...sound, delivery: [[delivery], [{ ...delivery, id: "delivery-2" }]] },
      "on page 2, the delivery delivery-2 belongs to none of its events"
    ],
    [
      "an attempt on a page after the last one of events",
      { ...sound, delivery_attempt: [[attempt], [], [attempt]] },
      "on page 3, an attempt belongs to none of its deliveries"
    ]
  ]

  it.effect("is accepted with deliveries and attempts beside their events", () =>
    verified(sound).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  for (const [what, tables, detail] of refusals) {
    it.effect(`is refused with ${what}`, () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(verified(tables))
        assert.strictEqual(error._tag, "ArchiveUnusable")
        assert.include(error.message, detail)
      }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
    )
  }
})
