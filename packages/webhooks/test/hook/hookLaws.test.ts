import { NodeCrypto } from "@effect/platform-node"
import { ConsumerId } from "@surety/core/consumer/ConsumerId"
import { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import * as TargetPolicy from "@surety/core/event/TargetPolicy"
import { UserId } from "@surety/core/Ids"
import * as ConsumerDirectoryLaws from "@surety/testing/consumer/ConsumerDirectoryLaws"
import * as WalletLaws from "@surety/testing/refund/WalletLaws"
import * as DirectoryHook from "@surety/webhooks/hook/DirectoryHook"
import * as HookCaller from "@surety/webhooks/hook/HookCaller"
import * as WalletHook from "@surety/webhooks/hook/WalletHook"
import * as UndiciHttpClient from "@surety/webhooks/node/UndiciHttpClient"
import * as WebhookSigner from "@surety/webhooks/send/WebhookSigner"
import { Clock, Effect, Layer, Redacted } from "effect"
import { afterAll, beforeAll } from "vitest"
import { type Mishap, mishaps, Platform, walletMishaps } from "./Platform.js"

const secret = `whsec_${Buffer.alloc(32, 5).toString("base64")}`
const platform = new Platform(secret)

beforeAll(() => platform.listen())
afterAll(() => platform.close())

const disturbancesOf = (all: Readonly<Record<string, Mishap>>) =>
  Object.fromEntries(
    Object.entries(all).map(([how, mishap]) => [
      how,
      Effect.sync(() => {
        platform.next = mishap
      })
    ])
  )

/** A clock on which callers time out when `platform.expire` is called. */
const patience = Effect.map(Clock.Clock, (clock): Clock.Clock => {
  const waiting = new Set<() => void>()
  platform.expire = () => {
    // Callers that start waiting during this loop keep waiting.
    const ended = [...waiting]
    waiting.clear()
    for (const end of ended) end()
  }
  const sleep = () =>
    Effect.callback<void>((resume) => {
      const end = () => resume(Effect.void)
      waiting.add(end)
      return Effect.sync(() => waiting.delete(end))
    })
  return {
    sleep,
    currentTimeMillis: clock.currentTimeMillis,
    currentTimeNanos: clock.currentTimeNanos,
    monotonicTimeNanos: clock.monotonicTimeNanos,
    currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe(),
    currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe(),
    monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe()
  }
})

const patientCaller = Layer.effect(
  HookCaller.HookCaller,
  Effect.gen(function* () {
    const { ask, call, tell } = yield* HookCaller.HookCaller
    const clock = yield* patience
    const on = Effect.provideService(Clock.Clock, clock)
    return HookCaller.HookCaller.of({
      ask: (given, read) => on(ask(given, read)),
      call: (given) => on(call(given)),
      tell: (given) => on(tell(given))
    })
  })
)

const caller = patientCaller.pipe(
  Layer.provide(HookCaller.layer),
  Layer.provide([UndiciHttpClient.layerDevelopment, TargetPolicy.layerDevelopment, WebhookSigner.layer]),
  Layer.provide(NodeCrypto.layer)
)

const strangers = Layer.mock(ConsumerStore, { findByServiceId: () => Effect.succeedNone })

const over = Layer.provide([caller, strangers, NodeCrypto.layer])

/** Call this after the platform listens, since its url is unknown until then. */
const target = (path: string) => ({ url: `${platform.url}${path}`, secret: Redacted.make(secret) })

WalletLaws.suite("hook", Layer.unwrap(Effect.sync(() => WalletHook.layer(target("/wallet")))).pipe(over), {
  accepts: UserId.make("accepted"),
  declines: UserId.make("declined"),
  booked: (id) => Effect.sync(() => platform.bookings.filter((one) => one.id === id).map(({ minor }) => minor)),
  disturbances: disturbancesOf({ ...mishaps, ...walletMishaps })
})

const serviceId = ConsumerId.make("SR1-TEST-2345-3")
const values = { display_name: "Ada Obi", phone_verified: true, city: "Lagos" }
platform.people.set(serviceId, { ...values, bvn: "22222222222" })

ConsumerDirectoryLaws.suite(
  "hook",
  Layer.unwrap(Effect.sync(() => DirectoryHook.layer(target("/directory")))).pipe(over),
  {
    person: { environment: "LIVE", userId: UserId.make("user-1"), serviceId },
    values,
    without: "email",
    change: (field, value) =>
      Effect.sync(() => {
        platform.people.set(serviceId, { ...platform.people.get(serviceId), [field]: value })
      }),
    disturbances: disturbancesOf(mishaps)
  }
)
