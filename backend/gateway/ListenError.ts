const privilegeHint =
  'A service gets them with AmbientCapabilities=CAP_NET_BIND_SERVICE, which docs/service.md describes.'

/** The server can't listen on the given address; `message` states what to do. */
export class ListenError extends Error {
  override name = 'ListenError'

  /** The ListenError for a known error of `listen`, else the error itself. */
  static from(error: NodeJS.ErrnoException, host: string, port: number): Error {
    const sentence = sentenceOf(error.code, host, port)
    return sentence === null ? error : new ListenError(sentence, { cause: error })
  }

  /** Like `from`, for the port of challenges and redirects. */
  static fromHttpPort(error: NodeJS.ErrnoException, host: string, port: number): Error {
    const use = 'A certificate by ACME needs this port for plain http.'
    if (error.code === 'EADDRINUSE')
      return new ListenError(
        `Port ${port} on ${host} is in use by another program. ${use} Stop the other program.`,
        {
          cause: error,
        },
      )
    if (error.code === 'EACCES')
      return new ListenError(
        `Port ${port} requires privileges that this user lacks. ${use} ${privilegeHint}`,
        {
          cause: error,
        },
      )
    return ListenError.from(error, host, port)
  }
}

function sentenceOf(code: string | undefined, host: string, port: number): string | null {
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} on ${host} is in use by another program. Stop it, or choose another port with --port (0 lets the system choose).`
    case 'EACCES':
      return `Port ${port} requires privileges that this user lacks. Choose one above 1023 with --port. ${privilegeHint}`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `This machine has no address ${host}. Name one of its own with --host, or 0.0.0.0 for all of them.`
    default:
      return null
  }
}
