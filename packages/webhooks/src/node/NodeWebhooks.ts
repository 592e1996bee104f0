import type { DeliveryQueue } from "@surety/core/event/DeliveryQueue"
import type { DeliverySignal } from "@surety/core/event/DeliverySignal"
import * as TargetPolicy from "@surety/core/event/TargetPolicy"
import type { Keyring } from "@surety/core/secret/Keyring"
import { Layer } from "effect"
import type { Mac } from "effect/crypto"
import * as PublicTargets from "../target/PublicTargets.js"
import * as Webhooks from "../Webhooks.js"
import * as NodeAddressLookup from "./NodeAddressLookup.js"
import * as PinnedHttpClient from "./PinnedHttpClient.js"
import * as UndiciHttpClient from "./UndiciHttpClient.js"

type Needs = DeliveryQueue | DeliverySignal | Keyring | Mac.Mac

/** Sends webhooks to public hosts only, on Node: for production. */
export const layer: Layer.Layer<never, never, Needs> = Webhooks.layer.pipe(
  Layer.provide([PinnedHttpClient.layer, PublicTargets.layerBeforeConnection]),
  Layer.provide(NodeAddressLookup.layer)
)

/** The target policy that belongs to `layer`, for the services that register endpoints. */
export const layerTargets: Layer.Layer<TargetPolicy.TargetPolicy> = PublicTargets.layer.pipe(
  Layer.provide(NodeAddressLookup.layer)
)

/**
 * Sends webhooks to any host, including this machine and without TLS: for development. Use it with core's
 * `TargetPolicy.layerDevelopment`.
 */
export const layerDevelopment: Layer.Layer<never, never, Needs> = Webhooks.layer.pipe(
  Layer.provide([UndiciHttpClient.layerDevelopment, TargetPolicy.layerDevelopment])
)
