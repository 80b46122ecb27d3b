import { createHash, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createSigner } from './createSigner.ts'
import { type Outbound, createOutbound } from '../../../backend/auth/providers/createOutbound.ts'

/** Who is signed in at the provider. */
export interface Person {
  id: string
  email: string
  verified: boolean
  name: string
}

/** Faults of the provider, by the response that has them; empty for a provider without faults. */
export interface Faults {
  /** Of the discovery document. */
  discovery?: 'down' | 'html' | 'huge' | 'slow' | 'otherIssuer' | 'loop' | 'toPlain' | 'incomplete'
  keys?: 'down' | 'none' | 'secret'
  token?: 'down' | 'html' | 'huge' | 'slow' | 'refusedWith200' | 'cut' | 'twice'
  /** Of the ID token: how it is signed, and claims that it has instead of the right ones. */
  sign?: 'none' | 'publicKeyAsSecret' | 'strangersKey' | 'withoutToken'
  claims?: Record<string, unknown>
  api?: 'down' | 'html' | 'huge' | 'slow' | 'empty' | 'cut'
}

/** One visit of a browser to the provider: its query and where it redirects to. */
interface Visit {
  /** The query of the address at the provider. */
  query: URLSearchParams
  /** Where the browser goes next. */
  backTo: string
  /** What it posts there; null where it follows a link. */
  form: URLSearchParams | null
}

export interface FakeProvider {
  /** The HTTP client for a service: every host name leads to this provider. */
  outbound: Outbound
  /** The URL at this provider that a URL of any host is replaced by. */
  divert(url: URL): URL
  person: Person
  faults: Faults
  /** Responses by path, on any host, for providers with their own API for user data. */
  answers: Record<string, unknown>
  /** Additional fields of the token response. */
  tokenFields: Record<string, unknown>
  /** The requests received, such as "POST github.com/login/oauth/access_token". */
  requests: string[]
  /** Opens the URL of a provider as a browser does; the person authorizes the request. */
  visit(url: string): Promise<Visit>
  /** An ID token as this issuer signs it for the person. */
  idToken(issuer: string, claims: Record<string, unknown>): Promise<string>
  /** Signs with new keys from now on. */
  rotateKeys(): Promise<void>
  stop(): Promise<void>
}

interface Code {
  clientId: string
  redirectUri: string
  challenge: string | null
  issuer: string
}

const huge = 'x'.repeat(2_000_000)

/**
 * A small OAuth 2 and OpenID Connect provider that replaces all of them, on its own port: discovery, keys,
 * authorize, token, userinfo, and the user APIs of GitHub and others. It checks clients, verifiers and that codes are
 * used once, and its responses can be given faults.
 * @param o.alg the first signature algorithm
 */
