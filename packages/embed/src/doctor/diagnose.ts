import { PgClient } from "@effect/sql-pg/PgClient"
import * as Finding from "@surety/core/DoctorFinding"
import * as PgSettings from "@surety/postgres/PgSettings"
import { Context, Effect, Option } from "effect"
import { insideOf } from "../assemble.js"
import { createSurety } from "../createSurety.js"
import type { HostError } from "../host/onHostError.js"
import { InvalidOptions } from "../InvalidOptions.js"
import type { Surety } from "../Surety.js"
import type { SuretyOptions } from "../SuretyOptions.js"
import { StoreNotOpened } from "../store/HostStore.js"
import { checkAgain, checkPostgres } from "./checkPostgres.js"
import { type Trial, tryRefund } from "./tryRefund.js"

/** The doctor's subject: an existing `Surety`, or the options to create one. */
export type Patient = Surety | SuretyOptions

const isSurety = (patient: Patient): patient is Surety => "refunds" in patient && "close" in patient

const lateSeconds = 60

const checkWebhooks = async (surety: Surety): Promise<Finding.Finding> => {
  const { detail, ready, webhooks } = await surety.health()
  if (!ready) return Finding.fault("database", `${detail ?? "It is not ready."} ${checkAgain}`)
  if (webhooks === undefined) return Finding.fault("webhooks", `They could not be counted. ${checkAgain}`)
  return webhooks.oldestDueSeconds > lateSeconds
    ? Finding.fault(
        "webhooks",
        `${webhooks.due} are due, the oldest for ${webhooks.oldestDueSeconds} s. Does a process run surety.workers.start()?`
      )
    : Finding.ok("webhooks", `${webhooks.due} are due.`)
}

const checkRequests = async (surety: Surety): Promise<Finding.Finding> => {
  const { requests } = await surety.health()
  if (requests === undefined) return Finding.fault("requests", `They could not be counted. ${checkAgain}`)
  return requests.oldestPendingSeconds > lateSeconds
    ? Finding.fault(
        "requests",
        `${requests.pending} are pending, the oldest for ${requests.oldestPendingSeconds} s. Does a process run ` +
          "surety.workers.start()? The column error of surety.requests says why a request is retried."
      )
    : Finding.ok("requests", `${requests.pending} are pending.`)
}

const checkStore = async (surety: Surety): Promise<ReadonlyArray<Finding.Finding>> => {
  const inside = insideOf(surety)
  if (inside === undefined) {
    return [Finding.fault("database", "Surety was created by another copy of @surety/embed. Run that one's doctor.")]
  }
  const { context, schema } = inside
  const client = Context.getOption(context, PgClient)
  if (Option.isNone(client) || schema === undefined)
    return [Finding.skipped("database role", "Records are not in PostgreSQL.")]
  const looked = Effect.provideContext(checkPostgres, context).pipe(
    Effect.provideService(PgClient, client.value),
    Effect.provide(PgSettings.layer({ schema }))
  )
  return Effect.runPromise(looked)
}

/** Runs the checks in order. A check that rejects becomes a fault; the other checks still run. */
const all = async (
  checks: Readonly<Record<string, () => Promise<ReadonlyArray<Finding.Finding>>>>
): Promise<ReadonlyArray<Finding.Finding>> => {
  const findings: Array<Finding.Finding> = []
  for (const [about, check] of Object.entries(checks)) {
    findings.push(
      ...(await check().catch((cause: unknown) => [
        Finding.fault(about, cause instanceof Error ? cause.message : String(cause))
      ]))
    )
  }
  return findings
}

const examine = (surety: Surety, trial: Trial): Promise<ReadonlyArray<Finding.Finding>> =>
  all({
    "database role": () => checkStore(surety),
    refund: () => tryRefund(surety, trial),
    webhooks: async () => [await checkWebhooks(surety)],
    requests: async () => [await checkRequests(surety)]
  })

const notCreated = (cause: unknown): ReadonlyArray<Finding.Finding> => {
  if (cause instanceof InvalidOptions) return cause.faults.map((each) => Finding.fault("options", each))
  const message = cause instanceof Error ? cause.message : String(cause)
  return cause instanceof StoreNotOpened
    ? [
        Finding.fault(
          "database",
          `${message} If a migration is missing, run it (migrations.sql()) or open the store without migrate: false.`
        )
      ]
    : [Finding.fault("options", message)]
}

const checkOptions = ({ publicUrl, targets }: SuretyOptions): Finding.Finding =>
  publicUrl === undefined && targets !== "any"
    ? Finding.fault(
        "options",
        "publicUrl is not set, so links for people point to localhost. Set it to your public address."
      )
    : Finding.ok("options", "They are valid.")

/**
 * Checks the options if given, the database, and the webhook and request backlogs. Makes one trial refund and one trial
 * identity read in TEST, and leaves their records there. Returns the findings. Closes the Surety only if this function
 * created it.
 */
export const diagnose = async (patient: Patient, userId: string): Promise<ReadonlyArray<Finding.Finding>> => {
  if (isSurety(patient)) return examine(patient, { userId, failures: undefined })
  const failures: Array<HostError> = []
  const onError = (failure: HostError) => {
    failures.push(failure)
    patient.onError?.(failure)
  }
  let surety: Surety
  try {
    surety = await createSurety({ ...patient, onError })
  } catch (cause) {
    return notCreated(cause)
  }
  try {
    return [checkOptions(patient), ...(await examine(surety, { userId, failures }))]
  } finally {
    await surety.close()
  }
}
