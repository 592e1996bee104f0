/** Base class of the errors that a client throws. Never contains the API key, however it is printed. */
export class SuretyError extends Error {
  override get name(): string {
    return this.constructor.name
  }
}

/** An invalid call or option: a bug in the program, detected before anything was sent. */
export class UsageError extends SuretyError {}
