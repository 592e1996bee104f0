import type { AnswerInput, AnswerOutput } from "@surety/testing/history/AnswerModel"
import type { ConsentInput, ConsentOutput } from "@surety/testing/history/ConsentModel"
import { HistoryRecorder } from "@surety/testing/history/History"
import type { RefundInput, RefundOutput } from "@surety/testing/history/RefundModel"
import { Draw } from "@surety/testing/simulation/world/Draw"
import type { Answered, Merchant } from "../../support/Merchant.js"
import { asking, type Request, refunding, verifying } from "../../support/Requests.js"
import type { ServerProcess } from "../../support/ServerProcess.js"
import { ask, type Reply } from "./Node.js"

/** A payment that clients refund concurrently, under more idempotency keys than it can cover. */
export interface SharedPayment {
  readonly transactionId: string
  readonly paidMinor: number
  readonly recorder: HistoryRecorder<RefundInput, RefundOutput>
}

/** A person for whom clients concurrently approve requests, revoke grants and read identity fields. */
export interface SharedPerson {
  readonly serviceId: string
  readonly recorder: HistoryRecorder<ConsentInput, ConsentOutput>
}

/** An idempotency key that clients share for a data request or a verification. */
export interface SharedKey {
  readonly request: Request
  readonly recorder: HistoryRecorder<AnswerInput, AnswerOutput>
}

const keysOfPayment = 24
const patiences = [5_000, 5_000, 5_000, 5_000, 150, 20]

/**
 * Returns the amount that a key refunds, in minor units. Each key has a different amount. A payment covers about two
 * thirds of the keys.
 */
const amountMinorOf = (key: number): number => 300 + key
export const paidMinor = 5_000

/** A response that has no counterpart in the histories' models. */
export class Unexpected extends Error {
  constructor(request: Request, { status, text }: Answered) {
    super(`${request.method} ${request.path} answered ${status} ${text}`)
  }
}

const getting = (bearer: string, path: string): Request => ({ method: "GET", path, bearer })

/** Returns a response's amount in minor units. Throws if it is missing, rather than counting it as zero or NaN. */
const minor = (request: Request, answer: Answered, major: unknown): number => {
  if (typeof major !== "number") throw new Unexpected(request, answer)
  return Math.round(major * 100)
}

const refundOutput = (request: Request, answer: Answered): RefundOutput => {
  const { body, status, text } = answer
  if (status === 201) return { _tag: "Made", refundId: body.refundId, answer: text }
  switch (body.code) {
    case "amount_exceeds_refundable":
      return { _tag: "Exceeds", refundedMinor: minor(request, answer, body.refunded) }
    // The payment is fully refunded, so the response needs no figures.
    case "already_refunded":
      return { _tag: "Exceeds", refundedMinor: paidMinor }
    case "idempotency_key_reused":
      return { _tag: "KeyReused" }
    case "idempotency_in_progress":
      return { _tag: "InProgress" }
    default:
      throw new Unexpected(request, answer)
  }
}

const answerOutput = (request: Request, answer: Answered): AnswerOutput => {
  const { body, status, text } = answer
  if (status === 201) return { _tag: "Made", id: body.id ?? body.reference, answer: text }
  if (body.code === "idempotency_in_progress") return { _tag: "InProgress" }
  throw new Unexpected(request, answer)
}

const consentOutput =
  (doneStatus: number, refusals: ReadonlyArray<string>) =>
  (request: Request, answer: Answered): ConsentOutput => {
    if (answer.status === doneStatus) return "Done"
    if (refusals.includes(answer.body.code)) return "Refused"
    throw new Unexpected(request, answer)
  }

const foundOutput = (request: Request, answer: Answered): { readonly _tag: "Found"; readonly isThere: boolean } => {
  if (answer.status !== 200 && answer.status !== 404) throw new Unexpected(request, answer)
  return { _tag: "Found", isThere: answer.status === 200 }
}

