import {
  createDecipheriv,
  createECDH,
  createPublicKey,
  hkdfSync,
  randomBytes,
  randomUUID,
  verify,
  type ECDH,
} from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A browser's subscription, and the keys that only the browser has. */
export interface Browser {
  endpoint: string
  p256dh: string
  auth: string
  ecdh: ECDH
}

/** A message that the service accepted, decrypted. */
export interface PushedMessage {
  browser: Browser
  payload: string
  bytes: number
  ttl: number
  urgency: string | null
  topic: string | null
  /** Claims of the token. */
  claims: { aud: string; exp: number; sub: string }
  /** The key that signed the token, base64url. */
  key: string
}

/** How the service responds to a subscription instead of 201. */
export interface Refusal {
  status: number
  headers?: Record<string, string>
}

export interface PushService {
  url: string
  subscribe(): Browser
  /** In the order of arrival. */
  messages: PushedMessage[]
  /** Statuses of all responses, in order. */
  statuses: number[]
  /** Called for each message that is correct; undefined accepts it. */
  respond: (message: PushedMessage) => Refusal | undefined
  /** What the standards do not permit in a request; empty if the sender observes them. */
  violations: string[]
  stop(): void
}

/** Largest body that a push service must accept (RFC 8030, section 7.2). */
const maxBytes = 4096

/**
 * A push service (RFC 8030) on loopback, as those of browser vendors: it checks the token of the sender (RFC 8292) and the
 * headers, and decrypts messages as the browser would (RFC 8291), with node:crypto instead of the sender's WebCrypto.
 */
export async function startPushService(): Promise<PushService> {
  const browsers = new Map<string, Browser>()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const reply = ({ status, headers = {} }: Refusal): void => {
        service.statuses.push(status)
        response.writeHead(status, headers).end()
      }
      const refuse = (status: number, violation: string): void => {
        service.violations.push(violation)
        reply({ status })
      }
      const header = (name: string): string | null => {
        const value = request.headers[name]
        return typeof value === 'string' ? value : null
      }
      const browser = browsers.get(request.url ?? '')
      if (!browser) return reply({ status: 404 })
      if (request.method !== 'POST') return refuse(405, `method ${request.method}`)
      const body = Buffer.concat(chunks)
      if (body.byteLength > maxBytes) return refuse(413, `body of ${body.byteLength} bytes`)
      const token = checkToken(header('authorization') ?? '', service.url)
      if (typeof token === 'string') return refuse(403, token)
      if (header('content-encoding') !== 'aes128gcm') return refuse(400, 'content-encoding')
      const [ttl, urgency, topic] = [header('ttl'), header('urgency'), header('topic')]
      if (!/^\d+$/.test(ttl ?? '')) return refuse(400, `ttl ${ttl}`)
      if (urgency !== null && !['very-low', 'low', 'normal', 'high'].includes(urgency))
        return refuse(400, `urgency ${urgency}`)
      if (topic !== null && !/^[A-Za-z0-9_-]{1,32}$/.test(topic)) return refuse(400, `topic ${topic}`)
      let payload: string
      try {
        payload = decrypt(body, browser)
      } catch (error) {
        return refuse(400, `not decrypted: ${String(error)}`)
      }
      const message = { browser, payload, bytes: body.byteLength, ttl: Number(ttl), urgency, topic, ...token }
      const refusal = service.respond(message)
      if (refusal) return reply(refusal)
      service.messages.push(message)
      return reply({ status: 201, headers: { location: `${service.url}/message/${randomUUID()}` } })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const service: PushService = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    messages: [],
    statuses: [],
    violations: [],
    respond: () => undefined,
    subscribe() {
      const ecdh = createECDH('prime256v1')
      ecdh.generateKeys()
      const path = `/send/${randomUUID()}`
      const browser = {
        endpoint: `${service.url}${path}`,
        p256dh: ecdh.getPublicKey('base64url'),
        auth: randomBytes(16).toString('base64url'),
        ecdh,
      }
      browsers.set(path, browser)
      return browser
    },
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
  return service
}

/** The claims and the key of a correct token; else what is wrong. */
function checkToken(header: string, origin: string): Pick<PushedMessage, 'claims' | 'key'> | string {
  const [, t, k] = /^vapid t=([\w-]+\.[\w-]+\.[\w-]+), ?k=([\w-]+)$/.exec(header) ?? []
  if (t === undefined || k === undefined) return `authorization ${header}`
  const [head, content, signature] = t.split('.') as [string, string, string]
  const parse = (part: string): unknown => JSON.parse(Buffer.from(part, 'base64url').toString())
  if ((parse(head) as { alg: string }).alg !== 'ES256') return 'not ES256'
  const point = Buffer.from(k, 'base64url')
  if (point.byteLength !== 65 || point[0] !== 4) return 'not an uncompressed point'
  const key = createPublicKey({
    format: 'jwk',
    key: {
      kty: 'EC',
      crv: 'P-256',
      x: point.subarray(1, 33).toString('base64url'),
      y: point.subarray(33).toString('base64url'),
    },
  })
  const isSigned = verify(
    'sha256',
    Buffer.from(`${head}.${content}`),
    { key, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  )
  if (!isSigned) return 'signature'
  const claims = parse(content) as PushedMessage['claims']
  const seconds = claims.exp - Date.now() / 1000
  if (!(seconds > 0 && seconds <= 24 * 3600)) return `exp in ${seconds} s`
  if (claims.aud !== origin) return `aud ${claims.aud}`
  if (!/^(mailto:|https:\/\/)/.test(claims.sub)) return `sub ${claims.sub}`
  return { claims, key: k }
}

/** One record of `aes128gcm` (RFC 8188) with the keys of RFC 8291. Throws where it is not intact. */
function decrypt(body: Buffer, { ecdh, auth }: Browser): string {
  const salt = body.subarray(0, 16)
  const recordSize = body.readUInt32BE(16)
  const senderEnd = 21 + body.readUInt8(20)
  const sender = body.subarray(21, senderEnd)
  const record = body.subarray(senderEnd)
  if (record.byteLength > recordSize) throw new Error('more than one record')
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), ecdh.getPublicKey(), sender])
  const derive = (key: Uint8Array, by: Uint8Array, text: Uint8Array, bytes: number): Buffer =>
    Buffer.from(hkdfSync('sha256', key, by, text, bytes))
  const input = derive(ecdh.computeSecret(sender), Buffer.from(auth, 'base64url'), info, 32)
  const decipher = createDecipheriv(
    'aes-128-gcm',
    derive(input, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16),
    derive(input, salt, Buffer.from('Content-Encoding: nonce\0'), 12),
  )
  decipher.setAuthTag(record.subarray(-16))
  const plain = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()])
  const end = plain.lastIndexOf(2)
  if (end < 0 || plain.subarray(end + 1).some((byte) => byte !== 0)) throw new Error('delimiter')
  return plain.subarray(0, end).toString()
}
