import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { PgClient } from "@effect/sql-pg/PgClient"
import * as ConsentLinks from "@surety/core/consent/ConsentLinks"
import * as ConsentNotifier from "@surety/core/consent/ConsentNotifier"
import * as ConsentSweeper from "@surety/core/consent/ConsentSweeper"
import * as UnknownConsumerLimit from "@surety/core/consent/UnknownConsumerLimit"
import * as ConsumerDirectory from "@surety/core/consumer/ConsumerDirectory"
import * as DeliverySignal from "@surety/core/event/DeliverySignal"
import * as TargetPolicy from "@surety/core/event/TargetPolicy"
import * as KycProviders from "@surety/core/kyc/KycProviders"
import * as VerificationRecovery from "@surety/core/kyc/VerificationRecovery"
import { HostRefunds } from "@surety/core/refund/HostRefunds"
import * as RefundRecovery from "@surety/core/refund/RefundRecovery"
import * as Services from "@surety/core/Services"
import * as Keyring from "@surety/core/secret/Keyring"
import { HttpSettings } from "@surety/http/HttpSettings"
import * as RequestSpans from "@surety/http/RequestSpans"
import * as WebHandler from "@surety/http/WebHandler"
import { type HostConnection, inTransaction } from "@surety/postgres/HostPool"
import * as NodeWebhooks from "@surety/webhooks/node/NodeWebhooks"
import { Cause, Context, Effect, Exit, Layer, Logger, ManagedRuntime, Option, References, Scope, Tracer } from "effect"
import type { Run } from "./Call.js"
import { type Calls, calls } from "./Calls.js"
import * as HostLogger from "./HostLogger.js"
import * as HostWallet from "./HostWallet.js"
import { make as makeNodeHandler, type NodeHandler } from "./nodeHandler.js"
import type { Outcome } from "./Outcome.js"
import { type ReadOptions, readOptions } from "./readOptions.js"
import type { SuretyOptions } from "./SuretyOptions.js"
import type { TransactionalStore } from "./store/HostStore.js"
import * as Workers from "./Workers.js"

/** Surety inside a host's server. */
export interface Surety extends Calls {
  /**
   * Answers a request to the HTTP interface, for any server that speaks the web platform's `Request` and `Response`.
   * Paths begin with `basePath`; whatever is not known is answered with 404.
   */
  readonly handler: (request: Request) => Promise<Response>
  /**
   * The same for Node's own server and the frameworks on it; the faster of the two there. Mount it before any body parser:
   * bodies are read as they were sent.
   *
   * @example
   * app.use("/pay", surety.nodeHandler) // Express, with `basePath: "/pay"`
   */
  readonly nodeHandler: NodeHandler
  /** The background's work. Nothing is sent to merchants, and nothing is recovered, unless some process runs it. */
  readonly workers: Workers.Workers
  /** Stops the workers and gives back what is held. A pool of the host's stays open. */
  readonly close: () => Promise<void>
}

/** Surety over a PostgreSQL store. */
export interface TransactionalSurety extends Surety {
  /**
   * The calls inside a transaction that the host has begun on this connection of `pg`: its rows and, say, a refund are
   * committed together, or not at all. The host commits or rolls back.
   *
   * @example
   * await client.query("begin")
   * await client.query("update orders set status = 'refunded' where id = $1", [order.id])
   * const refund = await surety.inTransaction(client).refunds.create({ … })
   * await client.query(refund.ok ? "commit" : "rollback")
   */
  readonly inTransaction: (connection: HostConnection) => Calls
}

const observers = ({ logger, tracer }: SuretyOptions): Layer.Layer<never> =>
  Layer.mergeAll(
    logger === undefined ? Logger.layer([]) : HostLogger.layer(logger),
    tracer === undefined ? Layer.succeed(References.TracerEnabled, false) : Layer.succeed(Tracer.Tracer, tracer)
  )

/** A host's tracer is told the routes of requests, and not their urls. */
const requestSpans = ({ tracer }: SuretyOptions, settings: Layer.Layer<HttpSettings>): Layer.Layer<never> =>
  tracer === undefined
    ? Layer.empty
    : Layer.provide(RequestSpans.layer, [settings, Layer.succeed(Tracer.Tracer, tracer)])

/** What consent asks of a host: the store's own records of people, and the operator who brings them their links. */
const people = ({ publicUrl }: ReadOptions) =>
  Layer.mergeAll(
    ConsumerDirectory.layer,
    ConsentNotifier.layerNone,
    ConsentLinks.layer(publicUrl),
    UnknownConsumerLimit.layer
  )

