/** Returns 1 for the first byte of a character, else 0. */
const begins = (byte: number): number => ((byte & 0xc0) === 0x80 ? 0 : 1)

const beginningOneByOne = (bytes: Uint8Array, start: number, end: number): number => {
  let count = 0
  for (let at = start; at < end; at += 1) count += begins(bytes[at] ?? 0)
  return count
}

const bytesOfWord = 4
const inEveryByte = 0x01010101

/** Number of words whose bytes can be counted in a single byte without overflow. */
const wordsAtOnce = 63

const beginningInWords = (words: Int32Array): number => {
  const { length } = words
  let others = 0
  for (let index = 0; index < length; ) {
    const near = Math.min(index + wordsAtOnce, length)
    let byPlace = 0
    for (; index < near; index += 1) {
      const word = words[index] ?? 0
      byPlace += (word >>> 7) & ~(word >>> 6) & inEveryByte
    }
    others += Math.imul(byPlace, inEveryByte) >>> 24
  }
  return length * bytesOfWord - others
}

/** Returns the number of characters that begin in the UTF-8 bytes from `start` to `end`. */
export const charactersIn = (bytes: Uint8Array, start: number, end: number): number => {
  // Words must begin at a multiple of four in their buffer.
  const first = start + ((bytesOfWord - ((bytes.byteOffset + start) % bytesOfWord)) % bytesOfWord)
  if (end - first < bytesOfWord) return beginningOneByOne(bytes, start, end)
  const words = new Int32Array(bytes.buffer, bytes.byteOffset + first, Math.floor((end - first) / bytesOfWord))
  const last = first + words.length * bytesOfWord
  return beginningOneByOne(bytes, start, first) + beginningInWords(words) + beginningOneByOne(bytes, last, end)
}

/** Returns the position after the first `count` characters of UTF-8 from `start`, or `end` if there are fewer. */
export const afterCharacters = (bytes: Uint8Array, start: number, end: number, count: number): number => {
  let left = count
  for (let at = start; at < end; at += 1) {
    left -= begins(bytes[at] ?? 0)
    if (left < 0) return at
  }
  return end
}
