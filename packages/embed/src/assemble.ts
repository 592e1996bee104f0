import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { PgClient } from "@effect/sql-pg/PgClient"
import * as TargetPolicy from "@surety/core/event/TargetPolicy"
import * as HostRequests from "@surety/core/host/HostRequests"
import { innermostMessage } from "@surety/core/innermostMessage"
import { OperatorTokens } from "@surety/core/operator/OperatorCredentials"
import { Readiness } from "@surety/core/Readiness"
import * as Core from "@surety/core/Surety"
import * as Keyring from "@surety/core/secret/Keyring"
import * as SecretKeys from "@surety/core/secret/SecretKeys"
import { hasOperators } from "@surety/http/access/OperatorToken"
import { RateLimits } from "@surety/http/access/RateLimits"
import { ReadsAtOnce, readsAtOnceOf } from "@surety/http/access/ReadShare"
import { HttpSettings } from "@surety/http/HttpSettings"
import * as NodeCompression from "@surety/http/node/NodeCompression"
import * as NodeGuides from "@surety/http/node/NodeGuides"
import * as RequestSpans from "@surety/http/RequestSpans"
import * as Responses from "@surety/http/Responses"
import * as Routes from "@surety/http/Routes"
import { inTransaction } from "@surety/postgres/HostTransaction"
import * as NodeAddressLookup from "@surety/webhooks/node/NodeAddressLookup"
import * as NodeMac from "@surety/webhooks/node/NodeMac"
import * as NodeRandom from "@surety/webhooks/node/NodeRandom"
import {
  Cause,
  Clock,
  Context,
  Effect,
  Exit,
  Layer,
  Logger,
  ManagedRuntime,
  Option,
  References,
  Scope,
  Tracer
} from "effect"
import type { Run } from "./Call.js"
import { calls, transactionalCalls } from "./Calls.js"
import * as Health from "./Health.js"
import { make as makeNodeHandler } from "./handler/nodeHandler.js"
import { bodyTakenAdvice, refusals, type Surroundings } from "./handler/refusals.js"
import { webHandler } from "./handler/webHandler.js"
import * as HostLogger from "./host/HostLogger.js"
import * as HostRateLimiter from "./host/HostRateLimiter.js"
import { handler as hostRequests } from "./host/HostRequestHandler.js"
import * as HostSignIn from "./host/HostSignIn.js"
import { HostTransaction } from "./host/HostTransaction.js"
import * as HostWallet from "./host/HostWallet.js"
import * as onHostError from "./host/onHostError.js"
import { telling } from "./host/onHostError.js"
import { hostPorts, hostRules } from "./hostPorts.js"
import { InvalidOptions } from "./InvalidOptions.js"
import { named, outcomeOf } from "./Outcome.js"
import * as consentPages from "./page/consentPages.js"
import { merchantLimits, rateLimitsOf } from "./rateLimitsOf.js"
import { type ReadOptions, readOptions } from "./readOptions.js"
import type { Surety, TransactionalSurety } from "./Surety.js"
import type { SuretyOptions } from "./SuretyOptions.js"
import { type StoreNotOpened, storeNotOpened } from "./store/HostStore.js"
import { lazily } from "./store/lazily.js"
import * as gauges from "./telemetry/gauges.js"
import { type Telemetry, telemetryOf } from "./telemetry/Telemetry.js"
import * as Workers from "./Workers.js"

const tracerOf = ({ tracer }: SuretyOptions, telemetry: Telemetry): Layer.Layer<never> | undefined =>
  tracer === undefined ? telemetry.tracer : Layer.succeed(Tracer.Tracer, tracer)

const observers = (options: SuretyOptions, telemetry: Telemetry): Layer.Layer<never> => {
  const { logger, onError } = options
  return Layer.mergeAll(
    onHostError.layer(telling(onError)),
    logger === undefined ? Logger.layer([]) : HostLogger.layer(logger, telling(onError)),
    tracerOf(options, telemetry) ?? Layer.succeed(References.TracerEnabled, false)
  )
}

/** Builds a layer that names request spans by API route or method and removes urls. Empty without a tracer. */
const requestSpans = (tracer: Layer.Layer<never> | undefined, settings: HttpSettings["Service"]): Layer.Layer<never> =>
  tracer === undefined
    ? Layer.empty
    : Layer.provide(RequestSpans.layer, Layer.merge(Layer.succeed(HttpSettings, settings), tracer))

