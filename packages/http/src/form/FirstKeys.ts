/** Maximum number of keys compared one by one. Up to this number, a table would be slower. */
const few = 8
const noSlots = new Int32Array(0)
const firstSlots = 64
const growth = 4
/** Load factor at which the table grows. */
const mostTaken = 0.5

/** Multiplier of hashes: odd, and unknown to senders, who could otherwise choose keys that all collide in one slot. */
const spread = Math.floor(Math.random() * 2 ** 32) | 1

/** For each key hash in one object, the position of the first key with that hash. Faster than a `Map` for many keys. */
export class FirstKeys {
  readonly #hashes: Array<number> = []
  readonly #positions: Array<number> = []
  /** For each slot, the index of a hash plus one, or 0 if free. Not allocated until there are `few` keys. */
  #slots = noSlots
  #shift = 0

  /**
   * Returns the position of the first key with this hash. If the hash is new, stores this position and returns
   * undefined.
   */
  firstOrAdd(hash: number, position: number): number | undefined {
    const count = this.#hashes.length
    if (count < few) {
      const index = this.#hashes.indexOf(hash)
      if (index >= 0) return this.#positions[index]
    } else {
      if (count >= this.#slots.length * mostTaken) this.#enlarge()
      const slot = this.#slotOf(hash)
      const taken = this.#slots[slot] ?? 0
      if (taken > 0) return this.#positions[taken - 1]
      this.#slots[slot] = count + 1
    }
    this.#hashes.push(hash)
    this.#positions.push(position)
    return undefined
  }

  #slotOf(hash: number): number {
    const slots = this.#slots
    const hashes = this.#hashes
    const last = slots.length - 1
    let slot = Math.imul(hash, spread) >>> this.#shift
    for (;;) {
      const taken = slots[slot] ?? 0
      if (taken === 0 || hashes[taken - 1] === hash) return slot
      slot = (slot + 1) & last
    }
  }

  #enlarge(): void {
    const size = Math.max(firstSlots, this.#slots.length * growth)
    this.#slots = new Int32Array(size)
    this.#shift = Math.clz32(size) + 1
    for (const [index, hash] of this.#hashes.entries()) this.#slots[this.#slotOf(hash)] = index + 1
  }
}
