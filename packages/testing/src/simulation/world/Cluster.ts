import * as AskLimits from "@surety/core/consent/asking/AskLimits"
import * as ConsentUrls from "@surety/core/consent/link/ConsentUrls"
import { ConsentNotifier } from "@surety/core/consent/notification/ConsentNotifier"
import { ConsumerDirectory } from "@surety/core/consumer/ConsumerDirectory"
import type { DeliveryQueue } from "@surety/core/event/DeliveryQueue"
import type * as DeliverySignal from "@surety/core/event/DeliverySignal"
import * as TargetPolicy from "@surety/core/event/TargetPolicy"
import * as HostRequests from "@surety/core/host/HostRequests"
import { Responses } from "@surety/core/idempotency/Responses"
import { KycProvider } from "@surety/core/kyc/provider/KycProvider"
import * as KycProviders from "@surety/core/kyc/provider/KycProviders"
import * as MemoryState from "@surety/core/memory/MemoryState"
import * as MemoryStores from "@surety/core/memory/MemoryStores"
import { type PersonDataHolder, PersonDataHolders } from "@surety/core/person/PersonDataHolders"
import { PersonStore } from "@surety/core/person/PersonStore"
import { Wallet, WalletDeferred } from "@surety/core/refund/Wallet"
import { RetentionPolicy } from "@surety/core/retention/RetentionPolicy"
import type { StorePorts } from "@surety/core/StorePorts"
import * as Surety from "@surety/core/Surety"
import type { Keyring } from "@surety/core/secret/Keyring"
import { Context, Duration, Effect, type Exit, Layer } from "effect"
import type { SecureRandom } from "effect/crypto"
import { responses } from "../../Responses.js"
import { type HostPort, hostLink } from "../host/hostLink.js"
import * as PlainSender from "../host/PlainSender.js"
import * as SimulatedCrypto from "../host/SimulatedCrypto.js"
import { makeHolder, type SimulatedHolder } from "../host/SimulatedHolder.js"
import { makePeople, type SimulatedPeople } from "../host/SimulatedPeople.js"
import { layerSender, makePlatform, type SimulatedPlatform } from "../host/SimulatedPlatform.js"
import { simulatedHandler } from "../host/SimulatedQueue.js"
import { makeReceivers, type SimulatedReceivers } from "../host/SimulatedReceivers.js"
import { makeVendor, type SimulatedVendor } from "../host/SimulatedVendor.js"
import { makeWallet, type SimulatedWallet } from "../host/SimulatedWallet.js"
import { retentionPolicy } from "../invariants/RetentionInvariants.js"
import { beside } from "./Beside.js"
import { behindNetwork, type Caller, InCommit, storeLink, throughNetwork } from "./Network.js"
import { actorOf, SimulatedProcess } from "./SimulatedProcess.js"
import type { World } from "./World.js"

export type SimulatedServices = Surety.Services | StorePorts

type Stores = Layer.Layer<StorePorts, never, MemoryState.MemoryState | DeliverySignal.DeliverySignal>

/** Parts of a simulation to wrap, replace or add. An omitted field changes nothing. */
export interface SimulatedParts {
  /** Wraps or replaces the default stores, for example to inject a fault. */
  readonly stores?: ((sound: Stores) => Stores) | undefined
  /**
   * Other stores, on which every operation not listed in `notBeside` also runs. Different results violate
   * `stores_agree`. These stores may wait for a database, so only `tellBeside` accepts them.
   */
  readonly beside?: Context.Context<StorePorts> | undefined
  /** `wallet` and `vendor` wrap a process's connection to the host's wallet and to the KYC vendor. */
  readonly wallet?: ((reached: Wallet["Service"]) => Wallet["Service"]) | undefined
  readonly vendor?: ((reached: KycProvider["Service"]) => KycProvider["Service"]) | undefined
  /** Wraps a process's connection to the host's store of personal data. */
  readonly holder?: ((reached: Required<PersonDataHolder>) => Required<PersonDataHolder>) | undefined
  /** The webhook sender. Defaults to `PlainSender`. */
  readonly webhooks?:
    | ((
        receivers: SimulatedReceivers
      ) => Layer.Layer<
        never,
        never,
        DeliveryQueue | DeliverySignal.DeliverySignal | Keyring | SecureRandom.SecureRandom
      >)
    | undefined
}

