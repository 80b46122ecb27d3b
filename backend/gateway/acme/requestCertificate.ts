import { createPrivateKey, X509Certificate } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { Certificate } from '../createHttpServer.ts'
import { AcmeError, createAcmeError, type AcmeProblemDocument } from './AcmeError.ts'
import {
  encodeBytes,
  parseAcmeObject,
  retryAfterOf,
  type AcmeResponse,
  type AcmeSession,
} from './acmeSession.ts'
import { createCertificateRequest } from './certificateRequest.ts'

interface Order {
  status: string
  authorizations: string[]
  finalize: string
  certificate?: string
  error?: AcmeProblemDocument
}

interface Authorization {
  status: string
  challenges: { type: string; url: string; token: string; status: string; error?: AcmeProblemDocument }[]
}

const maxWaitMs = 120_000
const minPollMs = 250
const maxPollMs = 10_000
/** An order for one name has one authorization. */
const maxAuthorizations = 4

/** Reads a resource until it has left these states. Throws AcmeError after two minutes. */
async function waitWhile<T extends { status: string }>(
  session: AcmeSession,
  url: string,
  states: string[],
  signal: AbortSignal,
): Promise<T> {
  const deadline = Date.now() + maxWaitMs
  for (let polls = 0; ; polls++) {
    const response: AcmeResponse = await session.post(url, null)
    const resource = parseAcmeObject<T>(response.body)
    if (!states.includes(resource.status)) return resource
    if (Date.now() > deadline)
      throw new AcmeError(
        'unreachable',
        `The certificate authority did not finish within two minutes: ${url}`,
      )
    const delay = retryAfterOf(response, Date.now()) ?? minPollMs * 2 ** Math.min(polls, 5)
    await setTimeout(Math.min(Math.max(delay, minPollMs), maxPollMs), undefined, { signal })
  }
}

/** Proves that this server has the name: the certificate authority requests a file from it over http. */
async function proveControl(
  session: AcmeSession,
  url: string,
  publish: (token: string, content: string) => () => void,
  signal: AbortSignal,
): Promise<void> {
  const { status, challenges } = parseAcmeObject<Authorization>((await session.post(url, null)).body)
  // Valid authorizations of earlier orders are used again.
  if (status === 'valid') return
  const challenge = challenges?.find(({ type }) => type === 'http-01')
  if (!challenge)
    throw new AcmeError('refused', 'The certificate authority does not offer validation over http.')
  const remove = publish(challenge.token, await session.keyAuthorization(challenge.token))
  try {
    await session.post(challenge.url, {})
    const checked = await waitWhile<Authorization>(session, url, ['pending', 'processing'], signal)
    if (checked.status === 'valid') return
    const failed = checked.challenges?.find(({ type }) => type === 'http-01')
    if (failed?.error) throw createAcmeError(failed.error)
    throw new AcmeError('validation', `The certificate authority reports an ${checked.status} authorization.`)
  } finally {
    remove()
  }
}

/** Throws AcmeError if a certificate is not for this key and name, so that it never replaces one that works. */
function verify(cert: string, key: string, host: string): void {
  let isUsable = false
  try {
    const parsed = new X509Certificate(cert)
    isUsable = parsed.checkPrivateKey(createPrivateKey(key)) && parsed.checkHost(host) !== undefined
  } catch {
    // Reported below.
  }
  if (!isUsable)
    throw new AcmeError('refused', 'The certificate authority sent a certificate for another key or name.')
}

/**
 * Gets a certificate for a name, with a new key. Throws AcmeError.
 * @param o.publish serves the response of a challenge until the returned function is called
 * @param o.replaces the identifier of the certificate that is renewed; null if there is none
 */
export async function requestCertificate(o: {
  session: AcmeSession
  host: string
  replaces: string | null
  publish: (token: string, content: string) => () => void
  signal: AbortSignal
}): Promise<Certificate> {
  const { session, host, signal } = o
  const newOrder = (replaces: string | null): Promise<AcmeResponse> =>
    session.post(session.newOrderUrl, {
      identifiers: [{ type: 'dns', value: host }],
      ...(replaces !== null && session.renewalInfoUrl !== null && { replaces }),
    })
  const created = await newOrder(o.replaces).catch((error: unknown) => {
    // An earlier order, whose certificate was lost, has replaced the same certificate.
    if (error instanceof AcmeError && error.type === 'alreadyReplaced') return newOrder(null)
    throw error
  })
  const orderUrl = created.headers.get('location')
  const { authorizations, finalize } = parseAcmeObject<Order>(created.body)
  if (orderUrl === undefined || !Array.isArray(authorizations) || authorizations.length > maxAuthorizations)
    throw new AcmeError('refused', 'The certificate authority sent an incomplete order.')
  for (const url of authorizations) await proveControl(session, url, o.publish, signal)
  const { csr, key } = await createCertificateRequest(host)
  await session.post(finalize, { csr: encodeBytes(csr) })
  const order = await waitWhile<Order>(session, orderUrl, ['pending', 'ready', 'processing'], signal)
  if (order.status !== 'valid' || order.certificate === undefined)
    throw order.error
      ? createAcmeError(order.error)
      : new AcmeError('refused', `The certificate authority reports an ${order.status} order.`)
  const { body: cert } = await session.post(order.certificate, null)
  verify(cert, key, host)
  return { cert, key }
}
