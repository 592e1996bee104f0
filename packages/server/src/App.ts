import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as NodeServices from "@effect/platform-node/NodeServices"
import type * as PgClient from "@effect/sql-pg/PgClient"
import { AskLimits } from "@surety/core/consent/asking/AskLimits"
import { ConsumerIdScheme } from "@surety/core/consumer/ConsumerId"
import * as TargetPolicy from "@surety/core/event/TargetPolicy"
import { defaultKycSettings, KycSettings } from "@surety/core/kyc/KycSettings"
import * as KycProviders from "@surety/core/kyc/provider/KycProviders"
import { SandboxPageUrl, sandboxPageBelow } from "@surety/core/kyc/provider/SandboxKycProvider"
import { PlatformName } from "@surety/core/merchant/DeceptiveText"
import { FourEyes } from "@surety/core/operator/approval/FourEyes"
import { OperatorTokens } from "@surety/core/operator/OperatorCredentials"
import { SessionLimits } from "@surety/core/operator/session/OperatorSessions"
import { RetentionPolicy } from "@surety/core/retention/RetentionPolicy"
import * as Surety from "@surety/core/Surety"
import * as Keyring from "@surety/core/secret/Keyring"
import * as SecretKeys from "@surety/core/secret/SecretKeys"
import * as Responses from "@surety/http/Responses"
import * as PgClock from "@surety/postgres/PgClock"
import * as PgEventOrder from "@surety/postgres/PgEventOrder"
import * as PgMigrations from "@surety/postgres/PgMigrations"
import * as PgPooling from "@surety/postgres/PgPooling"
import * as PgSettings from "@surety/postgres/PgSettings"
import * as PgStores from "@surety/postgres/PgStores"
import * as NodeMac from "@surety/webhooks/node/NodeMac"
import * as NodeRandom from "@surety/webhooks/node/NodeRandom"
import * as NodeWebhooks from "@surety/webhooks/node/NodeWebhooks"
import { Duration, Effect, Layer } from "effect"
import * as CellDatabases from "./cells/CellDatabases.js"
import type { SchemaPurpose } from "./Database.js"
import * as Database from "./Database.js"
import { type ServerKeys, serverKeys } from "./DevelopmentKeys.js"
import * as Hooks from "./hook/hooks.js"
import { silentProvider } from "./kyc/silentProvider.js"
import { makeDirectories } from "./makeDirectories.js"
import * as PublicAddress from "./PublicAddress.js"
import { StartFailed } from "./StartFailed.js"
import { cellsOf, platformNameOf, type Settings } from "./settings/Settings.js"
import * as startFailed from "./startFailures.js"

/** Provides the platform's name, which a merchant's name must not contain. */
const platformName = (settings: Settings): Layer.Layer<never> => {
  const { consentPageName, publicUrl } = settings
  const name = publicUrl === undefined ? consentPageName : platformNameOf(settings, publicUrl)
  return name === undefined ? Layer.empty : Layer.succeed(PlatformName, name)
}

const askLimits = ({ consentAskAgainAfter, consentAsksOpen, consentAsksPerDay }: Settings): Layer.Layer<never> =>
  Layer.succeed(AskLimits, { open: consentAsksOpen, perDay: consentAsksPerDay, againAfter: consentAskAgainAfter })

/** Provides the urls of the KYC sandbox's pages, on which the holder of a test identity number consents or refuses. */
const sandboxPage = Layer.effect(
  SandboxPageUrl,
  Effect.map(PublicAddress.PublicAddress, ({ url }) => sandboxPageBelow(url))
)

/** Provides the KYC providers. A server without workers calls no vendor, so LIVE has no routes there. */
const kycProviders = ({ kyc, workers }: Settings) =>
  workers
    ? KycProviders.layerOf(kyc.providers, kyc.routes)
    : KycProviders.layerOf(kyc.providers.map(silentProvider), {})

/** Provides the retention periods. A setting of 0 days keeps its records indefinitely. */
const retentionPolicy = (settings: Settings): Layer.Layer<never> => {
  const time = (days: number) => (days === 0 ? undefined : Duration.days(days))
  return Layer.succeed(RetentionPolicy, {
    answers: time(settings.retentionAnswers),
    reads: time(settings.retentionReads),
    deliveries: time(settings.retentionDeliveries),
    codes: time(settings.retentionCodes),
    rightsRequests: time(settings.retentionRightsRequests)
  })
}

const operators = (settings: Settings, keys: ServerKeys): Layer.Layer<never> =>
  Layer.mergeAll(
    Layer.succeed(OperatorTokens, { operatorToken: keys.operatorToken, operators: settings.operators }),
    Layer.succeed(SessionLimits, { idle: settings.consoleSessionIdle, absolute: settings.consoleSessionLifetime }),
    Layer.succeed(FourEyes, {
      transfersFrom: settings.fourEyesFrom,
      adjustments: settings.fourEyesAdjustments,
      erasures: settings.fourEyesErasures,
      inHttp: settings.fourEyesHttp
    })
  )

