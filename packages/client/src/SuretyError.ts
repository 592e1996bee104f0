/** Everything that this package throws. Nothing of the API key is in it, however it is printed. */
export class SuretyError extends Error {
  override get name(): string {
    return this.constructor.name
  }
}

/** The call or the client cannot be made as asked: a mistake in the program, found before anything was sent. */
export class UsageError extends SuretyError {}
