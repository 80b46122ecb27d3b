import { base64url, calculateJwkThumbprint, FlattenedSign, importJWK, type JWK } from 'jose'
import { OutboundError, sendOutbound, type OutboundResponse } from '../../runtime/outbound/sendOutbound.ts'
import { AcmeError, createAcmeError, type AcmeProblemDocument } from './AcmeError.ts'
import type { AcmeAccount } from './acmeFiles.ts'

/** Sends one request to the certificate authority. */
export type SendAcme = (request: {
  url: string
  method: 'GET' | 'HEAD' | 'POST'
  body: string | null
  signal: AbortSignal
}) => Promise<AcmeResponse>

export interface AcmeResponse {
  status: number
  headers: Map<string, string>
  body: string
}

/** The resources of a certificate authority (RFC 8555, section 7.1.1). */
interface Directory {
  newNonce: string
  newAccount: string
  newOrder: string
  renewalInfo?: string
}

/** Signed requests of one account. */
export interface AcmeSession {
  /** The URL for renewal information (RFC 9773); null if the certificate authority has none. */
  renewalInfoUrl: string | null
  newOrderUrl: string
  /** Sends a signed request; `null` reads the resource. Throws AcmeError. */
  post(url: string, payload: object | null): Promise<AcmeResponse>
  /** What a challenge response contains for a token. */
  keyAuthorization(token: string): Promise<string>
}

const requestTimeoutMs = 30_000
const maxResponseBytes = 256 * 1024
/** A nonce can expire between two requests. */
const maxNonceAttempts = 3
const maxRetryAfterMs = 7 * 86_400_000

/** Sends a request over https. The body is text, since all resources of ACME are JSON or PEM. */
export const sendAcme: SendAcme = async ({ url, method, body, signal }) => {
  let response: OutboundResponse
  try {
    response = await sendOutbound({
      url,
      method,
      headers: [
        ['user-agent', 'linnet'],
        ...(body === null ? [] : [['content-type', 'application/jose+json'] as [string, string]]),
      ],
      body,
      async findDestination({ protocol }) {
        if (protocol !== 'https:') throw new OutboundError('is no https URL', { reason: 'scheme' })
        return {}
      },
      maxRedirects: 0,
      maxResponseBytes,
      signal: AbortSignal.any([signal, AbortSignal.timeout(requestTimeoutMs)]),
    })
  } catch (error) {
    const reason = (error as Error).message
    throw new AcmeError('unreachable', `The certificate authority cannot be reached: ${url}: ${reason}`, {
      cause: error,
    })
  }
  return {
    status: response.status,
    headers: new Map(response.headers.map(([name, value]) => [name.toLowerCase(), value])),
    body: response.body.toString(),
  }
}

/** Parses a JSON object of the certificate authority. Throws AcmeError. */
export function parseAcmeObject<T extends object>(body: string): T {
  try {
    const value: unknown = JSON.parse(body)
    if (typeof value === 'object' && value !== null) return value as T
  } catch {
    // Reported below.
  }
  throw new AcmeError('refused', 'The certificate authority sent no JSON object.')
}

/** The delay of a `Retry-After` header in ms; null if there is none. It is a number of seconds or a date. */
export function retryAfterOf({ headers }: Pick<AcmeResponse, 'headers'>, now: number): number | null {
  const value = headers.get('retry-after')
  if (value === undefined) return null
  const delay = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - now
  return Number.isNaN(delay) ? null : Math.min(Math.max(delay, 0), maxRetryAfterMs)
}

function toError(response: AcmeResponse): AcmeError {
  let document: AcmeProblemDocument = {}
  try {
    document = parseAcmeObject<AcmeProblemDocument>(response.body)
  } catch {
    document = { detail: `status ${response.status}` }
  }
  return createAcmeError(document, retryAfterOf(response, Date.now()))
}

