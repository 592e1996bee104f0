import type { Client } from "../../createClient.js"
import type { EventPayloads } from "../../Interface.generated.js"
import { ServerFailure } from "../../ServiceProblem.js"
import { CommandFailed } from "../Terminal.js"
import { memberOf, type Platform, withGoneReceiver } from "./Platform.js"

export type Topic = keyof EventPayloads

export interface Tools {
  readonly client: Client
  readonly platform: Platform
  readonly merchantId: string
  /** Reports a record that was created, and returns its id. */
  readonly made: (kind: string, id: string) => string
  /** Resolves once the event has arrived. Rejects with `CommandFailed` if it does not arrive within 30 seconds. */
  readonly hasCome: () => Promise<void>
}

/** How `trigger` causes an event of one topic. */
export interface Trigger {
  readonly does: string
  /** Requirements beyond a TEST key. */
  readonly needs?: string
  /** Creates the records that the event needs, then causes it. */
  readonly run: (tools: Tools) => Promise<void>
}

const fields = ["display_name", "email"]

const consumerOf = async ({ client, made }: Tools): Promise<string> => {
  const person = { display_name: "Ada Obi", email: "ada@mail.example", country: "NG" }
  return made("consumer", (await client.testHelpers.createConsumer(person)).serviceId)
}

const paymentOf = async (tools: Tools, outcome?: "pending"): Promise<string> => {
  const service_id = await consumerOf(tools)
  const refund = outcome === undefined ? {} : { refund_outcome: outcome }
  const { transactionId } = await tools.client.testHelpers.createPayment({ service_id, amount: 2500.5, ...refund })
  return tools.made("payment", transactionId)
}

const dataRequestOf = async (tools: Tools, service_id: string): Promise<string> => {
  const { id } = await tools.client.dataRequests.create({ service_id, requested_fields: fields })
  return tools.made("data request", id)
}

const approvalOf = async (tools: Tools): Promise<{ readonly serviceId: string; readonly grantId: string }> => {
  const serviceId = await consumerOf(tools)
  const { grantId } = await tools.client.testHelpers.approveDataRequest(await dataRequestOf(tools, serviceId))
  if (grantId === undefined) throw new CommandFailed("The approval created no grant.")
  return { serviceId, grantId: tools.made("grant", grantId) }
}

/**
 * Creates a refund that stays pending, and returns its id. The id comes from `refunds.list`, since `refunds.create`
 * fails with 503 for a pending refund.
 */
const waitingRefundOf = async (tools: Tools): Promise<string> => {
  const transaction_id = await paymentOf(tools, "pending")
  await tools.client.refunds.create({ transaction_id }, { maxRetries: 0 }).catch((error: unknown) => {
    if (!(error instanceof ServerFailure && error.code === "wallet_unavailable")) throw error
  })
  const [refund] = (await tools.client.refunds.list({ transaction_id })).data
  if (refund === undefined) throw new CommandFailed("The payment has no refund.")
  return tools.made("refund", refund.refundId)
}

const approval: Trigger = {
  does: "approves a data request in the person's place",
  run: async (tools) => void (await approvalOf(tools))
}

/**
 * Creates an endpoint whose receiver responds with 410, so that the service disables it. Removes the endpoint even if
 * no event arrives.
 */
const disableEndpoint = (tools: Tools): Promise<void> =>
  withGoneReceiver(async (url) => {
    const { hasCome, made, merchantId, platform } = tools
    const webhooks = `/merchants/${merchantId}/webhooks`
    const endpoint = { url, environment: "TEST", topics: ["transaction.settled"] }
    const id = made("endpoint", String(memberOf(await platform.send("POST", webhooks, endpoint), "id")))
    try {
      await paymentOf(tools)
      await hasCome()
    } finally {
      await platform.send("DELETE", `${webhooks}/${encodeURIComponent(id)}`)
    }
  })

export const triggers: Readonly<Record<Topic, Trigger>> = {
  "transaction.settled": {
    does: "makes a payment from a new person's wallet",
    run: async (tools) => void (await paymentOf(tools))
  },
  "refund.completed": {
    does: "refunds a payment",
    run: async (tools) => {
      const { refundId } = await tools.client.refunds.create({ transaction_id: await paymentOf(tools) })
      tools.made("refund", refundId)
    }
  },
  "merchant.identity.consent_granted": approval,
  "merchant.identity.request.approved": approval,
  "merchant.identity.request.denied": {
    does: "denies a data request in the person's place",
    run: async (tools) => {
      const id = await dataRequestOf(tools, await consumerOf(tools))
      await tools.client.testHelpers.denyDataRequest(id)
    }
  },
  "merchant.identity.request.expired": {
    does: "lets a data request expire",
    run: async (tools) => {
      const id = await dataRequestOf(tools, await consumerOf(tools))
      await tools.client.testHelpers.expireDataRequest(id)
    }
  },
  "merchant.identity.consent_revoked": {
    does: "revokes a grant in the person's place",
    run: async (tools) => void (await tools.client.testHelpers.revokeGrant((await approvalOf(tools)).grantId))
  },
  "merchant.identity.consent_expired": {
    does: "lets a grant expire",
    run: async (tools) => void (await tools.client.testHelpers.expireGrant((await approvalOf(tools)).grantId))
  },
  "merchant.identity.data_changed": {
    does: "corrects a person's e-mail address in the platform's place",
    needs: "the operator's token in SURETY_OPERATOR_TOKEN",
    run: async (tools) => {
      const { platform } = tools
      if (!platform.hasToken) {
        throw new CommandFailed(
          "Only the platform corrects a person. Set SURETY_OPERATOR_TOKEN to the operator's token."
        )
      }
      const { serviceId } = await approvalOf(tools)
      const change = { environment: "TEST", email: "ada.obi@mail.example", reason: "A test event" }
      await platform.send("PATCH", `/operator/consumers/${encodeURIComponent(serviceId)}`, change)
    }
  },
  "kyc.verification.completed": {
    does: "verifies a person",
    run: async (tools) => {
      const { reference } = await tools.client.verifications.submit({
        service_id: await consumerOf(tools),
        kind: "bvn",
        id: "22222222222",
        verification_consent: true,
        validation: { first_name: "Ada", last_name: "Obi" }
      })
      tools.made("verification", reference)
    }
  },
  "refund.failed": {
    does: "settles a pending refund as failed, in the wallet's place",
    run: async (tools) => {
      const refundId = await waitingRefundOf(tools)
      await tools.client.testHelpers.settleRefund(refundId, { outcome: "failed" })
    }
  },
  "endpoint.disabled": {
    does: "returns 410 from its own endpoint, which it then removes",
    needs: "a service that reaches this machine and lets you register endpoints, as in development",
    run: disableEndpoint
  }
}