const servicesOf = (options: SuretyOptions, read: ReadOptions) => {
  const services =
    options.wallet === undefined
      ? Services.layer
      : Layer.provide(Services.layerHostWallet, HostWallet.layer(options.wallet))
  return services.pipe(
    Layer.provideMerge(people(read)),
    Layer.provide(KycProviders.layerSandbox),
    Layer.provideMerge(options.store.layer),
    Layer.provideMerge(DeliverySignal.layer),
    Layer.provideMerge(options.targets === "any" ? TargetPolicy.layerDevelopment : NodeWebhooks.layerTargets),
    Layer.provideMerge(Keyring.layer(read.secretKeys)),
    Layer.provideMerge(NodeCrypto.layer),
    Layer.provideMerge(observers(options))
  )
}

type Held = Layer.Success<ReturnType<typeof servicesOf>>

const outcomeOf = <A, E>(exit: Exit.Exit<A, E>): Outcome<A, E> => {
  if (Exit.isSuccess(exit)) return { ok: true, value: exit.value }
  const failure = Cause.findErrorOption(exit.cause)
  if (Option.isNone(failure)) throw Cause.squash(exit.cause)
  return { ok: false, error: failure.value }
}

const httpOf = (options: SuretyOptions, read: ReadOptions): HttpSettings["Service"] => ({
  publicUrl: read.publicUrl,
  basePath: read.basePath,
  provisioning: options.provisioning ?? (read.operatorToken === undefined ? "off" : "token"),
  operatorToken: read.operatorToken,
  docs: options.docs ?? true
})

/** Starts what runs in the background; answers how to stop it. */
const startWorkers = Effect.fnUntraced(function* (options: SuretyOptions, context: Context.Context<Held>) {
  const scope = yield* Scope.make()
  const recovery = Option.match(Context.getOption(context, HostRefunds), {
    onNone: () => Layer.empty,
    onSome: (refunds) => Layer.provide(RefundRecovery.layer, Layer.succeed(HostRefunds, refunds))
  })
  const dispatcher = options.targets === "any" ? NodeWebhooks.layerDevelopment : NodeWebhooks.layer
  const upkeep = Layer.mergeAll(recovery, ConsentSweeper.layer, VerificationRecovery.layer)
  yield* Layer.buildWithScope(Layer.mergeAll(dispatcher, upkeep), scope).pipe(Effect.provideContext(context))
  return Scope.close(scope, Exit.void)
})

/**
 * Surety in a host's server: calls in promises, a handler for its HTTP interface, workers for the background. Rejects
 * with `InvalidOptions`, which names every fault, or with `StoreNotOpened`.
 *
 * @example
 * const surety = await createSurety({ store: postgresStore({ pool }), secretsKey })
 * await surety.workers.start()
 */
export function createSurety(options: SuretyOptions<TransactionalStore>): Promise<TransactionalSurety>
export function createSurety(options: SuretyOptions): Promise<Surety>
export async function createSurety(options: SuretyOptions): Promise<Surety | TransactionalSurety> {
  const read = readOptions(options)
  const runtime = ManagedRuntime.make(servicesOf(options, read))
  const context = await runtime.context()
  const settings = Layer.succeed(HttpSettings, httpOf(options, read))
  const spans = requestSpans(options, settings)
  const web = WebHandler.make(Layer.mergeAll(Layer.succeedContext(context), settings, spans))
  const listening = await Effect.runPromise(Scope.make())
  const node = await Effect.runPromise(
    makeNodeHandler(context, settings).pipe(
      Effect.provide(spans),
      Scope.provide(listening),
      Effect.provideContext(context)
    )
  )
  const run: Run = async (work) => outcomeOf(await Effect.runPromiseExit(Effect.provideContext(work, context)))
  const workers = Workers.make(startWorkers(options, context))
  const surety: Surety = {
    ...calls(run),
    handler: web.handle,
    nodeHandler: node,
    workers,
    close: async () => {
      await workers.stop()
      await web.dispose()
      await Effect.runPromise(Scope.close(listening, Exit.void))
      await runtime.dispose()
    }
  }
  const client = Context.getOption(context, PgClient)
  if (Option.isNone(client)) return surety
  return {
    ...surety,
    inTransaction: (connection) =>
      calls((work) => run(Effect.provideService(inTransaction(connection)(work), PgClient, client.value)))
  }
}
