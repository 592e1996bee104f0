import * as DeliverySignal from "@surety/core/event/DeliverySignal"
import * as MemoryStores from "@surety/core/memory/MemoryStores"
import * as KycStoreLaws from "@surety/testing/kyc/KycStoreLaws"
import { Layer } from "effect"

KycStoreLaws.suite("memory", Layer.provideMerge(MemoryStores.layer, DeliverySignal.layer))
