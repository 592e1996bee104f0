const mix = (value: number): number => {
  let hash = value >>> 0
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

const hashOf = (seed: number, label: string): number => {
  let hash = mix(seed ^ 0x9e3779b9)
  for (let index = 0; index < label.length; index += 1) {
    hash = Math.imul(hash ^ label.charCodeAt(index), 0x01000193)
  }
  return mix(hash)
}

/**
 * A stream of pseudo-random numbers, determined by a seed and a label. Streams with different labels are independent,
 * so removing an act leaves the draws of other acts unchanged.
 */
export class Draw {
  #state: number

  constructor(seed: number, label: string) {
    this.#state = hashOf(seed, label)
  }

  /** Returns an integer from 0 to 2³² − 1. */
  next(): number {
    this.#state = (this.#state + 0x9e3779b9) >>> 0
    return mix(this.#state)
  }

  /** Returns an integer from 0 to `limit` − 1. */
  below(limit: number): number {
    return Math.floor((this.next() / 2 ** 32) * limit)
  }

  /** Returns an integer from `least` to `most`, inclusive. */
  between(least: number, most: number): number {
    return least + this.below(most - least + 1)
  }

  chance(probability: number): boolean {
    return this.next() / 2 ** 32 < probability
  }

  /** Picks an item. Throws if the list is empty. */
  pick<A>(items: ReadonlyArray<A>): A {
    for (const item of items.slice(this.below(items.length))) return item
    throw new Error("There is nothing to pick from.")
  }

  /** Picks an item with a probability proportional to its weight. Throws if no weight is positive. */
  weighted<A>(items: ReadonlyArray<readonly [weight: number, item: A]>): A {
    let left = (this.next() / 2 ** 32) * items.reduce((sum, [weight]) => sum + weight, 0)
    for (const [weight, item] of items) {
      left -= weight
      if (left < 0) return item
    }
    throw new Error("There is nothing to pick from.")
  }

  bytes(size: number): Uint8Array {
    const bytes = new Uint8Array(size)
    for (let index = 0; index < size; index += 1) bytes[index] = this.next() & 0xff
    return bytes
  }
}
