import { createServer } from "node:net"
import { describe, expect, it } from "@effect/vitest"
import * as TargetPolicy from "@surety/core/event/TargetPolicy"
import { testCertificate } from "@surety/testing/machine/TestCertificate"
import { Duration, Effect, Fiber, Layer } from "effect"
import { HttpClient, type HttpClientError } from "effect/http"
import { TestClock } from "effect/testing"
import { afterEach, vi } from "vitest"
import * as PinnedHttpClient from "../../src/node/PinnedHttpClient.js"
import * as WebhookSender from "../../src/send/WebhookSender.js"
import { classOf } from "../../src/target/AddressClass.js"
import { AddressLookup } from "../../src/target/AddressLookup.js"
import { AddressRule } from "../../src/target/AddressRule.js"
import * as PublicTargets from "../../src/target/PublicTargets.js"
import { defaultWebhookSettings } from "../../src/WebhookSettings.js"
import { type Script, scriptedLookup } from "../target/ScriptedLookup.js"
import { secureReceiver } from "./SecureReceiver.js"

const name = "hooks.example.com"
const certificate = testCertificate(name, "127.0.0.1")

const asIfPublic = (host: string, ...addresses: ReadonlyArray<string>) =>
  Layer.succeed(AddressRule, (address, called) =>
    called === host && addresses.includes(address) ? "public" : classOf(address)
  )

const noException = Layer.succeed(AddressRule, classOf)
const loopbackOfName = asIfPublic(name, "127.0.0.1")

const clientWith = (script: Script, rule: Layer.Layer<never> = loopbackOfName, ca = certificate.cert) => {
  const lookup = scriptedLookup(script)
  return { ...lookup, client: PinnedHttpClient.layerOptions({ ca }).pipe(Layer.provide([lookup.layer, rule])) }
}

const senderWith = (
  client: Layer.Layer<HttpClient.HttpClient>,
  policy: Layer.Layer<TargetPolicy.TargetPolicy> = PublicTargets.layerBeforeConnection
) => WebhookSender.layer.pipe(Layer.provide([client, policy]))

const send = Effect.fnUntraced(function* (url: string) {
  const sender = yield* WebhookSender.WebhookSender
  return yield* sender.send({ url, headers: { "X-Service-Event": "refund.completed" }, body: new Uint8Array(3) })
})

const took = { durationMillis: expect.any(Number) }

describe("a webhook to a public host", () => {
  it.live("goes to the address that was looked up, under the name of the url", () => {
    const { asked, client } = clientWith({ [name]: [["127.0.0.1"]] })
    return Effect.gen(function* () {
      const merchant = yield* secureReceiver(certificate)
      const outcome = yield* send(`https://${name}:${merchant.port}/webhooks`)
      expect(outcome).toEqual({ status: 200, bodyText: "seen", ...took })
      expect(merchant.seen).toEqual([{ host: `${name}:${merchant.port}`, servername: name, calledAt: "127.0.0.1" }])
      expect(asked).toEqual([name])
    }).pipe(Effect.provide(senderWith(client)))
  })

  it.live("goes to no other address, even if this machine listens there", () => {
    const { client } = clientWith({ [name]: [["::1"]] }, asIfPublic(name, "::1"))
    return Effect.gen(function* () {
      const other = yield* secureReceiver(certificate)
      const { error } = yield* send(`https://${name}:${other.port}/`)
      // The error is `host_unreachable` if the machine has no IPv6.
      expect(["connection_refused", "host_unreachable"]).toContain(error)
      expect(other.connections.opened).toBe(0)
    }).pipe(Effect.provide(senderWith(client)))
  })

  it.live("reaches a host of several addresses at the one that responds", () => {
    const { asked, client } = clientWith({ [name]: [["::1", "127.0.0.1"]] }, asIfPublic(name, "::1", "127.0.0.1"))
    return Effect.gen(function* () {
      const merchant = yield* secureReceiver(certificate)
      expect(yield* send(`https://${name}:${merchant.port}/`)).toMatchObject({ status: 200 })
      expect(merchant.seen).toMatchObject([{ calledAt: "127.0.0.1" }])
      expect(asked).toEqual([name])
    }).pipe(Effect.provide(senderWith(client)))
  })

  it.live("is looked up again for a new connection, not for one that is kept", () => {
    const script = { [name]: [["127.0.0.1"], ["10.0.0.1"]] }
    const { asked, client } = clientWith(script)
    return Effect.gen(function* () {
      const merchant = yield* secureReceiver(certificate)
      for (let count = 0; count < 3; count++) {
        expect(yield* send(`https://${name}:${merchant.port}/`)).toMatchObject({ status: 200 })
        yield* Effect.sleep("10 millis")
      }
      expect(asked).toEqual([name])
      expect(merchant.connections.opened).toBe(1)
    }).pipe(Effect.provide(senderWith(client)))
  })

  it.live("must present a certificate for its name", () => {
    const { client } = clientWith(
      { "other.example.com": [["127.0.0.1"]] },
      asIfPublic("other.example.com", "127.0.0.1")
    )
    return Effect.gen(function* () {
      const merchant = yield* secureReceiver(certificate)
      const outcome = yield* send(`https://other.example.com:${merchant.port}/`)
      expect(outcome).toEqual({ error: "tls_failed", ...took })
      expect(merchant.seen).toEqual([])
    }).pipe(Effect.provide(senderWith(client)))
  })

  it.live("reports that it has no address", () => {
    const { client } = clientWith({ "empty.example.com": [[]] })
    return Effect.gen(function* () {
      expect(yield* send("https://nobody.example.com/")).toEqual({ error: "name_not_resolved", ...took })
      expect(yield* send("https://empty.example.com/")).toEqual({ error: "name_not_resolved", ...took })
    }).pipe(Effect.provide(senderWith(client)))
  })
})