/** Limits on asking a person, low enough for a short story to reach them. */
export const askLimits: AskLimits.AskLimits = { open: 2, perDay: 4, againAfter: Duration.hours(24) }

/** Maximum error of a process's clock. Two clocks therefore differ by at most twice as much. */
export const mostSkewMillis = 2_000

const sound: Stores = Layer.provide(MemoryStores.layerHashing, SimulatedCrypto.layerDigest)

const same = <A>(sound: A): A => sound

/**
 * Wraps the stores so that `world.erasing` holds the plan of an erasure in progress. An erasure changes records that
 * are otherwise immutable.
 */
const tellingOfErasures = (world: World, context: Context.Context<StorePorts>): Context.Context<StorePorts> => {
  const people = Context.get(context, PersonStore)
  return Context.add(context, PersonStore, {
    ...people,
    erase: (plan) =>
      Effect.suspend(() => {
        world.erasing = plan
        return people.erase(plan)
      }).pipe(
        Effect.ensuring(
          Effect.sync(() => {
            world.erasing = undefined
          })
        )
      )
  })
}

/**
 * Wraps the host's wallet so that a credit inside a commit fails with `WalletDeferred` and is made after the commit.
 * `@surety/embed` does the same in Surety's own transactions.
 */
const afterCommit = ({ credit, ...others }: Wallet["Service"]): Wallet["Service"] => ({
  ...others,
  credit: (asked) =>
    Effect.flatMap(InCommit, (isInCommit) => (isInCommit ? Effect.fail(new WalletDeferred()) : credit(asked)))
})

/** Two processes that share a store, with the surrounding host, vendor and receivers. */
export class Cluster {
  readonly wallet: SimulatedWallet
  readonly vendor: SimulatedVendor
  readonly people: SimulatedPeople
  readonly receivers: SimulatedReceivers
  readonly platform: SimulatedPlatform
  /** Where consumers' money is held: in Surety's ledger or in the host's wallet. */
  readonly custody: "LEDGER" | "HOST"
  readonly holder: SimulatedHolder
  /** True if the host queues requests and each process runs a worker for them. */
  readonly hasQueue: boolean
  /** True if the platform receives its own events and those of every merchant. */
  readonly hasPlatform: boolean
  readonly #world: World
  readonly #parts: SimulatedParts
  readonly #processes: Array<SimulatedProcess<SimulatedServices>> = []
  readonly #skews: ReadonlyArray<number>
  /** The host port that the story is about, if any. This port fails most often. */
  readonly #frail: string | undefined
  #boots = 0

  constructor(world: World, parts: SimulatedParts) {
    const { about } = world
    const draw = world.draw("cluster")
    this.#world = world
    this.#parts = parts
    this.custody = draw.chance(about === "wallet" ? 1 : about === "money" ? 0 : 0.5) ? "HOST" : "LEDGER"
    this.#skews = [draw.between(-mostSkewMillis, mostSkewMillis), draw.between(-mostSkewMillis, mostSkewMillis)]
    this.hasQueue = draw.chance(about === "queue" ? 1 : 0.4)
    this.hasPlatform = draw.chance(about === "telling" || about === "asking" ? 1 : 0.3)
    this.#frail = about === "wallet" ? "Wallet" : about === "kyc" ? "KycProvider" : undefined
    this.holder = makeHolder(world)
    this.wallet = makeWallet(world)
    this.vendor = makeVendor(world)
    this.people = makePeople(world)
    this.receivers = makeReceivers(world)
    this.platform = makePlatform(world)
    this.#processes.push(this.#boot(0), this.#boot(1))
  }

  /**
   * Runs a call at one of the processes. If that process is down or dies, calls `onLost` instead of `onExit`. Returns a
   * function that interrupts the call.
   */
  run<A, E>(
    at: number,
    label: string,
    call: Effect.Effect<A, E, SimulatedServices>,
    onExit: (exit: Exit.Exit<A, E>) => void,
    onLost: () => void
  ): () => void {
    const process = this.#processes[at % this.#processes.length]
    if (process === undefined) return () => {}
    return process.run(call, actorOf(label), onExit, onLost)
  }

