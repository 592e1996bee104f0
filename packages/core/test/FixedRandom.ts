import { Layer } from "effect"
import { SecureRandom } from "effect/crypto"

/** Random bytes that are the same in every run: each byte the one before plus `step`, the first is `start`. */
export const layer = (start: number, step: number): Layer.Layer<SecureRandom.SecureRandom> =>
  Layer.sync(SecureRandom.SecureRandom, () => {
    let next = start
    return SecureRandom.make((size) =>
      Uint8Array.from({ length: size }, () => {
        const byte = next & 0xff
        next += step
        return byte
      })
    )
  })
