import { assert, describe, it } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import { KycProvider } from "@surety/core/kyc/provider/KycProvider"
import * as QoreId from "@surety/kyc-qoreid/QoreId"
import * as Fresh from "@surety/testing/FreshIds"
import * as QoreIdVendor from "@surety/testing/kyc/vendor/QoreIdVendor"
import * as VendorScene from "@surety/testing/kyc/vendor/VendorScene"
import { DateTime, Effect, Layer, Option, Result, type Scope } from "effect"
import { error, layerOver, said, settingsFor, submit, withVendor } from "./fixture.js"

const { numbers } = QoreIdVendor

describe("A BVN at QoreID", () => {
  it.live("is looked up by asking for its link again, until the holder has consented", () =>
    withVendor(({ agree, server }) =>
      Effect.gen(function* () {
        const { provider, reference, result } = yield* submit("bvn", numbers.bvn)
        const first = Result.getOrThrow(result)
        assert.strictEqual(first._tag, "RequiresAction")
        const query = { reference, kind: "bvn", providerReference: first.providerReference } as const
        // The simulated QoreID creates a new link on each request, but the lookup still returns the first link.
        assertEquals(yield* provider.lookup(query), Option.some(first))
        yield* agree(numbers.bvn)
        const found = Option.getOrThrow(yield* provider.lookup(query))
        assert.strictEqual(found._tag, "Verified")
        assert.deepInclude("checks" in found ? found.checks : {}, { first_name: "MATCH", date_of_birth: "MATCH" })
        const asked = server.received.length
        assertEquals(yield* provider.lookup(query), Option.some(found))
        assert.strictEqual(server.received.length, asked, "an ended one is not asked for again")
        assert.strictEqual(yield* server.charged, 1)
      })
    )
  )

  it.live("whose holder consented before is verified at once", () =>
    withVendor(() =>
      Effect.gen(function* () {
        assert.strictEqual(said((yield* submit("bvn", numbers.bvnConsented)).result), "Verified")
      })
    )
  )

  it.live("is no news to another process, which has not the number, and is over when none can have it", () =>
    withVendor((vendor) =>
      Effect.gen(function* () {
        const { reference, result } = yield* submit("bvn", numbers.bvn)
        const { providerReference } = Result.getOrThrow(result)
        const asked = vendor.server.received.length
        const query = { reference, kind: "bvn", providerReference } as const
        const look = Effect.flatMap(KycProvider, ({ lookup }) => lookup(query))
        assertEquals(yield* Effect.provide(look, Layer.fresh(layerOver(vendor))), Option.none())
        const long = { ...query, reference: Fresh.verificationId(DateTime.makeUnsafe("2026-01-01T00:00:00Z")) }
        const late = Effect.flatMap(KycProvider, ({ lookup }) => lookup({ ...long, providerReference: long.reference }))
        assert.deepInclude(Option.getOrThrow(yield* late), { _tag: "Failed", reason: "action_expired" })
        assert.strictEqual(vendor.server.received.length, asked)
      })
    )
  )

  it.live("is asked for by the other method if QoreID has no such route", () =>
    withVendor(({ server }) =>
      Effect.gen(function* () {
        yield* server.script({ reply: error(404, "Cannot GET /v1/ng/identities/bvn-consent/x"), isDone: false })
        const { result } = yield* submit("bvn", numbers.bvnConsented)
        const [, get, post] = server.received.map(({ method }) => method)
        assert.deepStrictEqual([get, post], ["GET", "POST"])
        // GET gets the scripted 404, and POST the simulated QoreID's own 404, so the outcome is unknown.
        assert.strictEqual(said(result), "KycOutcomeUnknown http_404")
        assert.strictEqual(yield* server.charged, 0)
      })
    )
  )

  it.live("is compared with both names always, and costs nothing without", () =>
    withVendor(({ server }) =>
      Effect.gen(function* () {
        for (const sent of [
          {},
          { firstName: "A" },
          { lastName: "B" },
          { firstName: ".", lastName: "B" },
          { firstName: "A", lastName: "1" }
        ]) {
          assert.strictEqual(said((yield* submit("bvn", numbers.bvnConsented, sent)).result), "Errored names_required")
        }
        assert.strictEqual(server.received.length, 0)
        const { result } = yield* submit("bvn", numbers.bvnConsented, { firstName: "Bunch", lastName: "Dillon" })
        assert.deepInclude(Result.getOrThrow(result), {
          _tag: "Verified",
          checks: { first_name: "NO_MATCH", last_name: "NO_MATCH", date_of_birth: "NOT_CHECKED" }
        })
      })
    )
  )

  it.live("whose person comes without a name, or not at all, verifies no one", () =>
    withVendor(({ server }) =>
      Effect.gen(function* () {
        const done = { id: 7, status: { state: "complete", status: "verified" } }
        for (const person of [{ bvn: numbers.bvnConsented }, { firstname: "Lawfirst", lastname: " " }, null]) {
          yield* server.script({ reply: { status: 200, body: { ...done, bvn: person } }, isDone: true })
          assert.strictEqual(said((yield* submit("bvn", numbers.bvnConsented)).result), "Unrecognised")
        }
      })
    )
  )

  it.live("waits on while its repeated request is refused or not answered", () =>
    withVendor(({ agree, server }) =>
      Effect.gen(function* () {
        const { provider, reference, result } = yield* submit("bvn", numbers.bvn)
        const first = Result.getOrThrow(result)
        const query = { reference, kind: "bvn", providerReference: first.providerReference } as const
        for (const reply of [error(400, "Consent is pending"), error(404, "No consent")]) {
          yield* server.script({ reply, isDone: false })
          assertEquals(yield* provider.lookup(query), Option.some(first))
        }
        for (const reply of [error(402, "Insufficient balance"), error(500, "Internal"), "cut"] as const) {
          yield* server.script({ reply, isDone: false })
          assert.strictEqual((yield* Effect.flip(provider.lookup(query)))._tag, "KycOutcomeUnknown")
        }
        yield* agree(numbers.bvn)
        assert.strictEqual(Option.getOrThrow(yield* provider.lookup(query))._tag, "Verified")
      })
    )
  )

  it.live("with a link that is not https, or none, is not understood", () =>
    withVendor(({ server }) =>
      Effect.gen(function* () {
        for (const consentUrl of ["http://id.nibss-plc.com.ng/", "javascript:alert(1)", null]) {
          yield* server.script({ reply: { status: 200, body: { consentUrl, consentStatus: false } }, isDone: false })
          assert.strictEqual(
            said((yield* submit("bvn", numbers.bvn)).result),
            "KycOutcomeUnknown answer_not_understood"
          )
        }
      })
    )
  )
})

