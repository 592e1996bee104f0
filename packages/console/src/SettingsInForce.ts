import { Context } from "effect"

/** One setting of the deployment, as it is in force. */
export interface SettingInForce {
  readonly name: string
  readonly meaning: string
  /** As text. A secret's value is never here: "set" or "not set". */
  readonly value: string
}

/** The deployment's settings, for the console's page of them. Default: none, where the host does not tell. */
export const SettingsInForce = Context.Reference<ReadonlyArray<SettingInForce>>("@surety/console/SettingsInForce", {
  defaultValue: () => []
})