type SchemaFault = PgMigrations.MigrationFailed | PgMigrations.NotReady

const schema = (purpose: SchemaPurpose): Layer.Layer<never, SchemaFault, PgClient.PgClient> => {
  if (purpose === "make") return PgMigrations.layer
  return Layer.effectDiscard(
    purpose === "change" ? Effect.andThen(PgMigrations.readiness, PgEventOrder.settle) : PgMigrations.readiness
  )
}

/**
 * Provides the stores in the single configured database. Migrates its schema first if `purpose` is `make`, and
 * otherwise requires that the schema is up to date. Unless `purpose` is `read`, also settles the order of events.
 */
const storesOfOne = (settings: Settings, purpose: SchemaPurpose) =>
  Layer.merge(PgStores.layer, Database.readiness(settings)).pipe(
    Layer.provideMerge(schema(purpose)),
    Layer.provideMerge(PgClock.layer),
    Layer.provideMerge(Database.layer(settings)),
    Layer.provide(PgSettings.layer({ auditTimeoutMillis: settings.verifyStepSeconds * 1_000 }))
  )

type One = ReturnType<typeof storesOfOne>

const stores = (
  settings: Settings,
  purpose: SchemaPurpose,
  isServing: boolean
): Layer.Layer<Layer.Success<One>, Layer.Error<One> | StartFailed, Layer.Services<One>> => {
  const cells = cellsOf(settings)
  return cells === undefined
    ? storesOfOne(settings, purpose)
    : CellDatabases.stores(settings, cells, purpose, isServing)
}

/**
 * Builds the services that commands and the server share. The server adds the HTTP API and `Surety.workers`. If cells
 * are configured, `isServing` is true and `WORKERS` is on, also starts the worker that completes changes to people.
 */
export const layer = (settings: Settings, keys: ServerKeys, purpose: SchemaPurpose = "make", isServing = true) =>
  Surety.layer({
    stores: stores(settings, purpose, isServing),
    keyring: Keyring.layer(keys.secretKeys),
    targets: settings.profile === "production" ? NodeWebhooks.layerTargets : TargetPolicy.layerDevelopment,
    consentUrls: PublicAddress.consentUrls,
    responses: Responses.layer,
    kycProviders: Layer.provide(kycProviders(settings), sandboxPage),
    consentNotifier: Hooks.consentNotifier(settings),
    directory: Hooks.directory(settings),
    wallet: Hooks.wallet(settings),
    authenticator: Hooks.authenticator(settings)
  }).pipe(
    Layer.provideMerge(Layer.succeed(KycSettings, { ...defaultKycSettings, tiers: settings.kycTiers })),
    Layer.provideMerge(Layer.mergeAll(NodeCrypto.layer, NodeMac.layer, NodeRandom.layer)),
    Layer.provideMerge(PublicAddress.layer(settings)),
    Layer.provideMerge(Layer.mergeAll(askLimits(settings), retentionPolicy(settings), operators(settings, keys))),
    Layer.provideMerge(Hooks.fields(settings)),
    Layer.provideMerge(Layer.succeed(ConsumerIdScheme, settings.consumerIdScheme)),
    Layer.provideMerge(platformName(settings))
  )

/** Detects a pooler between this process and the database, and its mode. */
export const poolingOf = ({ databaseUrl }: Settings): Effect.Effect<PgPooling.Pooling> =>
  databaseUrl === undefined ? Effect.succeed({ _tag: "Direct" }) : PgPooling.inspect(databaseUrl)

const losesStatements = ({ databasePreparedStatements }: Settings, pooling: PgPooling.Pooling): boolean =>
  databasePreparedStatements && pooling._tag === "Transactions" && !pooling.keepsPrepared

/**
 * Opens the services until the scope closes. Fails only with `StartFailed`. This effect has no span. Services keep
 * their start-up context, so a span here would be the parent of every request's span.
 */
export const open = Effect.fnUntraced(function* (settings: Settings, purpose: SchemaPurpose = "make") {
  if (purpose !== "make" && Database.isToBeMade(settings)) return yield* startFailed.noDatabase(settings)
  const pooling = yield* poolingOf(settings)
  if (pooling._tag === "Statements") return yield* startFailed.poolerOfStatements(settings)
  if (losesStatements(settings, pooling)) return yield* startFailed.pooler(settings)
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
  // Migrations cannot run through a pooler in transaction mode, so the tables must already match this release.
  const schemaPurpose = purpose === "make" && pooling._tag === "Transactions" ? "change" : purpose
  const app = yield* Layer.build(layer(settings, keys, schemaPurpose, purpose === "make")).pipe(
    Effect.mapError((cause) => (cause instanceof StartFailed ? cause : startFailed.database(settings, cause))),
    Effect.catchDefect((defect) =>
      startFailed.lacksRights(defect) ? Effect.fail(startFailed.rights(settings, defect)) : Effect.die(defect)
    )
  )
  // Skips the check if a command only reads and `SECRETS_KEY` is unset. The key may then be temporary and unknown to
  // the database.
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
