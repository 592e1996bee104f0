import type * as client from "../../src/index.js"

/** Outcome of each step of `exercise`, or the error with which it rejected. */
export interface Report {
  readonly done: ReadonlyArray<string>
  readonly crashed?: string
}

/**
 * Makes a merchant's typical calls with the package as loaded by a runtime. Uses the runtime's own `fetch`, against the
 * real API through a network that breaks twice. Rejects if a call that must succeed fails.
 */
export const exercise = async (
  { AmountExceedsRefundable, ConnectionFailed, createClient, UnexpectedAnswer }: typeof client,
  { apiKey, baseUrl, deadUrl, redirectUrl }: Surroundings
): Promise<Report> => {
  const done: Array<string> = []
  const retries: Array<string> = []
  const surety = createClient({ apiKey, baseUrl, onRetry: ({ error }) => void retries.push(error.name) })
  done.push((await surety.account.whoami()).environment)

  const { serviceId } = await surety.testHelpers.createConsumer()
  const { transactionId } = await surety.testHelpers.createPayment({ service_id: serviceId, amount: 2500.5 })
  const refund = await surety.refunds.create({ transaction_id: transactionId, amount: 1000 }).withReply()
  done.push(`${refund.data.amount} ${refund.attempts} ${refund.replayed} ${retries.join()}`)

  const tooMuch = await failureOf(surety.refunds.create({ transaction_id: transactionId }))
  done.push(tooMuch instanceof AmountExceedsRefundable ? `${tooMuch.refundable} left` : String(tooMuch))

  let walked = 0
  for await (const event of surety.events.list({ limit: 1 })) walked += event.id === "" ? 0 : 1
  done.push(`${walked} events`)

  const dead = createClient({ apiKey, baseUrl: deadUrl, maxRetries: 0 })
  const silent = await failureOf(dead.account.whoami())
  done.push(silent instanceof ConnectionFailed ? "no connection" : String(silent))

  const away = createClient({ apiKey, baseUrl: redirectUrl, maxRetries: 0 })
  const redirected = await failureOf(away.account.whoami())
  done.push(redirected instanceof UnexpectedAnswer ? "no redirect followed" : String(redirected))
  return { done }
}

export interface Surroundings {
  readonly apiKey: string
  readonly baseUrl: string
  /** A url on which nothing listens. */
  readonly deadUrl: string
  /** The url of a server that redirects every request to the service. */
  readonly redirectUrl: string
}

const failureOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => "it succeeded",
    (error: unknown) => error
  )
