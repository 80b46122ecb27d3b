/** Parts of an error response. */
interface ErrorParts {
  /** The status in the body; the HTTP status is mostly 400, as upstream's, for old clients. */
  statusCode: number
  code: string
  /** The older name of the error; `code` where there is none. */
  error?: string
  message: string
  /** The status of HTTP where it isn't 400. */
  httpStatus?: number
}

/** An error in the format of the storage API: `{statusCode, error, code, message}`. */
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

  /** The response body, where `statusCode` is a string. */
  toJSON(): { statusCode: string; error: string; code: string; message: string } {
    return {
      statusCode: String(this.statusCode),
      error: this.error,
      code: this.code,
      message: this.message,
    }
  }
}
