import type { TargetPolicy } from "@surety/core/event/TargetPolicy"
import { Layer } from "effect"
import * as PublicTargets from "../target/PublicTargets.js"
import * as NodeAddressLookup from "./NodeAddressLookup.js"

/**
 * Production's target policy (contract 11), for the services that register endpoints. It loads no HTTP client, so a
 * process that sends no webhooks does not pay for one.
 */
export const layer: Layer.Layer<TargetPolicy> = PublicTargets.layer.pipe(Layer.provide(NodeAddressLookup.layer))
