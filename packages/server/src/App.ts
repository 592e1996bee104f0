import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as NodeServices from "@effect/platform-node/NodeServices"
import type * as PgClient from "@effect/sql-pg/PgClient"
import * as LinkGuessLimit from "@surety/core/consent/admission/LinkGuessLimit"
import { AskLimits } from "@surety/core/consent/asking/AskLimits"
import * as UnknownConsumerLimit from "@surety/core/consent/asking/UnknownConsumerLimit"
import * as PersonConsents from "@surety/core/consent/link/PersonConsents"
import * as ConsumerDirectory from "@surety/core/consumer/ConsumerDirectory"
import { ConsumerIdScheme } from "@surety/core/consumer/ConsumerId"
import * as DeliverySignal from "@surety/core/event/DeliverySignal"
import * as TargetPolicy from "@surety/core/event/TargetPolicy"
import { defaultSettings, KycSettings } from "@surety/core/kyc/KycSettings"
import * as KycProviders from "@surety/core/kyc/provider/KycProviders"
import { PlatformName } from "@surety/core/merchant/DeceptiveText"
import * as Services from "@surety/core/Services"
import * as Keyring from "@surety/core/secret/Keyring"
import * as SecretKeys from "@surety/core/secret/SecretKeys"
import * as Responses from "@surety/http/Responses"
import * as PgClock from "@surety/postgres/PgClock"
import * as PgEventOrder from "@surety/postgres/PgEventOrder"
import * as PgMigrations from "@surety/postgres/PgMigrations"
import * as PgStores from "@surety/postgres/PgStores"
import * as NodeMac from "@surety/webhooks/node/NodeMac"
import * as NodeWebhooks from "@surety/webhooks/node/NodeWebhooks"
import { Effect, Layer } from "effect"
import { authenticator, hook } from "./consentHook.js"
import * as Database from "./Database.js"
import { type ServerKeys, serverKeys } from "./DevelopmentKeys.js"
import { makeDirectories } from "./makeDirectories.js"
import * as PublicAddress from "./PublicAddress.js"
import type { Settings } from "./settings/Settings.js"
import * as startFailed from "./startFailures.js"

/**
 * What is done with what the settings name. `make` makes the database and the development keys where there are none;
 * `change` needs a database that is there; `read` needs one too, and leaves nothing behind, not even a key.
 */
export type Purpose = "make" | "change" | "read"

/** What is known of people, and how they are reached. */
const people = (settings: Settings) =>
  Layer.mergeAll(ConsumerDirectory.layer, hook(settings), PublicAddress.consentLinks, UnknownConsumerLimit.layer)

/** What the pages speak for on which people decide and take consents back. */
const pages = (settings: Settings) =>
  Layer.mergeAll(PersonConsents.layer, authenticator(settings), LinkGuessLimit.layer)

/** What people know the platform as: no merchant may be called so. */
const platformName = ({ consentPageName }: Settings): Layer.Layer<never> =>
  consentPageName === undefined ? Layer.empty : Layer.succeed(PlatformName, consentPageName)

/** How often merchants may ask people. */
const askLimits = ({ consentAskAgainAfter, consentAsksOpen, consentAsksPerDay }: Settings): Layer.Layer<never> =>
  Layer.succeed(AskLimits, { open: consentAsksOpen, perDay: consentAsksPerDay, againAfter: consentAskAgainAfter })

type SchemaFault = PgMigrations.MigrationFailed | PgMigrations.NotReady

const schema = (purpose: Purpose): Layer.Layer<never, SchemaFault, PgClient.PgClient> => {
  if (purpose === "make") return PgMigrations.layer
  return Layer.effectDiscard(
    purpose === "change" ? Effect.andThen(PgMigrations.readiness, PgEventOrder.settle) : PgMigrations.readiness
  )
}

/**
 * The services over the database that the settings name, its schema brought up to date first where they may make it.
 * What the command line works with; the server adds the interface, the dispatcher and the recovery. In LIVE nobody
 * verifies persons: there is no provider to be set yet.
 */
export const layer = (settings: Settings, keys: ServerKeys, purpose: Purpose = "make") =>
  pages(settings).pipe(
    Layer.provideMerge(Services.layer),
    Layer.provideMerge(people(settings)),
    Layer.provideMerge(PgStores.layer),
    Layer.provideMerge(Database.readiness(settings)),
    Layer.provideMerge(schema(purpose)),
    Layer.provideMerge(PgClock.layer),
    Layer.provideMerge(Database.layer(settings)),
    Layer.provideMerge(DeliverySignal.layer),
    Layer.provideMerge(settings.profile === "production" ? NodeWebhooks.layerTargets : TargetPolicy.layerDevelopment),
    Layer.provideMerge(KycProviders.layerSandbox),
    Layer.provideMerge(Layer.succeed(KycSettings, { ...defaultSettings, tiers: settings.kycTiers })),
    Layer.provideMerge(Keyring.layer(keys.secretKeys)),
    Layer.provideMerge(Responses.layer),
    Layer.provideMerge(Layer.merge(NodeCrypto.layer, NodeMac.layer)),
    Layer.provideMerge(PublicAddress.layer(settings)),
    Layer.provideMerge(askLimits(settings)),
    Layer.provideMerge(Layer.succeed(ConsumerIdScheme, settings.consumerIdScheme)),
    Layer.provideMerge(platformName(settings))
  )

/**
 * Opens the services with the keys that the settings say, until the scope closes. What keeps them from opening is one
 * message that says what to do.
 */
export const open = Effect.fn("App.open")(function* (settings: Settings, purpose: Purpose = "make") {
  if (purpose !== "make" && Database.isToBeMade(settings)) return yield* startFailed.noDatabase(settings)
  const keys = yield* serverKeys(settings, { keep: purpose !== "read" }).pipe(
    Effect.provide([NodeServices.layer, NodeCrypto.layer]),
    Effect.mapError((cause) => startFailed.keys(settings, cause))
  )
  if (purpose === "make" && settings.databaseUrl === undefined) {
    yield* makeDirectories(Database.directory(settings)).pipe(
      Effect.provide(NodeServices.layer),
      Effect.mapError((cause) => startFailed.dataDirectory(settings, cause))
    )
  }
  const app = yield* Layer.build(layer(settings, keys, purpose)).pipe(
    Effect.mapError((cause) => startFailed.database(settings, cause)),
    Effect.catchDefect((defect) =>
      startFailed.lacksRights(defect) ? Effect.fail(startFailed.rights(settings, defect)) : Effect.die(defect)
    )
  )
  // A command that only reads may have made itself a key for lack of one: there is nothing to compare it with.
  if (purpose !== "read" || settings.secretKeys !== undefined) {
    yield* SecretKeys.check({ keep: purpose !== "read" }).pipe(
      Effect.provideContext(app),
      Effect.mapError((cause) =>
        cause._tag === "SecretKeysRefused"
          ? startFailed.secretKeys(settings, cause)
          : startFailed.database(settings, cause)
      )
    )
  }
  return { app, keys }
})
