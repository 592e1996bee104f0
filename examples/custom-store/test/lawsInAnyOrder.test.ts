import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as DeliverySignal from "@surety/core/event/DeliverySignal"
import * as AnyOrder from "@surety/testing/AnyOrder"
import { Layer } from "effect"
import { afterAll } from "vitest"
import * as Database from "../src/Database.ts"
import * as SqliteStores from "../src/SqliteStores.ts"

const directory = mkdtempSync(join(tmpdir(), "custom-store-"))
afterAll(() => rmSync(directory, { recursive: true }))

AnyOrder.suite(
  "sqlite",
  SqliteStores.layer.pipe(
    Layer.provideMerge(DeliverySignal.layer),
    Layer.provide(Database.layer(join(directory, "all.sqlite")))
  ),
  { sample: 40 }
)
