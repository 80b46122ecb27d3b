import type { CertificateProblem } from '../../../wire/serverChecks.ts'

/** A certificate could not be requested. The message is for the log and for the owner of the machine. */
export class AcmeError extends Error {
  override name = 'AcmeError'
  readonly problem: CertificateProblem
  /** The error type of RFC 8555 without its prefix, such as `rateLimited`; null for other failures. */
  readonly type: string | null
  /** The delay that the certificate authority requires before the next request, in ms; null if it requires none. */
  readonly retryAfterMs: number | null

  constructor(
    problem: CertificateProblem,
    message: string,
    o: { type?: string | null; retryAfterMs?: number | null; cause?: unknown } = {},
  ) {
    super(message, { cause: o.cause })
    this.problem = problem
    this.type = o.type ?? null
    this.retryAfterMs = o.retryAfterMs ?? null
  }
}

/** An error as a certificate authority sends it (RFC 8555, section 6.7). */
export interface AcmeProblemDocument {
  type?: unknown
  detail?: unknown
  subproblems?: unknown
}

/** The types of errors that mean that the certificate authority did not find this server at the name. */
const validationTypes = new Set(['connection', 'dns', 'unauthorized', 'incorrectResponse', 'tls', 'caa'])
const maxDetailCharacters = 500

/** Creates the error of a problem document. */
export function createAcmeError(
  document: AcmeProblemDocument,
  retryAfterMs: number | null = null,
): AcmeError {
  const type = typeof document.type === 'string' ? (document.type.split(':').at(-1) ?? '') : ''
  const detail = typeof document.detail === 'string' ? document.detail.slice(0, maxDetailCharacters) : ''
  const problem = validationTypes.has(type)
    ? 'validation'
    : type === 'rateLimited'
      ? 'rate_limited'
      : 'refused'
  const reason = [type, detail].filter((text) => text !== '').join(': ')
  return new AcmeError(problem, `The certificate authority reports ${reason || 'an error'}`, {
    type,
    retryAfterMs,
  })
}