  isUp(at: number): boolean {
    return this.#processes[at]?.isAlive === true
  }

  nameOf(at: number): string {
    return this.#processes[at % this.#processes.length]?.name ?? "nowhere"
  }

  kill(at: number): void {
    const process = this.#processes[at]
    if (process === undefined || !process.isAlive) return
    process.kill()
    this.#world.reach("process killed")
    this.#world.tell(() => `${process.name} dies`)
    const pause = this.#world.draw(`boot ${process.name}`).pick([1, 5, 50, 20_000])
    this.#world.agenda.after(pause, 0, () => {
      this.#processes[at] = this.#boot(at)
    })
  }

  drain(): void {
    for (const process of this.#processes) process.drain()
  }

  #frailtyOf(port: string): number {
    if (port === this.#frail) return 8 * hostLink.frailty
    return this.#world.draw(`frailty ${port}`).pick([hostLink.frailty, hostLink.frailty, 4 * hostLink.frailty])
  }

  #boot(at: number): SimulatedProcess<SimulatedServices> {
    this.#boots += 1
    const name = `node ${at + 1}.${this.#boots}`
    const process = new SimulatedProcess<SimulatedServices>(this.#world, name, this.#skews[at] ?? 0)
    const caller: Caller = {
      name,
      get isAlive() {
        return process.isAlive
      },
      kill: () => {
        if (process.isAlive) this.kill(at)
      }
    }
    process.boot(this.#layerOf(name, caller))
    process.drain()
    return process
  }

  #layerOf(name: string, caller: Caller): Layer.Layer<SimulatedServices> {
    const world = this.#world
    const host = <S extends object>(port: HostPort, service: S): S =>
      throughNetwork(world, caller, { ...hostLink, frailty: this.#frailtyOf(port) }, port, service)
    const {
      beside: second,
      holder = same,
      stores = same,
      vendor = same,
      wallet: credits = same,
      webhooks = PlainSender.layer
    } = this.#parts
    const parts = {
      stores: Layer.effectContext(
        Effect.map(Layer.build(stores(sound)), (context) =>
          behindNetwork(
            world,
            caller,
            storeLink,
            tellingOfErasures(world, second === undefined ? context : beside(world, context, second))
          )
        )
      ).pipe(Layer.provide(Layer.succeed(MemoryState.MemoryState, world.state))),
      keyring: SimulatedCrypto.layerKeyring,
      targets: TargetPolicy.layerDevelopment,
      consentUrls: ConsentUrls.layer("https://host.example"),
      responses: Layer.succeed(Responses, responses),
      consentNotifier: Layer.succeed(ConsentNotifier, host("ConsentNotifier", this.people.notifier)),
      directory: Layer.succeed(ConsumerDirectory, host("ConsumerDirectory", this.people.directory)),
      kycProviders: Layer.provide(
        KycProviders.layer,
        Layer.succeed(KycProvider, vendor(host("KycProvider", this.vendor.service)))
      )
    }
    const wallet = Layer.succeed(Wallet, afterCommit(credits(host("Wallet", this.wallet.service))))
    const queued = HostRequests.worker(simulatedHandler).layer
    const services = this.custody === "HOST" ? Surety.layer({ ...parts, wallet }) : Surety.layer(parts)
    const workers = Surety.workers({ webhooks: webhooks(this.receivers) })
    const others = this.hasQueue ? Layer.merge(workers, queued) : workers
    const sending = this.hasPlatform ? Layer.merge(others, layerSender(this.platform)) : others
    return Layer.provideMerge(sending, services).pipe(
      Layer.provide([
        SimulatedCrypto.layerDigest,
        SimulatedCrypto.layerReceiptSigner,
        SimulatedCrypto.layerRandom(world.draw(`secure ${name}`)),
        Layer.succeed(AskLimits.AskLimits, askLimits),
        Layer.succeed(RetentionPolicy, retentionPolicy),
        Layer.succeed(PersonDataHolders, [holder(host("PersonDataHolder", this.holder.service))])
      ])
    )
  }
}