describe("a webhook that would go astray", () => {
  const refused = (addressClass: string) => ({ error: `target_not_allowed:${addressClass}`, ...took })

  it.live("is refused when the name's addresses changed after registration", () => {
    const { asked, client, layer } = clientWith({ [name]: [["93.184.215.14"], ["127.0.0.1"]] }, noException)
    return Effect.gen(function* () {
      const merchant = yield* secureReceiver(certificate)
      const url = `https://${name}:${merchant.port}/`
      const policy = yield* TargetPolicy.TargetPolicy
      yield* policy.check(url)
      expect(yield* send(url).pipe(Effect.provide(senderWith(client)))).toEqual(refused("loopback"))
      expect(merchant.connections.opened).toBe(0)
      expect(asked).toEqual([name, name])
    }).pipe(Effect.provide(PublicTargets.layer.pipe(Layer.provide(layer))))
  })

  it.live("is refused when the name's addresses changed between two connections", () => {
    const { asked, client } = clientWith({ [name]: [["127.0.0.1"], ["169.254.169.254"]] })
    return Effect.gen(function* () {
      const merchant = yield* secureReceiver(certificate, { headers: { connection: "close" } })
      const url = `https://${name}:${merchant.port}/`
      expect(yield* send(url)).toMatchObject({ status: 200 })
      expect(yield* send(url)).toEqual(refused("cloud_metadata"))
      expect(merchant.connections.opened).toBe(1)
      expect(asked).toEqual([name, name])
    }).pipe(Effect.provide(senderWith(client)))
  })

  for (const addresses of [
    ["127.0.0.1", "10.0.0.1"],
    ["10.0.0.1", "127.0.0.1"],
    ["127.0.0.1", "fd00::1"]
  ]) {
    it.live(`is refused when one address of several is private: ${addresses.join(", ")}`, () => {
      const { client } = clientWith({ [name]: [addresses] })
      return Effect.gen(function* () {
        const merchant = yield* secureReceiver(certificate)
        expect(yield* send(`https://${name}:${merchant.port}/`)).toEqual(refused("private"))
        expect(merchant.connections.opened).toBe(0)
      }).pipe(Effect.provide(senderWith(client)))
    })
  }

  // Allows every url, so that only the client's own check can refuse it.
  const anywhere = Layer.succeed(TargetPolicy.TargetPolicy, { check: () => Effect.void })
  const literals = [
    ["127.0.0.1", "loopback"],
    ["2130706433", "loopback"],
    ["[::1]", "loopback"],
    ["[::ffff:127.0.0.1]", "embedded_ipv4"],
    ["0.0.0.0", "unspecified"]
  ] as const
  for (const scheme of ["https", "http"]) {
    for (const [host, addressClass] of literals) {
      it.live(`is refused to ${scheme}://${host}, even without a policy`, () => {
        const { asked, client } = clientWith({}, noException)
        return Effect.gen(function* () {
          const local = yield* secureReceiver(certificate, {}, "everywhere")
          expect(yield* send(`${scheme}://${host}:${local.port}/`)).toEqual(refused(addressClass))
          expect(local.connections.opened).toBe(0)
          expect(asked).toEqual([])
        }).pipe(Effect.provide(senderWith(client, anywhere)))
      })
    }
  }

  it.live("is refused to localhost by its address, even without a policy", () => {
    const { client } = clientWith({ localhost: [["127.0.0.1"]] }, noException)
    return Effect.gen(function* () {
      const local = yield* secureReceiver(certificate)
      expect(yield* send(`https://localhost:${local.port}/`)).toEqual(refused("loopback"))
      expect(local.connections.opened).toBe(0)
    }).pipe(Effect.provide(senderWith(client, anywhere)))
  })

  for (const status of [301, 302, 303, 307, 308]) {
    it.live(`does not follow a ${status} to a private host`, () => {
      const { asked, client } = clientWith({ [name]: [["127.0.0.1"]] })
      return Effect.gen(function* () {
        const inside = yield* secureReceiver(certificate)
        const location = `https://127.0.0.1:${inside.port}/`
        const merchant = yield* secureReceiver(certificate, { status, headers: { location } })
        expect(yield* send(`https://${name}:${merchant.port}/`)).toMatchObject({ status })
        expect(inside.connections.opened).toBe(0)
        expect(asked).toEqual([name])
      }).pipe(Effect.provide(senderWith(client)))
    })
  }

  it.effect("fails with the policy's own error, which shows no address", () => {
    const { client } = clientWith({ [name]: [["192.168.7.9"]] })
    return Effect.gen(function* () {
      const http = yield* HttpClient.HttpClient
      const error: HttpClientError.HttpClientError = yield* Effect.flip(http.get(`https://${name}/`))
      expect(error.reason.cause).toBeInstanceOf(TargetPolicy.TargetNotAllowed)
      expect(error.reason.cause).toMatchObject({ code: "url_address_not_public", addressClass: "private" })
      expect(String(error.reason.cause)).not.toContain("192.168")
    }).pipe(Effect.provide(client))
  })
})