describe("A BVN at QoreID, through core", () => {
  const scene = Effect.fnUntraced(function* (vendor: QoreIdVendor.QoreIdVendor) {
    const url = yield* vendor.server.listen
    const adapter = QoreId.layer(settingsFor(url))
    const process = yield* VendorScene.start(adapter)
    const shop = yield* VendorScene.shop
    yield* VendorScene.submit(process, shop, "key", { kind: "bvn", id: numbers.bvn })
    return { adapter, process, shop }
  })
  const live = (
    name: string,
    body: Effect.Effect<void, unknown, Layer.Success<typeof VendorScene.world> | Scope.Scope>
  ) => it.live(name, () => Effect.provide(Effect.scoped(body), Layer.fresh(VendorScene.world)), 30_000)

  live(
    "is evidence by the registry's consent once the holder has consented, and is paid for once",
    Effect.gen(function* () {
      const vendor = QoreIdVendor.make()
      yield* scene(vendor)
      yield* vendor.agree(numbers.bvn)
      const [verification] = yield* VendorScene.ended
      assert.deepInclude(verification, { status: "VERIFIED", method: "REGISTRY_CONSENT" })
      assert.deepInclude(verification?.checks, { first_name: "MATCH", last_name: "MATCH" })
      assert.strictEqual(yield* vendor.server.charged, 1)
    })
  )

  live(
    "is lost with the process that had the number, and verified at once when it is sent again",
    Effect.gen(function* () {
      const vendor = QoreIdVendor.make()
      const { adapter, process, shop } = yield* scene(vendor)
      yield* process.kill
      yield* vendor.agree(numbers.bvn)
      const before = vendor.server.received.length
      const second = yield* VendorScene.start(adapter)
      const again = yield* VendorScene.submit(second, shop, "another key", { kind: "bvn", id: numbers.bvn })
      assert.strictEqual(Option.getOrThrow(again.verification).status, "VERIFIED")
      const asked = vendor.server.received.slice(before).filter(({ path }) => path.includes(numbers.bvn))
      assert.strictEqual(asked.length, 1, "the first one is not asked for without its number")
    })
  )
})
