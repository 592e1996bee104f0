import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import * as NodeAddressLookup from "../../src/node/NodeAddressLookup.js"
import { AddressLookup } from "../../src/target/AddressLookup.js"
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

/**
 * Returns a lookup with short timeouts, for names whose server does not respond. Each such lookup takes the full
 * timeout.
 */
const lookingUpAt = (server: string) =>
  NodeAddressLookup.layerOptions({ servers: [server], timeout: "400 millis", tryTimeout: "100 millis" })

/** Returns a lookup with long timeouts, which tolerate a busy machine. They cost nothing if the server responds. */
const patientAt = (server: string) =>
  NodeAddressLookup.layerOptions({ servers: [server], timeout: "1 minute", tryTimeout: "20 seconds" })

/** Returns a lookup whose timeout is long enough for one response, and short enough to wait for a missing one. */
const halfPatientAt = (server: string) =>
  NodeAddressLookup.layerOptions({ servers: [server], timeout: "3 seconds", tryTimeout: "3 seconds" })

const layerFor: Readonly<Record<string, typeof lookingUpAt>> = {
  "silent.example.com": lookingUpAt,
  "half-silent.example.com": halfPatientAt
}

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
    // The hosts file maps this name to this machine. The lookup queries only DNS, so it must not find the name.
    ["localhost", "ENOTFOUND"]
  ]
  for (const [name, found] of expected) {
    it.live(`finds of ${name} ${found}`, () =>
      Effect.gen(function* () {
        const server = yield* dnsServer(zone)
        const lookup = (layerFor[name] ?? patientAt)(server.address)
        expect(yield* addressesOf(name).pipe(Effect.provide(lookup))).toEqual(found)
      })
    )
  }

  it.live("queries each time, for the exact name, without search domains", () =>
    Effect.gen(function* () {
      const server = yield* dnsServer(zone)
      yield* Effect.repeat(addressesOf("nothing.example.com"), { times: 2 }).pipe(
        Effect.provide(patientAt(server.address))
      )
      expect(server.asked).toEqual(Array(6).fill("nothing.example.com"))
    })
  )

  it.live("does not wait longer than its timeout", () =>
    Effect.gen(function* () {
      const server = yield* dnsServer(zone)
      const waited = Effect.gen(function* () {
        const startedAt = performance.now()
        yield* addressesOf("silent.example.com").pipe(Effect.provide(lookingUpAt(server.address)))
        return performance.now() - startedAt
      })
      // Checks only the fastest of three, since a busy machine may delay others. With the default timeouts, each
      // lookup would take several seconds.
      expect(Math.min(...(yield* Effect.replicateEffect(waited, 3)))).toBeLessThan(1500)
    })
  )

  it.live("stops querying once its caller is interrupted", () =>
    Effect.gen(function* () {
      const server = yield* dnsServer(zone)
      const patient = NodeAddressLookup.layerOptions({ servers: [server.address], tryTimeout: "100 millis" })
      const lookup = yield* Effect.forkChild(addressesOf("silent.example.com").pipe(Effect.provide(patient)))
      while (server.asked.length === 0) yield* Effect.sleep("10 millis")
      yield* Fiber.interrupt(lookup)
      // Allows time for queries already sent to arrive.
      yield* Effect.sleep("20 millis")
      const asked = server.asked.length
      yield* Effect.sleep("400 millis")
      expect(server.asked.length).toBe(asked)
    })
  )

  it.live("is not delayed by many names whose servers do not respond", () =>
    Effect.gen(function* () {
      const server = yield* dnsServer(zone)
      const slow = Effect.forEach(Array(50).fill("silent.example.com"), addressesOf, { concurrency: 50 })
      const outcome = yield* Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(slow)
        while (server.asked.length < 50) yield* Effect.sleep("10 millis")
        const found = yield* addressesOf("four.example.com")
        const isWaiting = fiber.pollUnsafe() === undefined
        yield* Fiber.interrupt(fiber)
        return { found, isWaiting }
      }).pipe(Effect.provide(patientAt(server.address)))
      expect(outcome).toEqual({ found: ["192.0.2.1"], isWaiting: true })
      const impatient = Effect.provide(slow, lookingUpAt(server.address))
      expect(yield* impatient).toEqual(Array(50).fill("EAI_AGAIN"))
    })
  )
})
