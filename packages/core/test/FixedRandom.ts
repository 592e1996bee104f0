import { Layer } from "effect"
import { SecureRandom } from "effect/crypto"

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