const isAccountMissing = (error: unknown): boolean =>
  error instanceof AcmeError && error.type === 'accountDoesNotExist'

/**
 * Reads the directory, and creates the account if the certificate authority does not have it. Throws AcmeError.
 * @param o.onAccount called when the account was created or its contact has changed
 */
export async function openAcmeSession(o: {
  account: AcmeAccount
  contact: string | null
  onAccount: (account: AcmeAccount) => Promise<void>
  send: SendAcme
  signal: AbortSignal
}): Promise<AcmeSession> {
  const { send, signal } = o
  const key = await importJWK(o.account.key, 'ES256')
  const { kty, crv, x, y } = o.account.key
  const publicKey: JWK = { kty, crv, x, y } as JWK
  let accountUrl = o.account.url
  let nonce: string | null = null

  const read = await send({ url: o.account.directory, method: 'GET', body: null, signal })
  if (read.status !== 200) throw toError(read)
  const directory = parseAcmeObject<Directory>(read.body)
  for (const name of ['newNonce', 'newAccount', 'newOrder'] as const) {
    if (typeof directory[name] !== 'string')
      throw new AcmeError('refused', `${o.account.directory} is no directory of ACME: it has no ${name}.`)
  }

  const takeNonce = async (): Promise<string> => {
    const stored = nonce
    nonce = null
    if (stored !== null) return stored
    const response = await send({ url: directory.newNonce, method: 'HEAD', body: null, signal })
    const fresh = response.headers.get('replay-nonce')
    if (fresh === undefined) throw new AcmeError('refused', 'The certificate authority sent no nonce.')
    return fresh
  }

  const post = async (url: string, payload: object | null, isNewAccount = false): Promise<AcmeResponse> => {
    for (let attempt = 1; ; attempt++) {
      const signer = isNewAccount || accountUrl === null ? { jwk: publicKey } : { kid: accountUrl }
      const bytes = new TextEncoder().encode(payload === null ? '' : JSON.stringify(payload))
      const header = { alg: 'ES256', nonce: await takeNonce(), url, ...signer }
      const signed = await new FlattenedSign(bytes).setProtectedHeader(header).sign(key)
      const response = await send({ url, method: 'POST', body: JSON.stringify(signed), signal })
      nonce = response.headers.get('replay-nonce') ?? null
      if (response.status < 400) return response
      const error = toError(response)
      if (error.type !== 'badNonce' || attempt === maxNonceAttempts) throw error
    }
  }

  const contact = o.contact === null ? [] : [`mailto:${o.contact}`]
  /** Creates the account. If the certificate authority knows the key, it returns the account of the key. */
  const register = async (): Promise<void> => {
    const created = await post(directory.newAccount, { termsOfServiceAgreed: true, contact }, true)
    const url = created.headers.get('location')
    if (url === undefined) throw new AcmeError('refused', 'The certificate authority sent no account URL.')
    accountUrl = url
    await o.onAccount({ ...o.account, contact: o.contact, url })
  }
  if (accountUrl === null) await register()
  else if (o.account.contact !== o.contact) {
    await post(accountUrl, { contact }).catch((error: unknown) => {
      if (!isAccountMissing(error)) throw error
    })
    await o.onAccount({ ...o.account, contact: o.contact, url: accountUrl })
  }

  return {
    renewalInfoUrl: typeof directory.renewalInfo === 'string' ? directory.renewalInfo : null,
    newOrderUrl: directory.newOrder,
    async post(url, payload) {
      try {
        return await post(url, payload)
      } catch (error) {
        // The certificate authority has removed the account, for example because its data were reset.
        if (!isAccountMissing(error)) throw error
        await register()
        return post(url, payload)
      }
    },
    keyAuthorization: async (token) => `${token}.${await calculateJwkThumbprint(publicKey)}`,
  }
}

/** Encodes bytes as ACME requires. */
export const encodeBytes = (bytes: Uint8Array): string => base64url.encode(bytes)
