import { createHmac } from "node:crypto"
import { assert, it } from "@effect/vitest"
import * as VendorSignature from "@surety/kyc-http/VendorSignature"
import { Effect, Redacted } from "effect"
import { Mac } from "effect/crypto"

const data = new TextEncoder().encode('{"reference":"VR-1"}')

it.effect("signs as Node does, and accepts exactly that", () =>
  Effect.gen(function* () {
    for (const [algorithm, hash, text] of [
      [Mac.hmacSha256, "sha256", "hex"],
      [Mac.hmacSha512, "sha512", "hex"],
      [Mac.hmacSha256, "sha256", "base64"]
    ] as const) {
      const expected = createHmac(hash, "secret").update(data).digest(text)
      const { sign, verify } = yield* VendorSignature.make({ algorithm, key: Redacted.make("secret"), text })
      assert.strictEqual(yield* sign(data), expected)
      assert.isTrue(yield* verify(expected, data))
      assert.isFalse(yield* verify(expected, new Uint8Array([...data, 32])))
      const wrong = createHmac(hash, "other").update(data).digest(text)
      for (const forged of ["", "zz", wrong, expected.slice(0, -2), `${expected}00`]) {
        assert.isFalse(yield* verify(forged, data), forged)
      }
    }
  })
)
