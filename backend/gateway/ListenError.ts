/** The server can't listen on the given address; `message` states what to do. */
export class ListenError extends Error {
  override name = 'ListenError'

  /** The ListenError for a known error of `listen`, else the error itself. */
  static from(error: NodeJS.ErrnoException, host: string, port: number): Error {
    const sentence = sentenceOf(error.code, host, port)
    return sentence === null ? error : new ListenError(sentence, { cause: error })
  }
}

function sentenceOf(code: string | undefined, host: string, port: number): string | null {
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} on ${host} is in use by another program. Stop it, or choose another port with --port (0 lets the system choose).`
    case 'EACCES':
      return `Port ${port} requires privileges that this user lacks. Choose one above 1023 with --port.`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `This machine has no address ${host}. Name one of its own with --host, or 0.0.0.0 for all of them.`
    default:
      return null
  }
}