export async function startProvider(o: { alg?: 'ES256' | 'RS256' } = {}): Promise<FakeProvider> {
  let signer = await createSigner(o.alg)
  const otherSigner = await createSigner()
  const codes = new Map<string, Code>()
  /** The redirect URLs, by the request token of OAuth 1. */
  const requested = new Map<string, string>()
  const server = createServer((request, response) => {
    answer(request, response).catch((error: Error) => response.writeHead(500).end(error.message))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const divert = (url: URL): URL => new URL(`${origin}/${url.host}${url.pathname}${url.search}`)
  /** The timeouts of all requests, completed ones included. */
  const waiting = new Set<AbortController>()
  const provider: FakeProvider = {
    outbound: createOutbound({
      redirectRequest: divert,
      createTimeout() {
        const one = new AbortController()
        waiting.add(one)
        return one.signal
      },
      // Names below "inside.test" resolve to a private address.
      resolve: async (host) => {
        if (host.endsWith('.invalid')) throw new Error('the host is unknown')
        return host.endsWith('.inside.test') ? ['93.184.216.34', '10.0.0.7'] : ['93.184.216.34']
      },
    }),
    divert,
    person: { id: '1001', email: '', verified: true, name: 'Bea' },
    faults: {},
    answers: {},
    tokenFields: {},
    requests: [],
    visit,
    idToken: (issuer, claims) => sign(issuer, claims),
    async rotateKeys() {
      signer = await createSigner()
    },
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }

  async function visit(address: string): Promise<Visit> {
    const response = await fetch(divert(new URL(address)), { redirect: 'manual' })
    const { query, backTo, form } = (await response.json()) as {
      query: string
      backTo: string
      form: string | null
    }
    return {
      query: new URLSearchParams(query),
      backTo,
      form: form === null ? null : new URLSearchParams(form),
    }
  }

  function sign(issuer: string, claims: Record<string, unknown>): Promise<string> {
    const now = Math.floor(Date.now() / 1000)
    const { person, faults } = provider
    const allClaims = {
      iss: issuer,
      sub: person.id,
      iat: now,
      exp: now + 600,
      name: person.name,
      ...(person.email ? { email: person.email, email_verified: person.verified } : {}),
      ...claims,
      ...faults.claims,
    }
    const payload = Object.fromEntries(Object.entries(allClaims).filter(([, value]) => value !== undefined))
    if (faults.sign === 'none') return signer.unsigned(payload)
    if (faults.sign === 'publicKeyAsSecret') return signer.withPublicKeyAsSecret(payload)
    return (faults.sign === 'strangersKey' ? otherSigner : signer).sign(payload)
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url!, origin)
    const [, host = '', ...parts] = url.pathname.split('/')
    const path = `/${parts.join('/')}`
    provider.requests.push(`${request.method} ${host}${path}`)
    const body = await read(request)
    const { authorization = '' } = request.headers
    const json = (value: unknown, status = 200) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
    const injectFault = (fault: string | undefined): boolean => {
      if (fault === 'down') json({ error: 'down' }, 500)
      else if (fault === 'html') response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Hello</p>')
      else if (fault === 'huge') json({ huge })
      else if (fault === 'cut') {
        response.writeHead(200, { 'content-length': '900' })
        response.write('{"access_token":')
        response.destroy()
      } else if (fault === 'loop') response.writeHead(302, { location: `https://${host}${path}` }).end()
      else if (fault === 'toPlain') response.writeHead(302, { location: `http://${host}${path}` }).end()
      // All waiting requests time out.
      else if (fault === 'slow') for (const one of waiting) one.abort()
      else return false
      return true
    }

    if (path.endsWith('/.well-known/openid-configuration')) {
      if (injectFault(provider.faults.discovery)) return
      json(
        describe(
          `https://${host}${path.slice(0, -'/.well-known/openid-configuration'.length)}`,
          provider.faults,
        ),
      )
    } else if (path === '/fake/keys') {
      if (injectFault(provider.faults.keys === 'down' ? 'down' : undefined)) return
      json({ keys: provider.faults.keys === 'none' ? [] : signer.keys(provider.faults.keys === 'secret') })
    } else if (path.startsWith('/oauth/') && authorization.startsWith('OAuth ')) {
      if (!injectFault(provider.faults.token)) response.end(respondToOAuth1(path, readFields(authorization)))
    } else if (url.searchParams.has('oauth_token')) {
      json(authorizeOAuth1(url.searchParams))
    } else if (path in provider.answers) {
      if (injectFault(provider.faults.api)) return
      json(provider.faults.api === 'empty' ? {} : provider.answers[path])
    } else if (request.method === 'GET' && url.searchParams.get('response_type') === 'code') {
      json(authorize(url.searchParams, `https://${host}`))
    } else if (request.method === 'POST') {
      if (injectFault(provider.faults.token)) return
      const [status, value] = await redeem(new URLSearchParams(body), authorization)
      json(value, status)
    } else json({ error: 'nothing here' }, 404)
  }

  /** Authorizes the request: returns a code and the URL to which the browser is redirected. */
  function authorize(
    query: URLSearchParams,
    issuer: string,
  ): { query: string; backTo: string; form: string | null } {
    const code = randomUUID()
    const redirectUri = query.get('redirect_uri')!
    codes.set(code, {
      clientId: query.get('client_id')!,
      redirectUri,
      challenge: query.get('code_challenge'),
      issuer: query.get('response_mode') === 'form_post' ? 'https://appleid.apple.com' : issuer,
    })
    const parameters = new URLSearchParams({ code, state: query.get('state')! })
    if (query.get('response_mode') === 'form_post') {
      return { query: query.toString(), backTo: redirectUri, form: parameters.toString() }
    }
    return { query: query.toString(), backTo: `${redirectUri}?${parameters}`, form: null }
  }

  /** OAuth 1: a request token, and an access token for its verifier. */
  function respondToOAuth1(path: string, fields: Record<string, string>): string {
    if (path === '/oauth/request_token') {
      const token = randomUUID()
      requested.set(token, fields['oauth_callback']!)
      return `oauth_token=${token}&oauth_token_secret=s&oauth_callback_confirmed=true`
    }
    if (fields['oauth_verifier'] !== `verifier-of-${fields['oauth_token']}`) return 'refused'
    return `oauth_token=access-${randomUUID()}&oauth_token_secret=t`
  }

  function authorizeOAuth1(query: URLSearchParams): { query: string; backTo: string; form: null } {
    const token = query.get('oauth_token')!
    const back = `&oauth_token=${token}&oauth_verifier=verifier-of-${token}`
    return { query: query.toString(), backTo: `${requested.get(token)}${back}`, form: null }
  }

  async function redeem(
    form: URLSearchParams,
    authorization: string,
  ): Promise<[number, Record<string, unknown>]> {
    if (provider.faults.token === 'refusedWith200') return [200, { error: 'bad_verification_code' }]
    const [id, secret] = clientOf(form, authorization)
    const code = codes.get(form.get('code') ?? '')
    // A wrong client must not invalidate the code: the service may send the secret in another way afterwards.
    if (id !== code?.clientId || secret !== `secret-of-${id}`) return [401, { error: 'invalid_client' }]
    if (provider.faults.token !== 'twice') codes.delete(form.get('code')!)
    const verifier = form.get('code_verifier')
    const challenge = verifier === null ? null : createHash('sha256').update(verifier).digest('base64url')
    if (challenge !== code.challenge) return [400, { error: 'invalid_grant' }]
    if (form.get('redirect_uri') !== code.redirectUri) return [400, { error: 'invalid_grant' }]
    const accessToken = `access-${randomUUID()}`
    const half = createHash('sha256').update(accessToken).digest().subarray(0, 16)
    const idToken = await sign(code.issuer, { aud: code.clientId, at_hash: half.toString('base64url') })
    return [
      200,
      {
        access_token: accessToken,
        refresh_token: 'refresh-of-the-provider',
        token_type: 'bearer',
        ...provider.tokenFields,
        ...(provider.faults.sign === 'withoutToken' ? {} : { id_token: idToken }),
      },
    ]
  }

  return provider
}

/** The document of an issuer; its endpoints are on its host. */
function describe(issuer: string, faults: Faults): Record<string, unknown> {
  const { origin, host } = new URL(issuer)
  // Microsoft's older tenants end in a slash.
  const named = host === 'sts.windows.net' ? `${issuer}/` : issuer
  return {
    issuer: faults.discovery === 'otherIssuer' ? 'https://appleid.apple.com' : named,
    authorization_endpoint: `${origin}/fake/authorize`,
    ...(faults.discovery === 'incomplete' ? {} : { token_endpoint: `${origin}/fake/token` }),
    userinfo_endpoint: `${origin}/fake/userinfo`,
    jwks_uri: `${origin}/fake/keys`,
    // HS256 must not be accepted because the document lists it: anyone can sign with the published key.
    id_token_signing_alg_values_supported: ['RS256', 'ES256', 'HS256', 'none'],
  }
}

function clientOf(form: URLSearchParams, authorization: string): [string, string] {
  if (!authorization.startsWith('Basic ')) {
    return [form.get('client_id') ?? '', form.get('client_secret') ?? '']
  }
  const [id = '', secret = ''] = Buffer.from(authorization.slice(6), 'base64').toString().split(':')
  return [decodeURIComponent(id), decodeURIComponent(secret)]
}

/** The fields of an OAuth 1 Authorization header. */
function readFields(authorization: string): Record<string, string> {
  const pairs = authorization.slice(6).split(', ')
  return Object.fromEntries(
    pairs.map((pair) => {
      const [name = '', value = ''] = pair.split('=')
      return [name, decodeURIComponent(value.slice(1, -1))]
    }),
  )
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}
