import { sleep } from "./waiting.ts"

const clients = 8
const pauseMillis = 100
const sparingPauseMillis = 2_000
const patienceMillis = 30_000

/** Amount of each refund, small enough that no payment is ever fully refunded. */
const amount = 1
const paidAmount = 1_000_000

interface Answer {
  readonly status: number
  readonly text: string
  readonly retryAfter: string | null
}

interface Acknowledged {
  readonly key: string
  readonly transactionId: string
  readonly refundId: string
  readonly text: string
  readonly atMillis: number
}

interface Json {
  // biome-ignore lint/suspicious/noExplicitAny: responses are not typed here
  readonly [name: string]: any
}

const nowMillis = (): number => performance.now()

/**
 * Concurrent clients of one merchant. Each repeats a refund until it is acknowledged, then sends the next one, and
 * records the responses.
 */
export class Clients {
  readonly acknowledged: Array<Acknowledged> = []
  /** Number of the clients' refund requests by response status. `none` counts those without a complete response. */
  readonly answers = new Map<string, number>()
  slowestMillis = 0
  /** Number of 503 responses without a `Retry-After` of at least 1 s. */
  withoutRetryAfter = 0
  readonly #url: string
  readonly #operatorToken: string
  #merchant: { readonly id: string; readonly key: string; readonly serviceId: string } | undefined
  #payments: ReadonlyArray<string> = []
  #pauseMillis = pauseMillis
  #isOver = false
  #work: Promise<unknown> = Promise.resolve()

  constructor(url: string, operatorToken: string) {
    this.#url = url
    this.#operatorToken = operatorToken
  }

  async #send(method: string, path: string, bearer: string, body?: object, key?: string): Promise<Answer | undefined> {
    try {
      const response = await fetch(`${this.#url}${path}`, {
        method,
        signal: AbortSignal.timeout(patienceMillis),
        headers: {
          authorization: `Bearer ${bearer}`,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...(key === undefined ? {} : { "idempotency-key": key })
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
      return { status: response.status, text: await response.text(), retryAfter: response.headers.get("retry-after") }
    } catch {
      return undefined
    }
  }

  async #made(method: string, path: string, bearer: string, body?: object): Promise<Json> {
    const answer = await this.#send(method, path, bearer, body)
    if (answer === undefined || answer.status >= 300) {
      throw new Error(`${method} ${path} responded ${answer?.status} ${answer?.text}`)
    }
    return answer.text === "" ? {} : JSON.parse(answer.text)
  }

  /** Creates a merchant with a LIVE key and endpoint, a linked consumer, and a payment for each client. */
  async prepare(endpoint: string): Promise<void> {
    const operator = this.#operatorToken
    const { id } = await this.#made("POST", "/merchants", operator, {
      name: "Corner Shop",
      legalName: "Corner Shop Ltd",
      contactName: "Ada Obi",
      contactEmail: "ada@corner.example",
      country: "NG",
      businessType: "retail"
    })
    await this.#made("POST", `/operator/merchants/${id}/status`, operator, { status: "ACTIVE", reason: "rehearsal" })
    const { secret } = await this.#made("POST", `/merchants/${id}/api-keys`, operator, { environment: "LIVE" })
    await this.#made("POST", `/merchants/${id}/webhooks`, operator, { url: endpoint, environment: "LIVE" })
    const person = { environment: "LIVE", displayName: "Ada Obi", externalId: "ada" }
    const { serviceId } = await this.#made("POST", "/operator/consumers", operator, person)
    await this.#made("POST", `/operator/merchants/${id}/links`, operator, { serviceId })
    this.#merchant = { id, key: secret, serviceId }
    const payment = {
      merchantId: id,
      environment: "LIVE",
      serviceId,
      amount: paidAmount,
      method: "WALLET",
      settled: true
    }
    const made: Array<string> = []
    for (let client = 0; client < clients; client += 1) {
      made.push((await this.#made("POST", "/operator/payments", operator, payment)).transactionId)
    }
    this.#payments = made
  }

  get #key(): string {
    if (this.#merchant === undefined) throw new Error("prepare was not called")
    return this.#merchant.key
  }

  #refund(transactionId: string, key: string): Promise<Answer | undefined> {
    return this.#send("POST", "/v1/refunds", this.#key, { transaction_id: transactionId, amount }, key)
  }

