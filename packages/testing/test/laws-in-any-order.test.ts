import * as DeliverySignal from "@surety/core/event/DeliverySignal"
import * as MemoryStores from "@surety/core/memory/MemoryStores"
import * as AnyOrder from "@surety/testing/AnyOrder"
import { Layer } from "effect"

AnyOrder.suite("memory", Layer.provideMerge(MemoryStores.layer, DeliverySignal.layer))
