/** Options that nothing can be started with. The message names every fault. */
export class InvalidOptions extends Error {
  readonly _tag = "InvalidOptions"
  readonly faults: ReadonlyArray<string>

  constructor(faults: ReadonlyArray<string>, made = "Surety") {
    super(`${made} cannot be created:\n${faults.map((fault) => `- ${fault}`).join("\n")}`)
    this.name = "InvalidOptions"
    this.faults = faults
  }
}
