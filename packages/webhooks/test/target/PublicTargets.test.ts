import { describe, expect, it } from "@effect/vitest"
import * as TargetPolicy from "@surety/core/event/TargetPolicy"
import { Effect, Layer } from "effect"
import { AddressLookup, NameNotResolved } from "../../src/target/AddressLookup.js"
import * as PublicTargets from "../../src/target/PublicTargets.js"
import { allowedUrls, hostileUrls } from "./hostileUrls.js"
import { type Script, scriptedLookup } from "./ScriptedLookup.js"

const refusal = (url: string) =>
  Effect.gen(function* () {
    const policy = yield* TargetPolicy.TargetPolicy
    return yield* Effect.match(policy.check(url), { onFailure: (error) => error, onSuccess: () => undefined })
  })

const registering = (script: Script = {}) => {
  const lookup = scriptedLookup(script)
  return { ...lookup, layer: PublicTargets.layer.pipe(Layer.provide(lookup.layer)) }
}

const moments = { "at registration": registering().layer, "before an attempt": PublicTargets.layerBeforeConnection }

for (const [moment, layer] of Object.entries(moments)) {
  describe(moment, () => {
    for (const [url, code] of hostileUrls) {
      it.effect(`${JSON.stringify(url)} is refused: ${code}`, () =>
        Effect.gen(function* () {
          expect(yield* refusal(url)).toMatchObject({ _tag: "TargetNotAllowed", code })
        }).pipe(Effect.provide(layer))
      )
    }

    for (const url of allowedUrls) {
      it.effect(`${JSON.stringify(url)} may be called`, () =>
        Effect.gen(function* () {
          expect(yield* refusal(url)).toBeUndefined()
        }).pipe(Effect.provide(layer))
      )
    }
  })
}

it("the table of hostile urls is not thinned out, and has each once", () => {
  expect(new Set(hostileUrls.map(([url]) => url)).size).toBe(hostileUrls.length)
  expect(hostileUrls.length).toBeGreaterThanOrEqual(80)
})

describe("a refusal", () => {
  it.effect("tells what to send instead and the class of the address, and shows nothing of the url", () =>
    Effect.gen(function* () {
      for (const [url] of hostileUrls) {
        const error = yield* refusal(url)
        expect(error?.detail).toMatch(/^(?:Send|Remove|The url's host is .+ Send) .+\.$/u)
      }
      const secret = yield* refusal("https://192.168.7.9:8443/hooks/s3cret?token=s3cret")
      expect(secret).toMatchObject({ addressClass: "private" })
      expect(JSON.stringify(secret)).not.toMatch(/s3cret|192\.168/u)
    }).pipe(Effect.provide(registering().layer))
  )
})

describe("a name at registration", () => {
  const url = "https://hooks.example.com/webhooks"
  const withAddresses = (...addresses: ReadonlyArray<string>) => registering({ "hooks.example.com": [addresses] })

  it.effect("passes with public addresses", () =>
    Effect.gen(function* () {
      expect(yield* refusal(url)).toBeUndefined()
    }).pipe(Effect.provide(withAddresses("93.184.215.14", "2606:4700:4700::1111").layer))
  )

  it.effect("is looked up without the dot at its end, once, and an address in the url is not", () => {
    const { asked, layer } = withAddresses("93.184.215.14")
    return Effect.gen(function* () {
      yield* refusal("https://hooks.example.com./")
      yield* refusal("https://1.1.1.1/")
      yield* refusal("https://[2606:4700:4700::1111]/")
      expect(asked).toEqual(["hooks.example.com"])
    }).pipe(Effect.provide(layer))
  })

  it.effect("is not looked up when the url is refused anyway", () => {
    const { asked, layer } = withAddresses("93.184.215.14")
    return Effect.gen(function* () {
      for (const [refused] of hostileUrls) yield* refusal(refused)
      expect(asked).toEqual([])
    }).pipe(Effect.provide(layer))
  })

  const forbidden: ReadonlyArray<readonly [addresses: ReadonlyArray<string>, addressClass: string]> = [
    [["127.0.0.1"], "loopback"],
    [["93.184.215.14", "10.0.0.1"], "private"],
    [["10.0.0.1", "93.184.215.14"], "private"],
    [["93.184.215.14", "2606:4700:4700::1111", "fe80::1"], "link_local"],
    [["93.184.215.14", "::ffff:93.184.215.14"], "embedded_ipv4"],
    [["169.254.169.254"], "cloud_metadata"],
    [["0.0.0.0"], "unspecified"],
    [["no address"], "malformed"]
  ]
  for (const [addresses, addressClass] of forbidden) {
    it.effect(`is refused with ${addresses.join(" and ")}`, () =>
      Effect.gen(function* () {
        expect(yield* refusal(url)).toMatchObject({ code: "url_address_not_public", addressClass })
      }).pipe(Effect.provide(withAddresses(...addresses).layer))
    )
  }

  for (const code of ["ENOTFOUND", "EAI_AGAIN"] as const) {
    it.effect(`passes when its look-up ends with ${code}, since each connection is checked anyway`, () =>
      Effect.gen(function* () {
        expect(yield* refusal(url)).toBeUndefined()
      }).pipe(
        Effect.provide(PublicTargets.layer),
        Effect.provideService(AddressLookup, { addressesOf: () => Effect.fail(new NameNotResolved({ code })) })
      )
    )
  }
})

describe("the development profile's policy", () => {
  const allowed = ["http://127.0.0.1:4000/", "http://localhost/", "https://[::1]:22/", "https://example.com"]
  const refused = [
    ["http://user:password@localhost/", "url_credentials"],
    ["https://user@example.com/", "url_credentials"],
    ["ftp://localhost/", "url_invalid"],
    ["localhost", "url_invalid"]
  ] as const

  it.effect("lifts the rules on scheme, address and port, and no others", () =>
    Effect.gen(function* () {
      for (const url of allowed) expect(yield* refusal(url)).toBeUndefined()
      for (const [url, code] of refused) expect(yield* refusal(url)).toMatchObject({ code })
    }).pipe(Effect.provide(TargetPolicy.layerDevelopment))
  )
})
