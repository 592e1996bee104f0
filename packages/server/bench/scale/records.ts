import { fromUuid, toUuid } from "@surety/core/Ids"
import pg from "pg"
import type { Filled, Place } from "./fill.ts"

/**
 * The records that the calls read. Most are LIVE records of the large merchant, from the middle of its rows in id
 * order. `test` and `testEventId` are in TEST.
 */
export interface Records {
  readonly live: Place
  readonly test: Place
  /** An ordinary person linked to the large merchant. `busyServiceId` is the person with a fiftieth of all sales. */
  readonly serviceId: string
  readonly busyServiceId: string
  readonly eventId: string
  readonly testEventId: string
  /** Values for path parameters and required query parameters, by name. */
  readonly params: Readonly<Record<string, string>>
}

const middle = async (client: pg.Client, table: string, place: Place, when = "true"): Promise<string> => {
  const of = `from surety.${table} r where r.merchant_id = $1 and r.environment = $2 and ${when}`
  const { rows } = await client.query<{ readonly id: string }>(
    `select r.id::text as id ${of} order by r.id offset (select count(*) / 2 ${of}) limit 1`,
    [toUuid(place.merchantId), place.environment]
  )
  if (rows[0] === undefined) throw new Error(`The large merchant has no ${table} in ${place.environment}`)
  return rows[0].id
}

const accountId = (...parts: ReadonlyArray<string>): string => Buffer.from(JSON.stringify(parts)).toString("base64url")

export const recordsOf = async (databaseUrl: string, { people, places }: Filled): Promise<Records> => {
  const [live, test] = places
  if (live?.environment !== "LIVE" || test?.environment !== "TEST") throw new Error("The large merchant comes first")
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const idOf = async (prefix: string, table: string, when?: string, place = live) =>
      fromUuid(prefix, await middle(client, table, place, when))
    const refundId = await idOf("refund", "refund", "r.status = 'COMPLETED'")
    const paymentId = await middle(client, "payment", live)
    const grantId = await idOf("grant", "consent_grant", "r.status = 'ACTIVE'")
    const { rows: owners } = await client.query<{ readonly service_id: string }>(
      "select service_id from surety.consent_grant where id = $1",
      [toUuid(grantId)]
    )
    const serviceId = owners[0]?.service_id ?? ""
    const { rows: rights } = await client.query<{ readonly id: string }>(
      "select id::text from surety.rights_request where environment = 'LIVE' order by id limit 1"
    )
    const { rows: proposals } = await client.query<{ readonly id: string }>(
      "select id::text from surety.proposal limit 1"
    )
    const { rows: actions } = await client.query<{ readonly id: string }>(
      "select id::text from surety.operator_action order by id limit 1"
    )
    const receiptOf = `from surety.consent_receipt r join surety.consumer c on c.id = r.user_id and c.environment = r.environment
      where r.environment = 'LIVE' and c.service_id = $1 order by r.id limit 1`
    const { rows: receipts } = await client.query<{ readonly id: string }>(`select r.id::text ${receiptOf}`, [
      serviceId
    ])
    const eventId = await idOf("event", "event", "r.topic = 'refund.completed'")
    const verificationId = await idOf("kyc", "verification")
    const requestId = await idOf("datareq", "data_request")
    return {
      live,
      test,
      serviceId,
      busyServiceId: people.LIVE[0] ?? "",
      eventId,
      testEventId: await idOf("event", "event", "r.topic = 'refund.completed'", test),
      params: {
        environment: "LIVE",
        merchantId: live.merchantId,
        endpointId: live.endpointId,
        refundId,
        paymentId,
        eventId,
        grantId,
        serviceId,
        service_id: serviceId,
        consumerId: serviceId,
        reference: verificationId,
        verificationId,
        dataRequestId: requestId,
        requestId,
        rightsId: fromUuid("rights", rights[0]?.id ?? ""),
        proposalId: fromUuid("proposal", proposals[0]?.id ?? ""),
        actionId: fromUuid("action", actions[0]?.id ?? ""),
        receiptId: fromUuid("receipt", receipts[0]?.id ?? ""),
        transferId: await idOf("transfer", "transfer", "r.kind = 'REFUND'"),
        keyId: await idOf("apikey", "api_key"),
        accountId: accountId("LIVE", "SETTLEMENT", "NGN", live.merchantId)
      }
    }
  } finally {
    await client.end()
  }
}
