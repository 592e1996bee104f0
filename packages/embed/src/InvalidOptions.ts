/** The options are invalid. The message lists every fault. */
export class InvalidOptions extends Error {
  readonly _tag = "InvalidOptions"
  readonly faults: ReadonlyArray<string>

  constructor(faults: ReadonlyArray<string>, made = "Surety") {
    super(`${made} cannot be created:\n${faults.map((fault) => `- ${fault}`).join("\n")}`)
    this.name = "InvalidOptions"
    this.faults = faults
  }
}
