import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { AddressLookup } from "../../src/AddressLookup.js"
import * as NodeAddressLookup from "../../src/node/NodeAddressLookup.js"
import { dnsServer } from "./DnsServer.js"

const ipv6 = "2001:db8:0:0:0:0:0:1"

const zone = {
  "both.example.com": { A: ["192.0.2.1", "192.0.2.2"], AAAA: [ipv6] },
  "four.example.com": { A: ["192.0.2.1"] },
  "six.example.com": { AAAA: [ipv6] },
  "private.example.com": { A: ["127.0.0.1"] },
  "nothing.example.com": {},
  "broken.example.com": "SERVFAIL",
  "refused.example.com": "REFUSED",
  "silent.example.com": "silent",
  "half-silent.example.com": { A: ["192.0.2.1"], AAAA: "silent" }
} as const

const addressesOf = (name: string) =>
  Effect.flatMap(AddressLookup, (lookup) =>
    Effect.match(lookup.addressesOf(name), { onFailure: ({ code }) => code, onSuccess: (addresses) => addresses })
  )

const lookingUpAt = (server: string) =>
  NodeAddressLookup.layerOptions({ servers: [server], timeout: "400 millis", tryTimeout: "100 millis" })

describe("looking a name up in DNS", () => {
  const expected: ReadonlyArray<readonly [name: string, found: ReadonlyArray<string> | string]> = [
    ["both.example.com", ["192.0.2.1", "192.0.2.2", "2001:db8::1"]],
    ["four.example.com", ["192.0.2.1"]],
    ["six.example.com", ["2001:db8::1"]],
    ["private.example.com", ["127.0.0.1"]],
    ["nothing.example.com", "ENOTFOUND"],
    ["unknown.example.com", "ENOTFOUND"],
    ["broken.example.com", "EAI_AGAIN"],
    ["refused.example.com", "EAI_AGAIN"],
    ["silent.example.com", "EAI_AGAIN"],
    ["half-silent.example.com", ["192.0.2.1"]],
    // The hosts file has it, but that is about this machine.
    ["localhost", "ENOTFOUND"]
  ]
  for (const [name, found] of expected) {
    it.live(`finds of ${name} ${found}`, () =>
      Effect.gen(function* () {
        const server = yield* dnsServer(zone)
        expect(yield* addressesOf(name).pipe(Effect.provide(lookingUpAt(server.address)))).toEqual(found)
      })
    )
  }

  it.live("asks anew each time, for the name as it is, without search domains", () =>
    Effect.gen(function* () {
      const server = yield* dnsServer(zone)
      yield* Effect.repeat(addressesOf("nothing.example.com"), { times: 2 }).pipe(
        Effect.provide(lookingUpAt(server.address))
      )
      expect(server.asked).toEqual(Array(6).fill("nothing.example.com"))
    })
  )

  it.live("does not wait longer than it is told to", () =>
    Effect.gen(function* () {
      const server = yield* dnsServer(zone)
      const startedAt = performance.now()
      yield* addressesOf("silent.example.com").pipe(Effect.provide(lookingUpAt(server.address)))
      expect(performance.now() - startedAt).toBeLessThan(1500)
    })
  )

  it.live("asks no more once nobody waits for it", () =>
    Effect.gen(function* () {
      const server = yield* dnsServer(zone)
      const patient = NodeAddressLookup.layerOptions({ servers: [server.address], tryTimeout: "100 millis" })
      const lookup = yield* Effect.forkChild(addressesOf("silent.example.com").pipe(Effect.provide(patient)))
      yield* Effect.sleep("50 millis")
      yield* Fiber.interrupt(lookup)
      const asked = server.asked.length
      expect(asked).toBeGreaterThan(0)
      yield* Effect.sleep("400 millis")
      expect(server.asked.length).toBe(asked)
    })
  )

  it.live("is not held up by names whose servers do not answer, however many", () =>
    Effect.gen(function* () {
      const server = yield* dnsServer(zone)
      const startedAt = performance.now()
      const slow = Effect.forEach(Array(50).fill("silent.example.com"), addressesOf, { concurrency: 50 })
      const lookup = lookingUpAt(server.address)
      const fiber = yield* Effect.forkChild(Effect.provide(slow, lookup))
      yield* Effect.sleep("20 millis")
      expect(yield* Effect.provide(addressesOf("four.example.com"), lookup)).toEqual(["192.0.2.1"])
      expect(performance.now() - startedAt).toBeLessThan(300)
      expect(yield* Fiber.join(fiber)).toEqual(Array(50).fill("EAI_AGAIN"))
    })
  )
})