describe("an address in the url", () => {
  it.live("that may be called is called, with nothing looked up", () => {
    const { asked, client } = clientWith({}, asIfPublic("127.0.0.1", "127.0.0.1"))
    return Effect.gen(function* () {
      const merchant = yield* secureReceiver(certificate)
      const policy = PublicTargets.layerBeforeConnection.pipe(Layer.provide(asIfPublic("127.0.0.1", "127.0.0.1")))
      const outcome = yield* send(`https://127.0.0.1:${merchant.port}/`).pipe(
        Effect.provide(senderWith(client, policy))
      )
      expect(outcome).toMatchObject({ status: 200 })
      expect(asked).toEqual([])
    })
  })
})

describe("the environment", () => {
  afterEach(() => {
    vi.unstubAllEnvs()
  })

  it.live("provides no proxy for webhooks: it would resolve names without the check", () =>
    Effect.gen(function* () {
      let proxied = 0
      const proxy = yield* Effect.acquireRelease(
        Effect.callback<ReturnType<typeof createServer>>((resume) => {
          const server = createServer((socket) => {
            proxied++
            socket.destroy()
          })
          server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
        }),
        (server) => Effect.sync(() => server.close())
      )
      const address = proxy.address()
      const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`
      for (const variable of ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "https_proxy"]) vi.stubEnv(variable, url)
      vi.stubEnv("NODE_USE_ENV_PROXY", "1")
      const merchant = yield* secureReceiver(certificate)
      const { client } = clientWith({ [name]: [["127.0.0.1"]] })
      const outcome = yield* send(`https://${name}:${merchant.port}/`).pipe(Effect.provide(senderWith(client)))
      expect(outcome).toMatchObject({ status: 200 })
      expect(proxied).toBe(0)
    })
  )

  it.live("cannot disable certificate checks", () => {
    vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0")
    const { client } = clientWith({ [name]: [["127.0.0.1"]] }, loopbackOfName, testCertificate(name).cert)
    return Effect.gen(function* () {
      const merchant = yield* secureReceiver(certificate)
      expect(yield* send(`https://${name}:${merchant.port}/`)).toEqual({ error: "tls_failed", ...took })
    }).pipe(Effect.provide(senderWith(client)))
  })
})

describe("a lookup that never ends", () => {
  it.effect("ends with the attempt and delays no other host", () => {
    const addressesOf = (host: string) => (host === name ? Effect.succeed(["127.0.0.1"]) : Effect.never)
    const client = PinnedHttpClient.layerOptions({ ca: certificate.cert }).pipe(
      Layer.provide([Layer.succeed(AddressLookup, { addressesOf }), loopbackOfName])
    )
    return Effect.gen(function* () {
      const merchant = yield* secureReceiver(certificate)
      const slow = yield* Effect.forkChild(send("https://slow.example.com/"), { startImmediately: true })
      // The test clock has not advanced, so the slow attempt has not reached its timeout of 15 s.
      expect(yield* send(`https://${name}:${merchant.port}/`)).toMatchObject({ status: 200 })
      yield* TestClock.adjust(Duration.subtract(defaultWebhookSettings.attemptTimeout, Duration.millis(1)))
      expect(slow.pollUnsafe()).toBeUndefined()
      yield* TestClock.adjust(1)
      const durationMillis = Duration.toMillis(defaultWebhookSettings.attemptTimeout)
      expect(yield* Fiber.join(slow)).toEqual({ error: "timeout", durationMillis })
    }).pipe(Effect.provide(senderWith(client)))
  })
})
