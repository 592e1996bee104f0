import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as Finding from "@surety/core/DoctorFinding"
import * as NodeMac from "@surety/webhooks/node/NodeMac"
import { Console, Effect, Layer, Result } from "effect"
import { Command } from "effect/cli"
import { checkDatabase } from "../doctor/checkDatabase.js"
import { checkKyc } from "../doctor/checkKyc.js"
import * as HookTrial from "../doctor/HookTrial.js"
import { hookTrials } from "../doctor/hookTrials.js"
import * as Hooks from "../hook/hooks.js"
import { kycVendors } from "../kyc/kycSetup.js"
import * as Logging from "../Logging.js"
import { StartFailed } from "../StartFailed.js"
import { misspeltSettings } from "../settings/misspeltSettings.js"
import { parseSettings } from "../settings/parseSettings.js"
import type { Settings } from "../settings/Settings.js"
import { ProcessEnvironment } from "./environment.js"

const checkHooks = (settings: Settings) =>
  Effect.forEach(hookTrials(settings), HookTrial.run).pipe(
    Effect.map((found) => found.flat()),
    Effect.provide(Hooks.caller(settings).pipe(Layer.provideMerge(Layer.merge(NodeMac.layer, NodeCrypto.layer))))
  )

const idleHosts = (settings: Settings): ReadonlyArray<Finding.Finding> =>
  Hooks.unusedHosts(settings).map((host) =>
    Finding.fault("HOOK_HOSTS", `names ${host}, which no hook uses. Remove it, or correct its spelling.`)
  )

const findings = (settings: Settings, environment: NodeJS.ProcessEnv) =>
  Effect.all([checkDatabase(settings), checkHooks(settings), checkKyc(environment, kycVendors)]).pipe(
    Effect.map(([database, hooks, kyc]) => [
      Finding.ok("settings", "All are valid."),
      ...misspeltSettings(environment).map(({ detail, name }) => Finding.advice(name, detail)),
      ...idleHosts(settings),
      ...database,
      ...hooks,
      ...kyc
    ]),
    Effect.provide(Logging.layer({ ...settings, logLevel: "None" }))
  )

const examine = Effect.gen(function* () {
  const environment = yield* ProcessEnvironment
  const parsed = parseSettings(environment)
  const found = Result.isSuccess(parsed)
    ? yield* findings(parsed.success, environment)
    : parsed.failure.map(({ detail, name }) => Finding.fault(name, detail))
  for (const one of found) yield* Console.log(Finding.lineOf(one))
  const faults = found.filter(({ verdict }) => verdict === "fault")
  if (faults.length === 0) return
  return yield* new StartFailed({ message: `${faults.length === 1 ? "1 fault" : `${faults.length} faults`} to fix.` })
})

/** `surety doctor`: exits with 1 if it finds any fault. Advice alone does not change the exit code. */
export const doctor = Command.make("doctor", {}, () => examine)