const listedOutput = (request: Request, answer: Answered): RefundOutput => {
  if (answer.status !== 200) throw new Unexpected(request, answer)
  const records: ReadonlyArray<{ readonly refundId: string; readonly amount: number }> = answer.body.data
  return {
    _tag: "Listed",
    refunds: records.map(({ amount, refundId }) => ({ refundId, amountMinor: minor(request, answer, amount) }))
  }
}

/** A merchant's client programs. Each request goes to a random node. */
export class Clients {
  readonly #nodes: ReadonlyArray<Pick<ServerProcess, "url">>
  readonly #merchant: Merchant
  readonly #seed: number
  readonly #refundIds = new Map<SharedPayment, Array<string>>()
  readonly #recordIds = new Map<SharedKey, string>()
  #requests = 0
  /** Number of recorded requests with an unknown outcome: no response, or a 5xx status. */
  unanswered = 0
  answered = 0

  constructor(nodes: ReadonlyArray<Pick<ServerProcess, "url">>, merchant: Merchant, seed: number) {
    this.#nodes = nodes
    this.#merchant = merchant
    this.#seed = seed
  }

  /**
   * Sends one request to a random node, and records it unless it could not be sent. Returns undefined if it could not
   * be sent or its outcome is unknown.
   */
  async #record<I, O>(
    recorder: HistoryRecorder<I, O>,
    draw: Draw,
    client: string,
    input: I,
    request: Request,
    outputOf: (request: Request, answer: Answered) => O,
    patienceMillis: number = draw.pick(patiences)
  ): Promise<Answered | undefined> {
    const at = draw.below(this.#nodes.length)
    const node = this.#nodes[at]
    if (node === undefined) return undefined
    const end = recorder.begin(`${client} at node ${at + 1}`, input)
    const reply: Reply = await ask(node, request, patienceMillis)
    if (reply === "NotSent") return undefined
    end(reply === undefined ? undefined : outputOf(request, reply))
    if (reply === undefined) this.unanswered += 1
    else this.answered += 1
    return reply
  }

  async refund(payment: SharedPayment, draw: Draw, client: string): Promise<void> {
    const ids = this.#refundIds.get(payment) ?? []
    this.#refundIds.set(payment, ids)
    const { recorder, transactionId } = payment
    const known = ids.length === 0 ? undefined : draw.pick(ids)
    const kind = draw.weighted([
      [6, "refund"],
      [1, "list"],
      [2, known === undefined ? "refund" : "find"]
    ] as const)
    const bearer = this.#merchant.key
    if (kind === "list") {
      const list = getting(bearer, `/v1/refunds?limit=100&transaction_id=${transactionId}`)
      await this.#record(recorder, draw, client, { _tag: "List" }, list, listedOutput)
      return
    }
    if (kind === "find" && known !== undefined) {
      const find = getting(bearer, `/v1/refunds/${known}`)
      await this.#record(recorder, draw, client, { _tag: "Find", refundId: known }, find, foundOutput)
      return
    }
    const key = draw.below(keysOfPayment)
    const amountMinor = amountMinorOf(key)
    const input: RefundInput = { _tag: "Refund", key: `k${key}`, amountMinor }
    const request = refunding(this.#merchant, transactionId, `${transactionId}-k${key}`, amountMinor / 100)
    const answer = await this.#record(recorder, draw, client, input, request, refundOutput)
    if (answer?.status === 201 && !ids.includes(answer.body.refundId)) ids.push(answer.body.refundId)
  }

  async send(shared: SharedKey, draw: Draw, client: string): Promise<void> {
    const id = this.#recordIds.get(shared)
    if (id !== undefined && draw.chance(0.5)) {
      const find = getting(this.#merchant.key, `${shared.request.path}/${id}`)
      await this.#record(shared.recorder, draw, client, { _tag: "Find", id }, find, foundOutput)
      return
    }
    const answer = await this.#record(shared.recorder, draw, client, { _tag: "Send" }, shared.request, answerOutput)
    if (answer?.status === 201) this.#recordIds.set(shared, answer.body.id ?? answer.body.reference)
  }

  async read({ recorder, serviceId }: SharedPerson, draw: Draw, client: string): Promise<void> {
    const read = getting(this.#merchant.key, `/v1/identity?service_id=${serviceId}&fields=email`)
    await this.#record(recorder, draw, client, { _tag: "Read" }, read, consentOutput(200, ["consent_required"]))
  }

  /**
   * Requests consent and approves the request for the person. Then revokes the grant and reads, but skips both after
   * most one-time approvals.
   */
  async consent(person: SharedPerson, draw: Draw, client: string): Promise<void> {
    const { recorder, serviceId } = person
    this.#requests += 1
    const name = `request ${this.#requests}`
    const isOneTime = draw.chance(0.4)
    const asked = asking({ ...this.#merchant, serviceId }, `${this.#seed} ${name}`)
    const body = { ...Object(asked.body), ...(isOneTime ? { duration: "ONE_TIME" } : {}) }
    const made = await this.#untilAnswered(draw, { ...asked, body })
    if (made?.status !== 201) return
    const bearer = this.#merchant.key
    const id: string = made.body.id
    const approval: Request = { method: "POST", path: `/v1/test-helpers/data-requests/${id}/approve`, bearer, body: {} }
    const approve: ConsentInput = { _tag: "Approve", request: name, isOneTime }
    const decided = consentOutput(201, ["data_request_decided"])
    await this.#record(recorder, draw, client, approve, approval, decided)
    if (isOneTime && draw.chance(0.7)) return
    const found = await this.#untilAnswered(draw, getting(bearer, `/v1/data-requests/${id}`))
    const grantId: unknown = found?.body.grantId
    if (typeof grantId !== "string") return
    const taking: Request = { method: "POST", path: `/v1/test-helpers/grants/${grantId}/revoke`, bearer, body: {} }
    const revoke: ConsentInput = { _tag: "Revoke", request: name }
    await this.#record(recorder, draw, client, revoke, taking, consentOutput(201, []))
    await this.read(person, draw, client)
  }

  /**
   * Sends a request up to 40 times until a final response arrives. Returns undefined if none does. Does not record the
   * request in a history.
   */
  async #untilAnswered(draw: Draw, request: Request): Promise<Answered | undefined> {
    for (let attempt = 0; attempt < 40; attempt += 1) {
      const node = this.#nodes[draw.below(this.#nodes.length)]
      const reply = node === undefined ? undefined : await ask(node, request, 5_000)
      if (reply !== undefined && reply !== "NotSent" && reply.body.code !== "idempotency_in_progress") return reply
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    return undefined
  }

  /** After the faults, sends every key once more and lists every payment's refunds, allowing 10 s for each response. */
  async finish(payments: ReadonlyArray<SharedPayment>, keys: ReadonlyArray<SharedKey>): Promise<void> {
    const draw = new Draw(this.#seed, "finish")
    for (const { recorder, transactionId } of payments) {
      for (let key = 0; key < keysOfPayment; key += 1) {
        const amountMinor = amountMinorOf(key)
        const request = refunding(this.#merchant, transactionId, `${transactionId}-k${key}`, amountMinor / 100)
        const input: RefundInput = { _tag: "Refund", key: `k${key}`, amountMinor }
        await this.#record(recorder, draw, "at last", input, request, refundOutput, 10_000)
      }
      const list = getting(this.#merchant.key, `/v1/refunds?limit=100&transaction_id=${transactionId}`)
      await this.#record(recorder, draw, "at last", { _tag: "List" }, list, listedOutput, 10_000)
    }
    for (const { recorder, request } of keys) {
      await this.#record(recorder, draw, "at last", { _tag: "Send" }, request, answerOutput, 10_000)
    }
  }
}

export const sharedKey = (merchant: Merchant, index: number, nowMillis: () => number): SharedKey => ({
  request: index % 2 === 0 ? asking(merchant, `shared-${index}`) : verifying(merchant, `shared-${index}`),
  recorder: new HistoryRecorder(nowMillis)
})
