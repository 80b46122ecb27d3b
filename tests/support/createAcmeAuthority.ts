import 'reflect-metadata'
import {
  AuthorityKeyIdentifierExtension,
  Pkcs10CertificateRequest,
  X509CertificateGenerator,
} from '@peculiar/x509'
import { calculateJwkThumbprint, flattenedVerify, generateKeyPair, importJWK, type JWK } from 'jose'
import type { AcmeResponse, SendAcme } from '../../backend/gateway/acme/acmeSession.ts'

/** A certificate authority in memory, which checks signatures, nonces and challenges. */
export interface AcmeAuthority {
  send: SendAcme
  directory: string
  /** The requests since the start, as `POST /order`. */
  requests: string[]
  /** The payloads of all orders. */
  orders: Record<string, unknown>[]
  /** Problems with which the next orders are refused, with an optional Retry-After. */
  refusals: { type: string; detail: string; retryAfter?: string }[]
  /** The times that renewal information suggests; null for an authority that has none. */
  suggestedWindow: { start: string; end: string } | null
  /** Forgets all accounts. */
  forgetAccounts(): void
  /** Makes the next signed request fail because of its nonce. */
  expireNonce(): void
}

const root = 'https://authority.example'

/** @param o.fetchChallenge reads the response of a challenge, as the authority does over http; null if there is none */
export async function createAcmeAuthority(o: {
  now: () => number
  lifetimeMs: number
  fetchChallenge: (token: string) => string | null
}): Promise<AcmeAuthority> {
  const keys = await generateKeyPair('ES256', { extractable: true })
  const accounts = new Map<string, JWK>()
  const nonces = new Set<string>()
  let count = 0
  let rejectsNonce = false
  let order = { status: 'pending', token: '', thumbprint: '', host: '', error: null as object | null }
  let issued = ''

  const createNonce = (): string => {
    nonces.add(`nonce-${++count}`)
    return `nonce-${count}`
  }
  const respond = (
    status: number,
    body: object | string,
    headers: Record<string, string> = {},
  ): AcmeResponse => ({
    status,
    headers: new Map(Object.entries({ 'replay-nonce': createNonce(), ...headers })),
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  const refuse = (type: string, detail: string, retryAfter?: string): AcmeResponse =>
    respond(
      400,
      { type: `urn:ietf:params:acme:error:${type}`, detail },
      retryAfter === undefined ? {} : { 'retry-after': retryAfter },
    )

  const issue = async (csr: string): Promise<void> => {
    const request = new Pkcs10CertificateRequest(Buffer.from(csr, 'base64url'))
    const names = request.getExtension('2.5.29.17')!
    const certificate = await X509CertificateGenerator.create({
      serialNumber: `00${(0xa0_00_00 + ++count).toString(16)}`,
      subject: '',
      issuer: 'CN=Authority of tests',
      notBefore: new Date(o.now()),
      notAfter: new Date(o.now() + o.lifetimeMs),
      publicKey: await request.publicKey.export(),
      signingKey: keys.privateKey,
      signingAlgorithm: { name: 'ECDSA', hash: 'SHA-256' },
      extensions: [names, await AuthorityKeyIdentifierExtension.create(keys.publicKey)],
    })
    issued = certificate.toString('pem')
    order.status = 'valid'
  }

  const readSigned = async (
    url: string,
    body: string,
  ): Promise<{ payload: Record<string, unknown>; key: JWK } | AcmeResponse> => {
    const signed = JSON.parse(body) as { protected: string; payload: string; signature: string }
    const header = JSON.parse(Buffer.from(signed.protected, 'base64url').toString()) as {
      jwk?: JWK
      kid?: string
      nonce: string
      url: string
    }
    const wasKnown = nonces.delete(header.nonce)
    if (!wasKnown || rejectsNonce) {
      rejectsNonce = false
      return refuse('badNonce', 'The nonce has expired')
    }
    const key = header.jwk ?? accounts.get(header.kid!)
    if (!key) return refuse('accountDoesNotExist', 'There is no such account')
    if (header.url !== url) return refuse('unauthorized', 'The URL of the request differs')
    await flattenedVerify(signed, await importJWK(key, 'ES256'))
    const text = Buffer.from(signed.payload, 'base64url').toString()
    return { payload: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>), key }
  }

  const authority: AcmeAuthority = {
    directory: `${root}/directory`,
    requests: [],
    orders: [],
    refusals: [],
    suggestedWindow: null,
    forgetAccounts: () => accounts.clear(),
    expireNonce: () => (rejectsNonce = true),
    async send({ url, method, body }) {
      const path = url.slice(root.length)
      authority.requests.push(`${method} ${path.startsWith('/renewal/') ? '/renewal' : path}`)
      if (path === '/directory')
        return respond(200, {
          newNonce: `${root}/nonce`,
          newAccount: `${root}/account`,
          newOrder: `${root}/order`,
          ...(authority.suggestedWindow && { renewalInfo: `${root}/renewal` }),
        })
      if (path === '/nonce') return respond(200, '')
      if (path.startsWith('/renewal/')) return respond(200, { suggestedWindow: authority.suggestedWindow })
      const signed = await readSigned(url, body!)
      if ('status' in signed) return signed
      const { payload, key } = signed
      const thumbprint = await calculateJwkThumbprint(key)
      if (path === '/account') {
        accounts.set(`${root}/account/${thumbprint}`, key)
        return respond(201, {}, { location: `${root}/account/${thumbprint}` })
      }
      if (path === '/order') {
        authority.orders.push(payload)
        const refusal = authority.refusals.shift()
        if (refusal) return refuse(refusal.type, refusal.detail, refusal.retryAfter)
        const [{ value }] = payload['identifiers'] as [{ value: string }]
        order = { status: 'pending', token: `token-${++count}`, thumbprint, host: value, error: null }
        const paths = { authorizations: [`${root}/authorization`], finalize: `${root}/finalize` }
        return respond(201, { status: 'pending', ...paths }, { location: `${root}/order/1` })
      }
      if (path === '/challenge') {
        const isRight = o.fetchChallenge(order.token) === `${order.token}.${order.thumbprint}`
        order.status = isRight ? 'ready' : 'invalid'
        return respond(200, {})
      }
      if (path === '/authorization') {
        const status = { pending: 'pending', invalid: 'invalid' }[order.status] ?? 'valid'
        const error = {
          type: 'urn:ietf:params:acme:error:connection',
          detail: `${order.host} refused the connection`,
        }
        const challenge = { type: 'http-01', url: `${root}/challenge`, token: order.token, status }
        const others = { type: 'dns-01', url: `${root}/other`, token: 'x', status: 'pending' }
        return respond(200, {
          status,
          challenges: [others, { ...challenge, ...(status === 'invalid' && { error }) }],
        })
      }
      if (path === '/finalize') {
        await issue(String(payload['csr']))
        return respond(200, {})
      }
      if (path === '/order/1')
        return respond(200, { status: order.status, certificate: `${root}/certificate` })
      return respond(200, issued)
    },
  }
  return authority
}
