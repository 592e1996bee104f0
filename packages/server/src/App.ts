import { NodeCrypto } from "@effect/platform-node"
import { ConsumerIdScheme } from "@surety/core/consumer/ConsumerId"
import * as DeliverySignal from "@surety/core/event/DeliverySignal"
import * as TargetPolicy from "@surety/core/event/TargetPolicy"
import * as Services from "@surety/core/Services"
import * as Keyring from "@surety/core/secret/Keyring"
import * as PgMigrations from "@surety/postgres/PgMigrations"
import * as PgReadiness from "@surety/postgres/PgReadiness"
import * as PgStores from "@surety/postgres/PgStores"
import * as NodeWebhooks from "@surety/webhooks/node/NodeWebhooks"
import { Layer } from "effect"
import * as Database from "./Database.js"
import type { ServerKeys } from "./DevelopmentKeys.js"
import type { Settings } from "./settings/Settings.js"

/**
 * The services over the database that the settings name, its schema brought up to date first. What the command line
 * works with; the server adds the interface and the dispatcher.
 */
export const layer = (settings: Settings, keys: ServerKeys) =>
  Services.layer.pipe(
    Layer.provideMerge(PgStores.layer),
    Layer.provideMerge(PgReadiness.layer),
    Layer.provideMerge(PgMigrations.layer),
    Layer.provideMerge(Database.layer(settings)),
    Layer.provideMerge(DeliverySignal.layer),
    Layer.provideMerge(settings.profile === "production" ? NodeWebhooks.layerTargets : TargetPolicy.layerDevelopment),
    Layer.provideMerge(Keyring.layer(keys.secretKeys)),
    Layer.provideMerge(NodeCrypto.layer),
    Layer.provideMerge(Layer.succeed(ConsumerIdScheme, settings.consumerIdScheme))
  )
