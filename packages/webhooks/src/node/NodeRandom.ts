import { randomFillSync } from "node:crypto"
import { Layer } from "effect"
import { SecureRandom } from "effect/crypto"

const poolBytes = 4096
const pool = new Uint8Array(poolBytes)
let used = poolBytes

/** Serves small requests from the pool, where it erases the returned bytes. */
const randomBytes = (size: number): Uint8Array<ArrayBuffer> => {
  if (size > poolBytes / 8) return randomFillSync(new Uint8Array(size))
  if (used + size > poolBytes) {
    randomFillSync(pool)
    used = 0
  }
  const bytes = pool.slice(used, used + size)
  pool.fill(0, used, used + size)
  used += size
  return bytes
}

/**
 * Provides random bytes from `node:crypto`, drawn from the system in blocks as `crypto.randomUUID` does. A system call
 * for the ten bytes of an id would take longer than building the id.
 */
export const layer: Layer.Layer<SecureRandom.SecureRandom> = Layer.succeed(
  SecureRandom.SecureRandom,
  SecureRandom.make(randomBytes)
)