const servicesOf = (options: SuretyOptions, read: ReadOptions, telemetry: Telemetry, testClock: Layer.Layer<never>) => {
  const { rateLimiter, rateLimits = {}, signIn, store, targets, wallet } = options
  return Core.layer({
    ...hostPorts(options, read),
    // A test's clock replaces the database's, which a PostgreSQL store provides.
    stores: Layer.merge(store.layer, testClock),
    keyring: Keyring.layer(read.secretKeys),
    responses: Responses.layer,
    targets: targets === "any" ? TargetPolicy.layerDevelopment : NodeAddressLookup.layerTargets,
    authenticator: signIn === undefined ? undefined : HostSignIn.layer(signIn),
    rateLimiter: rateLimiter === undefined ? undefined : HostRateLimiter.layer(rateLimiter, merchantLimits),
    wallet: wallet === undefined ? undefined : HostWallet.layer(wallet)
  }).pipe(
    Layer.provideMerge(hostRules(options)),
    Layer.provideMerge(consentPages.logged),
    Layer.provideMerge(Layer.succeed(OperatorTokens, { operatorToken: read.operatorToken, operators: read.operators })),
    Layer.provideMerge(Layer.mergeAll(NodeCrypto.layer, NodeMac.layer, NodeRandom.layer)),
    Layer.provideMerge(Layer.succeed(RateLimits, rateLimitsOf(rateLimits))),
    Layer.provideMerge(observers(options, telemetry))
  )
}

type Held = Layer.Success<ReturnType<typeof servicesOf>>
type NotHeld = Layer.Error<ReturnType<typeof servicesOf>>

const httpOf = (options: SuretyOptions, read: ReadOptions): HttpSettings["Service"] => ({
  publicUrl: read.publicUrl,
  basePath: read.basePath,
  provisioning: options.provisioning ?? (hasOperators(read) ? "token" : "off"),
  operatorToken: read.operatorToken,
  operators: read.operators,
  docs: options.docs ?? true
})

const operatorConsole = (options: SuretyOptions, read: ReadOptions) =>
  options.console === undefined || options.console === "off"
    ? Layer.empty
    : lazily(
        () => import("./page/operatorConsole.js"),
        ({ routes }) => routes(options, read)
      )

const isPlatformTold = ({ platformEvents: target }: SuretyOptions): boolean => target !== undefined && target !== "off"

/**
 * Logs a warning at start-up if `publicUrl` is omitted, unless `targets` is `any`. Without the warning, the first to
 * notice a bad link would be the person who opens it.
 */
const warnOfLinks = ({ publicUrl, targets }: SuretyOptions, read: ReadOptions): Effect.Effect<void> =>
  publicUrl !== undefined || targets === "any"
    ? Effect.void
    : Effect.logWarning(
        `publicUrl is not set: links for people begin with ${read.publicUrl}, which only this machine can reach. Set it to your public address, including basePath.`
      )

/** Implements `createSurety`. Tests pass a `clock`. */
export const createSuretyWith = async (
  options: SuretyOptions,
  clock?: Clock.Clock
): Promise<Surety | TransactionalSurety> => {
  const read = readOptions(options)
  const telemetry = await telemetryOf(options.telemetry)
  return telemetry.detached(() => open(options, read, telemetry, clock))
}

const open = async (
  options: SuretyOptions,
  read: ReadOptions,
  telemetry: Telemetry,
  clock: Clock.Clock | undefined
) => {
  const testClock = clock === undefined ? Layer.empty : Layer.succeed(Clock.Clock, clock)
  const runtime = ManagedRuntime.make(Layer.provideMerge(servicesOf(options, read, telemetry, testClock), testClock))
  try {
    return await assemble(options, read, telemetry, runtime)
  } catch (error) {
    // A pool that was opened before the failure would keep the process alive.
    await runtime.dispose()
    throw named(error)
  }
}

/** Fails unless the store can serve this release and matches the configured secret keys. */
const checkStore: Effect.Effect<void, StoreNotOpened | InvalidOptions, Readiness | SecretKeys.Needs> = Effect.gen(
  function* () {
    const { check } = yield* Readiness
    yield* Effect.mapError(check, (cause) => storeNotOpened(cause.detail, cause))
    yield* SecretKeys.check().pipe(
      Effect.mapError((cause) =>
        cause._tag === "SecretKeysRefused"
          ? new InvalidOptions([`secretsKey: ${cause.message}`])
          : storeNotOpened(innermostMessage(cause), cause)
      )
    )
  }
)

