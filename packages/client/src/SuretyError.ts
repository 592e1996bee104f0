/** Base class of the client's errors. The client puts no API key into them. */
export class SuretyError extends Error {
  override get name(): string {
    return this.constructor.name
  }
}

/** An invalid call or option: a bug in the program, detected before anything was sent. */
export class UsageError extends SuretyError {}
