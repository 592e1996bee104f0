/** Base class of all errors of this package. Never contains the API key, however it is printed. */
export class SuretyError extends Error {
  override get name(): string {
    return this.constructor.name
  }
}

/** An invalid call or option: a mistake in the program, found before anything was sent. */
export class UsageError extends SuretyError {}
