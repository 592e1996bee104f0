import { type ClientOptions, readOptions } from "./ClientOptions.js"
import { assertBackend } from "./call/backendOnly.js"
import { platformRuntime, type Runtime } from "./call/Runtime.js"
import { makeSend } from "./call/send.js"
import { type Account, account } from "./resources/account.js"
import { type DataRequests, dataRequests } from "./resources/dataRequests.js"
import { type Events, events } from "./resources/events.js"
import { type Grants, grants } from "./resources/grants.js"
import { type IdentityReading, identity } from "./resources/identity.js"
import { type Refunds, refunds } from "./resources/refunds.js"
import { type Requests, requests } from "./resources/requests.js"
import { type TestHelpers, testHelpers } from "./resources/testHelpers.js"
import { type Verifications, verifications } from "./resources/verifications.js"

/**
 * Client for the merchant API, with one API key. Holds no connection, so it need not be closed. Create one client and
 * reuse it.
 */
export interface Client {
  readonly account: Account
  readonly dataRequests: DataRequests
  readonly grants: Grants
  readonly identity: IdentityReading
  readonly refunds: Refunds
  readonly events: Events
  readonly requests: Requests
  readonly testHelpers: TestHelpers
  readonly verifications: Verifications
}

/**
 * Creates a client. Throws `UsageError` for invalid options, and in a browser, where a secret key must not be used. A
 * failed call rejects with a `SuretyError`, such as a `ServiceProblem` for an error response or a `UsageError` for an
 * invalid call.
 *
 * @example
 * import { createClient } from "@surety/client"
 *
 * const client = createClient({ apiKey: process.env.SURETY_API_KEY, baseUrl: process.env.SURETY_URL })
 * console.log((await client.account.whoami()).environment)
 */
export const createClient = (options: ClientOptions): Client => createClientWith(platformRuntime, options)

export const createClientWith = (runtime: Runtime, options: ClientOptions): Client => {
  assertBackend()
  const settings = readOptions(options)
  const chosen = { ...runtime, fetch: options.fetch ?? runtime.fetch }
  const send = makeSend(settings, chosen)
  return Object.freeze({
    account: account(send),
    dataRequests: dataRequests(send),
    grants: grants(send),
    identity: identity(send),
    refunds: refunds(send, chosen),
    events: events(send),
    requests: requests(send),
    testHelpers: testHelpers(send),
    verifications: verifications(send, chosen)
  })
}
