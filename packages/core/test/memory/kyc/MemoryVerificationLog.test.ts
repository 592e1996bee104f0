import * as DeliverySignal from "@surety/core/event/DeliverySignal"
import * as MemoryStores from "@surety/core/memory/MemoryStores"
import * as VerificationLogLaws from "@surety/testing/kyc/VerificationLogLaws"
import { Layer } from "effect"

VerificationLogLaws.suite("memory", Layer.provideMerge(MemoryStores.layer, DeliverySignal.layer))
