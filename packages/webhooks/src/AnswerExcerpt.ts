/**
 * The beginning of an answer's body, collected as it comes in: at most `limitBytes` of it, so that a receiver that
 * streams for ever costs no more than one that does not.
 */
export class AnswerExcerpt {
  readonly #limitBytes: number
  // Most receivers answer nothing.
  #bytes = new Uint8Array(0)
  #length = 0

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes
  }

  /** Keeps what there is room for. False when there is no more room. */
  add(chunk: Uint8Array): boolean {
    if (this.#bytes.length === 0) this.#bytes = new Uint8Array(this.#limitBytes)
    const kept = chunk.subarray(0, this.#bytes.length - this.#length)
    this.#bytes.set(kept, this.#length)
    this.#length += kept.length
    return this.#length < this.#bytes.length
  }

  /**
   * What was kept, as UTF-8; absent when nothing was. Ill-formed bytes become U+FFFD, as does NUL, which no database's
   * text can hold; a character that was cut through is left out.
   */
  get text(): string | undefined {
    if (this.#length === 0) return undefined
    const isCut = this.#length === this.#bytes.length
    const text = new TextDecoder().decode(this.#bytes.subarray(0, this.#length), { stream: isCut })
    return text.replaceAll("\0", "\uFFFD")
  }
}
