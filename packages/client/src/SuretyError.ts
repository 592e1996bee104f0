/** Base class of the client's errors. The client puts no API key into them. */
export class SuretyError extends Error {
  override get name(): string {
    return this.constructor.name
  }
}

/** Invalid use of the client, such as a wrong argument or option, detected before anything was sent. */
export class UsageError extends SuretyError {}
