import path from "node:path"
import * as Currency from "@surety/core/Currency"
import { Consumers } from "@surety/core/consumer/Consumers"
import type { MerchantId } from "@surety/core/Ids"
import { ApiKeys } from "@surety/core/merchant/ApiKeys"
import { Merchants } from "@surety/core/merchant/Merchants"
import { Payments } from "@surety/core/payment/Payments"
import { documentPaths } from "@surety/http/RouteTable"
import { Console, Effect, Redacted, Schedule } from "effect"
import { operatorTokenFile } from "./DevelopmentKeys.js"
import { type Settings, settingTable } from "./settings/Settings.js"

const actor = "first start"

/** Creates the records that a first refund needs: a merchant with a TEST key, a consumer and a settled payment. */
const makeSandbox = Effect.fn("Sandbox.make")(function* () {
  const merchants = yield* Merchants
  const keys = yield* ApiKeys
  const consumers = yield* Consumers
  const payments = yield* Payments

  const merchant = yield* merchants.apply(
    {
      name: "Sandbox Shop",
      legalName: "Sandbox Shop Ltd",
      contactName: Redacted.make("Ada Obi"),
      contactEmail: Redacted.make("ada@sandbox.example"),
      country: "NG",
      businessType: "retail"
    },
    actor
  )
  const { secret } = yield* keys.issue(merchant.id, "TEST")
  const consumer = yield* consumers.create(
    {
      environment: "TEST",
      displayName: Redacted.make("Ada Obi"),
      country: "NG",
      phoneVerified: true
    },
    merchant.id
  )
  const payment = yield* payments.record({
    scope: { merchantId: merchant.id, environment: "TEST" },
    amount: { currency: Currency.NGN, minor: 250_050n },
    method: "WALLET",
    serviceId: consumer.serviceId,
    reference: "order-1001",
    settled: true
  })
  return { merchant, secret, payment }
})

type Sandbox = Effect.Success<ReturnType<typeof makeSandbox>>

const described = (baseUrl: string, { docs }: Pick<Settings, "docs">): ReadonlyArray<string> =>
  docs ? [`The API is documented at ${baseUrl}${documentPaths.page}`] : []

/** If false, the development token in `DATA_DIR` applies. */
const areTokensSet = ({ operators, operatorToken }: Settings): boolean =>
  operatorToken !== undefined || operators !== undefined

const consoleAt = (baseUrl: string, settings: Settings): ReadonlyArray<string> =>
  settings.console && !areTokensSet(settings)
    ? [
        `The operator console is at ${baseUrl}/console: sign in as operator, with the token in ` +
          path.join(settings.dataDir, operatorTokenFile)
      ]
    : []

/** Quotes a string for a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** Quotes a string for a shell if necessary. In zsh, for example, the brackets of an IPv6 address must be quoted. */
const word = (text: string): string => (/^[\w.:/-]+$/u.test(text) ? text : quoted(text))

const provisioningOption = (settings: Settings): string => {
  if (settings.provisioning === "open") return ""
  const file = path.join(settings.dataDir, operatorTokenFile)
  const token = areTokensSet(settings) ? "$OPERATOR_TOKEN" : `$(cat ${quoted(file)})`
  return `-H "Authorization: Bearer ${token}" `
}

const webhookSteps = (baseUrl: string, settings: Settings, { merchant }: Sandbox): ReadonlyArray<string> =>
  settings.provisioning === "off"
    ? ["1. and 2. With PROVISIONING=off, no webhook endpoint can be registered, so no receiver gets events."]
    : [
        "1. Register your webhook endpoint. Only this response shows its secret:",
        `curl -X POST ${word(`${baseUrl}/merchants/${merchant.id}/webhooks`)} ${provisioningOption(settings)}${json} ` +
          `-d '{"url":"http://127.0.0.1:4000/webhooks"}'`,
        "",
        "2. Start a receiver with that secret. It prints each event that it gets:",
        "WEBHOOK_SECRET='whsec_…' npx pnpm --filter ./examples/webhook-receiver start"
      ]

const json = "-H 'Content-Type: application/json'"

const story = (baseUrl: string, settings: Settings, sandbox: Sandbox): string => {
  const { payment, secret } = sandbox
  const refund = `curl -X POST ${word(`${baseUrl}/v1/refunds`)} -H 'Authorization: Bearer ${Redacted.value(secret)}'`
  return [
    "A sandbox is ready: a merchant, its TEST key, a customer, and a settled payment of 2,500.50 NGN. " +
      "Try it in a second terminal:",
    "",
    ...webhookSteps(baseUrl, settings, sandbox),
    "",
    "3. In a third terminal, refund 1,000 NGN of the payment. The receiver prints refund.completed:",
    `${refund} -H 'Idempotency-Key: first-refund' ${json} -d '{"transaction_id":"${payment.id}","amount":1000}'`,
    "",
    "4. Request too much, and the error says how much can still be refunded:",
    `${refund} -H 'Idempotency-Key: second-refund' ${json} -d '{"transaction_id":"${payment.id}"}'`,
    "",
    "This key is shown only once."
  ].join("\n")
}

/**
 * Explains how to create another key. Only one process may open the embedded database, so the printed command calls the
 * server, with the operator's token. It reads the token from `OPERATOR_TOKEN` or, if that is unset, from `DATA_DIR`.
 * With `PROVISIONING=off` the server creates no keys, so the printed command must be run after the server stops.
 */
const reminder = (baseUrl: string, settings: Settings, merchant: MerchantId): ReadonlyArray<string> => {
  const isSet = areTokensSet(settings)
  const isElsewhere = !isSet && settings.dataDir !== settingTable.dataDir.defaultText
  const start = `${isElsewhere ? `DATA_DIR=${quoted(settings.dataDir)} ` : ""}npx pnpm start`
  if (settings.provisioning === "off") {
    return [
      "Keys are shown only once. With PROVISIONING=off, stop the server to create another, with the same settings:",
      `${start} key create --environment TEST ${merchant}`
    ]
  }
  return [
    `Keys are shown only once. To create another, in a second terminal${isSet ? " with OPERATOR_TOKEN set" : ""}:`,
    `${start} merchant create-api-key --environment TEST ${merchant} --server ${word(baseUrl)}`
  ]
}

/** Replaces a wildcard address with the loopback address, since the printed commands run on this machine. */
const onThisMachine = (url: string): string => url.replace("//0.0.0.0", "//127.0.0.1").replace("//[::]", "//[::1]")

/**
 * If no merchant exists, creates the sandbox and prints the welcome message with its key. The server prints a key
 * nowhere else (contract 5). If a merchant exists, prints how to create another key instead. In both cases, also prints
 * the lines of `described` and `consoleAt`.
 */
export const welcome = Effect.fn("Sandbox.welcome")(function* (listeningUrl: string, settings: Settings) {
  const baseUrl = onThisMachine(listeningUrl)
  const merchants = yield* Merchants
  const existing = yield* merchants.list({ limit: 1, cursor: undefined }).pipe(
    // The server is already listening and does not depend on the welcome message. A database that is briefly
    // unavailable must not stop it.
    Effect.retry({ while: ({ isRetryable }) => isRetryable, schedule: Schedule.spaced("1 second"), times: 30 })
  )
  const [known] = existing.data
  const told =
    known === undefined ? [story(baseUrl, settings, yield* makeSandbox()), ""] : reminder(baseUrl, settings, known.id)
  yield* Console.log([...told, ...described(baseUrl, settings), ...consoleAt(baseUrl, settings), ""].join("\n"))
})
