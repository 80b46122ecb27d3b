/** What the parts of an answer are when the service refuses. */
interface ErrorParts {
  /** What the body says; HTTP itself mostly says 400, as upstream does for the sake of old clients. */
  statusCode: number
  code: string
  /** The older name of the fault; `code` where there is none. */
  error?: string
  message: string
  /** The status of HTTP where it isn't 400. */
  httpStatus?: number
}

/** A refusal in the form of storage's contract: `{statusCode, error, code, message}`. */
export class StorageError extends Error {
  override name = 'StorageError'
  readonly statusCode: number
  readonly code: string
  readonly error: string
  readonly httpStatus: number

  constructor(parts: ErrorParts, options?: ErrorOptions) {
    super(parts.message, options)
    this.statusCode = parts.statusCode
    this.code = parts.code
    this.error = parts.error ?? parts.code
    this.httpStatus = parts.httpStatus ?? (parts.statusCode === 500 ? 500 : 400)
  }

  /** The body as clients read it; `statusCode` is text there. */
  toJSON(): { statusCode: string; error: string; code: string; message: string } {
    return {
      statusCode: String(this.statusCode),
      error: this.error,
      code: this.code,
      message: this.message,
    }
  }
}