  #note(answer: Answer | undefined, tookMillis: number): void {
    const kind = answer === undefined ? "none" : String(answer.status)
    this.answers.set(kind, (this.answers.get(kind) ?? 0) + 1)
    this.slowestMillis = Math.max(this.slowestMillis, tookMillis)
    if (answer?.status === 503 && !(Number(answer.retryAfter) >= 1)) this.withoutRetryAfter += 1
  }

  /** Sends one refund until the response is 201. Retries on 409, 502, 503 or no response. Throws otherwise. */
  async #persist(transactionId: string, key: string): Promise<void> {
    for (;;) {
      const sentAtMillis = nowMillis()
      const answer = await this.#refund(transactionId, key)
      const atMillis = nowMillis()
      this.#note(answer, atMillis - sentAtMillis)
      if (answer?.status === 201) {
        const { refundId } = JSON.parse(answer.text)
        this.acknowledged.push({ key, transactionId, refundId, text: answer.text, atMillis })
        return
      }
      if (answer !== undefined && ![409, 502, 503].includes(answer.status)) {
        throw new Error(`${key} was answered ${answer.status} ${answer.text}`)
      }
      await sleep(250)
    }
  }

  /** Starts sending refunds. Each client continues until `stop` is called or it gets an unexpected response. */
  begin(): void {
    this.#work = Promise.all(
      this.#payments.map(async (transactionId, client) => {
        for (let count = 0; !this.#isOver; count += 1) {
          await this.#persist(transactionId, `refund-${client}-${count}`)
          await sleep(this.#pauseMillis)
        }
      })
    )
    // Prevents an unhandled rejection: `stop` awaits the work and sees its failures.
    this.#work.catch(() => {})
  }

  /** Sets each client's pause after a refund: two seconds if `isSparing`, otherwise a tenth of a second. */
  spare(isSparing: boolean): void {
    this.#pauseMillis = isSparing ? sparingPauseMillis : pauseMillis
  }

  /** Stops sending. Resolves when all pending refunds are acknowledged. Rejects after an unexpected response. */
  async stop(): Promise<void> {
    this.#isOver = true
    await this.#work
  }

  /**
   * Returns the longest pause, in seconds, between consecutive acknowledged refunds. Ignores pauses that lie entirely
   * outside the period.
   */
  longestPause(fromMillis: number, toMillis: number): number {
    const moments = this.acknowledged.map(({ atMillis }) => atMillis).sort((one, other) => one - other)
    const pauses = moments.flatMap((at, index) => {
      const before = moments[index - 1]
      return before === undefined || at < fromMillis || before > toMillis ? [] : [at - before]
    })
    return Math.max(0, ...pauses) / 1_000
  }

  async listed(): Promise<ReadonlyArray<string>> {
    const found: Array<string> = []
    let cursor: string | undefined
    do {
      const page = `/v1/refunds?limit=100${cursor === undefined ? "" : `&cursor=${cursor}`}`
      const { data, nextCursor } = await this.#made("GET", page, this.#key)
      found.push(...data.map(({ refundId }: Json) => refundId))
      cursor = nextCursor
    } while (cursor !== undefined)
    return found
  }

  /** Repeats every acknowledged refund. Returns the keys whose response differs from the first in status or body. */
  async replayed(): Promise<ReadonlyArray<string>> {
    const wrong: Array<string> = []
    const left = [...this.acknowledged]
    const worker = async (): Promise<void> => {
      for (let one = left.pop(); one !== undefined; one = left.pop()) {
        const answer = await this.#refund(one.transactionId, one.key)
        if (answer?.status !== 201 || answer.text !== one.text) wrong.push(one.key)
      }
    }
    await Promise.all(Array.from({ length: clients }, worker))
    return wrong
  }

  /**
   * Returns the number of refunds across all payments. For each payment it requests an excessive refund, and divides
   * the refunded total in the refusal by `amount`.
   */
  async refunded(): Promise<number> {
    let sum = 0
    for (const transactionId of this.#payments) {
      const tooMuch = { transaction_id: transactionId, amount: paidAmount }
      const answer = await this.#send("POST", "/v1/refunds", this.#key, tooMuch, `too-much-${transactionId}`)
      const { code, refunded } = JSON.parse(answer?.text ?? "{}")
      if (code !== "amount_exceeds_refundable") throw new Error(`A refund of too much was answered ${answer?.text}`)
      sum += refunded
    }
    return sum / amount
  }
}