const assemble = async (
  options: SuretyOptions,
  read: ReadOptions,
  telemetry: Telemetry,
  runtime: ManagedRuntime.ManagedRuntime<Held, NotHeld>
): Promise<Surety | TransactionalSurety> => {
  const context = await runtime.context()
  await Effect.runPromiseWith(context)(Effect.andThen(checkStore, warnOfLinks(options, read)))
  const settings = httpOf(options, read)
  const { connections } = options.store
  let closing: Promise<void> | undefined
  const surroundings: Surroundings = {
    settings,
    refusals: refusals(settings),
    warnBodyTaken: () => void Effect.runForkWith(context)(Effect.logError(bodyTakenAdvice)),
    isClosed: () => closing !== undefined
  }
  const spans = requestSpans(tracerOf(options, telemetry), settings)
  const routes = Layer.mergeAll(Routes.layer, consentPages.routes(options, read), operatorConsole(options, read)).pipe(
    Layer.provide([
      Layer.succeed(HttpSettings, settings),
      Layer.succeed(ReadsAtOnce, connections === undefined ? undefined : readsAtOnceOf(connections)),
      NodeCompression.layerLazy,
      options.docs === false ? Layer.empty : NodeGuides.layer
    ]),
    // `provideMerge`, because requests need the logger and tracer too.
    Layer.provideMerge(Layer.merge(Layer.succeedContext(context), spans))
  )
  const web = webHandler(routes, surroundings)
  const listening = await Effect.runPromise(Scope.make())
  const nodeHandler = await Effect.runPromise(
    makeNodeHandler(routes, surroundings).pipe(
      Effect.provide(spans),
      Scope.provide(listening),
      Effect.provideContext(context)
    )
  )
  await Effect.runPromiseWith(context)(Layer.buildWithScope(telemetry.meter, listening))
  const checkOpen = () => {
    if (closing !== undefined) throw new Error("Surety is closed and accepts no more calls.")
  }
  const runExit = async <A, E>(work: Effect.Effect<A, E, Held>): Promise<Exit.Exit<A, E>> => {
    checkOpen()
    return Effect.runPromiseExit(Effect.provideContext(work, context))
  }
  const run: Run = async (work) => outcomeOf(await runExit(work))
  const resolved = async <A, E>(work: Effect.Effect<A, E, Held>): Promise<A> => {
    const exit = await runExit(work)
    if (Exit.isFailure(exit)) throw named(Cause.squash(exit.cause))
    return exit.value
  }
  // `sending.js` is loaded on the first `start` or `runOnce`. A process that only serves requests needs no HTTP client.
  const sending = {
    layer: lazily(
      () => import("./sending.js"),
      (each) => each.sending(options)
    ),
    toPlatform: isPlatformTold(options),
    requests: HostRequests.worker(hostRequests)
  }
  const made = Workers.make(sending, checkOpen, (work) => Effect.runPromise(Effect.provideContext(work, context)))
  const workers: Workers.Workers = { ...made, start: () => telemetry.detached(made.start) }
  const shutDown = async () => {
    await workers.stop()
    await web.dispose()
    await Effect.runPromise(Scope.close(listening, Exit.void))
    await runtime.dispose()
  }
  const close = () => {
    closing ??= shutDown()
    return closing
  }
  const surety: Surety = {
    ...calls(run),
    handler: web.handle,
    nodeHandler,
    workers,
    ready: () => resolved(Health.ready),
    health: () => resolved(Health.health(workers.isRunning)),
    metrics: () => resolved(gauges.text),
    close,
    [Symbol.asyncDispose]: close
  }
  const client = Context.getOption(context, PgClient)
  if (Option.isNone(client)) return keep(surety, { context, schema: options.store.schema })
  const transactional: TransactionalSurety = {
    ...surety,
    inTransaction: (connection) =>
      transactionalCalls((work) =>
        run(
          inTransaction(connection)(work).pipe(
            Effect.provideService(PgClient, client.value),
            Effect.provideService(HostTransaction, connection)
          )
        )
      )
  }
  return keep(transactional, { context, schema: options.store.schema })
}

/** The internals of a Surety that the doctor uses: its services, and the PostgreSQL schema of its store, if any. */
interface Inside {
  readonly context: Context.Context<Held>
  readonly schema: string | undefined
}

const insides = new WeakMap<Surety, Inside>()

const keep = <S extends Surety>(surety: S, inside: Inside): S => {
  insides.set(surety, inside)
  return surety
}

/** Returns the internals of a Surety for the doctor. Undefined if another copy of this package created the Surety. */
export const insideOf = (surety: Surety): Inside | undefined => insides.get(surety)
