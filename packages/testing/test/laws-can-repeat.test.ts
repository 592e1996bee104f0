import { it } from "@effect/vitest"
import * as DeliverySignal from "@surety/core/event/DeliverySignal"
import * as MemoryStores from "@surety/core/memory/MemoryStores"
import { Layer } from "effect"
import { laws } from "./laws.js"

const stores = Layer.provideMerge(MemoryStores.layer, DeliverySignal.layer)

it.layer(stores, { excludeTestServices: true })("on stores that keep their rows", (it) => {
  for (const { body, name } of [...laws, ...laws].reverse()) it.effect(`still holds: ${name}`, () => body)
})
