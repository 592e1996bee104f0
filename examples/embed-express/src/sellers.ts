import { type TransactionalSurety, unwrap } from "@surety/embed"
import type { Pool } from "pg"
import { environment } from "./orders.ts"
import { transaction } from "./transaction.ts"

export interface NewSeller {
  readonly id: string
  readonly name: string
  readonly email: string
  /** The webhook url, on the seller's own server. */
  readonly webhookUrl: string
}

/** Adds a seller. The shop has already vetted the business, so its merchant is active immediately. */
export const addSeller = (pool: Pool, surety: TransactionalSurety, { email, id, name, webhookUrl }: NewSeller) =>
  transaction(pool, async (client) => {
    const { apiKeys, merchants, webhooks } = surety.inTransaction(client)
    const merchant = unwrap(
      await merchants.create({
        name,
        legalName: name,
        contactName: name,
        contactEmail: email,
        country: "NG",
        businessType: "retail"
      })
    )
    const merchantId = merchant.id
    unwrap(await merchants.changeStatus({ merchantId, status: "ACTIVE", actor: { kind: "HOST", name: "shop" } }))
    const key = unwrap(await apiKeys.create({ merchantId, environment }))
    const endpoint = unwrap(await webhooks.register({ merchantId, environment, url: webhookUrl }))
    await client.query("insert into shop.sellers values ($1, $2, $3)", [id, name, merchantId])
    return { merchantId, apiKey: key.secret, webhookSecret: endpoint.secret }
  })
