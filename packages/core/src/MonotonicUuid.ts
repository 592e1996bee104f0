import { Clock, Effect } from "effect"
import { SecureRandom } from "effect/crypto"

/** Bytes drawn per UUID: enough for the 74 bits other than time, version and variant. */
const randomLength = 10

// Method 1 of RFC 9562, section 6.2: the 42 bits after the time are a counter within the millisecond, and the last 32
// are always random.
const counterEnd = 2 ** 42
const lowBits = 30

/**
 * Largest backward clock step treated as a correction: ids keep the last millisecond. After a larger step, they use the
 * clock's new time.
 */
const correctionMillis = 1_000

interface Last {
  millis: number
  counter: number
}

/**
 * The last UUID's time and counter. Keyed by clock and source of randomness, so tests do not affect each other's ids.
 */
const lasts = new WeakMap<Clock.Clock, WeakMap<SecureRandom.SecureRandom["Service"], Last>>()

const lastOf = (clock: Clock.Clock, random: SecureRandom.SecureRandom["Service"]): Last => {
  const ofClock = lasts.get(clock) ?? new WeakMap<SecureRandom.SecureRandom["Service"], Last>()
  lasts.set(clock, ofClock)
  const last = ofClock.get(random) ?? { millis: Number.NEGATIVE_INFINITY, counter: 0 }
  ofClock.set(random, last)
  return last
}

const byteOf = (bytes: Uint8Array, index: number): number => bytes[index] ?? 0

const counterOf = (bytes: Uint8Array): number =>
  ((byteOf(bytes, 0) << 4) | (byteOf(bytes, 1) >> 4)) * 2 ** lowBits +
  (((byteOf(bytes, 2) & 0x3f) << 24) | (byteOf(bytes, 3) << 16) | (byteOf(bytes, 4) << 8) | byteOf(bytes, 5))

const advance = (last: Last, millis: number, bytes: Uint8Array): void => {
  const isOfLast = millis <= last.millis && millis >= last.millis - correctionMillis
  const isFull = isOfLast && last.counter + 1 === counterEnd
  last.counter = isOfLast && !isFull ? last.counter + 1 : counterOf(bytes)
  if (!isOfLast) last.millis = millis
  if (isFull) last.millis += 1
}

const hexOf = (value: number, digits: number): string => value.toString(16).padStart(digits, "0")

const format = ({ counter, millis }: Last, bytes: Uint8Array): string => {
  const high = Math.floor(counter / 2 ** lowBits)
  const low = counter % 2 ** lowBits
  // `2 ** 31` below sets the variant, which occupies the two bits above `low`.
  const random = new DataView(bytes.buffer, bytes.byteOffset).getUint32(randomLength - 4)
  return `${hexOf(millis, 12)}7${hexOf(high, 3)}${hexOf(2 ** 31 + low, 8)}${hexOf(random, 8)}`
}

/**
 * Returns a new UUIDv7 (RFC 9562) as 32 hexadecimal digits: 48 bits of the `Clock`'s milliseconds, a 42-bit counter,
 * and 32 bits from `SecureRandom`. Each id is greater than the previous one from the same clock and source of
 * randomness. This holds even within a millisecond, and even if the clock is up to one second behind the last id. The
 * counter starts at a random value in each millisecond, so two processes generate different ids in practice. Across
 * processes, ids of the same millisecond are unordered.
 *
 * Ids are not secrets: given one id, the next one in the same millisecond has only 32 unknown bits.
 */
export const next: Effect.Effect<string, never, SecureRandom.SecureRandom> = Effect.flatMap(
  SecureRandom.SecureRandom,
  (random) =>
    Effect.flatMap(random.randomBytes(randomLength), (bytes) =>
      Clock.clockWith((clock) =>
        Effect.sync(() => {
          const last = lastOf(clock, random)
          advance(last, clock.currentTimeMillisUnsafe(), bytes)
          return format(last, bytes)
        })
      )
    )
)
