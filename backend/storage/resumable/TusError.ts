/** An error of the TUS protocol. Its body is plain text, as upstream's. */
export class TusError extends Error {
  override name = 'TusError'
  readonly status: number
  readonly headers: Record<string, string>

  constructor(status: number, message: string, headers: Record<string, string> = {}) {
    super(message)
    this.status = status
    this.headers = headers
  }
}

/** Messages and statuses are upstream's (@tus/server 2.4), or the protocol's where upstream has none. */
export const tusErrors = {
  versionRequired: () => new TusError(412, 'Tus-Resumable Required\n', { 'Tus-Version': '1.0.0' }),
  invalidHeaders: (names: readonly string[]) => new TusError(400, `Invalid ${names.join(' ')}\n`),
  notFound: () => new TusError(404, 'The file for this url was not found\n'),
  gone: () => new TusError(410, 'The file for this url no longer exists\n'),
  offsetRequired: () => new TusError(403, 'Upload-Offset header required\n'),
  offsetConflict: () => new TusError(409, 'Upload-Offset conflict\n'),
  /** Upstream has 400 here; the protocol requires 415. */
  wrongContentType: () => new TusError(415, 'Content-Type must be application/offset+octet-stream\n'),
  lengthRequired: () => new TusError(400, 'Upload-Length or Upload-Defer-Length header required\n'),
  sizeExceeded: () => new TusError(413, "upload's size exceeded\n"),
  tooLarge: () => new TusError(413, 'Maximum size exceeded\n'),
  alreadyComplete: () => new TusError(400, 'Cannot terminate an already completed upload'),
  noConcatenation: () =>
    new TusError(
      501,
      'Concatenation extension is not (yet) supported. Disable parallel uploads in the tus client.\n',
    ),
  unknownAlgorithm: () => new TusError(400, 'Unsupported checksum algorithm\n'),
  checksumMismatch: () => new TusError(460, 'Checksum mismatch\n'),
  interrupted: () => new TusError(400, 'The chunk broke off before its checksum could be compared\n'),
  methodNotFound: () => new TusError(404, 'Not found\n'),
}
