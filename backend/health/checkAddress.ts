import { randomUUID } from 'node:crypto'
import { get as getHttp } from 'node:http'
import { get as getHttps } from 'node:https'
import { isIP } from 'node:net'
import { WebSocket } from 'ws'
import { probeHeader } from '../gateway/createGateway.ts'
import { isLoopbackHost } from '../runtime/clientAddress/isLocalRequest.ts'
import { isPublicAddress } from '../runtime/outbound/isPublicAddress.ts'
import { createLocalFinding, type LocalFinding } from './LocalFinding.ts'

/** What a request of this server to its own public address found. */
export interface AddressFacts {
  url: string
  /** `reached`: this process received the request. `other_server`: another one responded. */
  outcome: 'reached' | 'other_server' | 'unreachable'
  /** Why there was no response, or its status. */
  reason: string
  /** Whether a WebSocket opens. */
  opensWebSocket: boolean
}

/** Sends requests to the public address and recognises those that arrive. */
export interface AddressProbe {
  /** Records a request to `/health` with this value of `probeHeader`. */
  receive(value: string): void
  /** Requests the public address. */
  send(): Promise<AddressFacts>
}

const requestTimeoutMs = 4_000

/** Names that no public DNS server resolves (RFC 6762, RFC 8375, and the names that routers use). */
const privateName = /^[^.]+$|\.(local|lan|home|internal|home\.arpa|test)$/i

/** Whether a certificate authority of the internet cannot reach this host, so that it issues no certificate by ACME. */
function isPrivateHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '')
  return isIP(host) === 0 ? privateName.test(host) : !isPublicAddress(host)
}

/** Judges whether the public address leads to this server. */
export function judgeAddress({ url, outcome, reason, opensWebSocket }: AddressFacts): LocalFinding[] {
  const findings: LocalFinding[] = []
  const { protocol, hostname } = new URL(url)
  const isLocal = isLoopbackHost(hostname)
  if (protocol === 'http:' && !isLocal) {
    const code = isPrivateHost(hostname) ? 'address.private_network' : 'address.unencrypted'
    findings.push(createLocalFinding(code, {}, { details: [`The address is ${url}.`] }))
  }
  const details = [`The address is ${url}.`, ...(reason === '' ? [] : [reason])]
  if (outcome === 'unreachable') findings.push(createLocalFinding('address.unreachable', {}, { details }))
  else if (outcome === 'other_server')
    findings.push(createLocalFinding('address.other_server', {}, { details }))
  else if (!opensWebSocket) findings.push(createLocalFinding('address.no_websocket', {}, { details }))
  else if (isLocal) findings.push(createLocalFinding('address.local', {}))
  else if (findings.length === 0) findings.push(createLocalFinding('address.reached', {}))
  return findings
}

/**
 * Creates the probe of a server. Its requests contain a random value, which only the process that sent it knows: a copy of
 * this installation on another machine has the same keys and could not be distinguished by them. Certificates are not
 * verified here, because another check reports them.
 */
export function createAddressProbe(o: {
  url: () => string
  /** The key of the application. It is public. */
  publishableKey: string
}): AddressProbe {
  const sent = new Map<string, boolean>()
  return {
    receive(value) {
      if (sent.has(value)) sent.set(value, true)
    },
    async send() {
      const url = o.url()
      const value = randomUUID()
      sent.set(value, false)
      try {
        const response = await request(`${url}/health`, value)
        if ('error' in response)
          return { url, outcome: 'unreachable', reason: response.error, opensWebSocket: false }
        if (!sent.get(value))
          return {
            url,
            outcome: 'other_server',
            reason: `The response has the status ${response.status}.`,
            opensWebSocket: false,
          }
        const opensWebSocket = await openWebSocket(
          `${url.replace(/^http/, 'ws')}/realtime/v1/websocket?apikey=${o.publishableKey}&vsn=1.0.0`,
        )
        return { url, outcome: 'reached', reason: '', opensWebSocket }
      } finally {
        sent.delete(value)
      }
    },
  }
}

function request(url: string, value: string): Promise<{ status: number } | { error: string }> {
  const options = {
    headers: { [probeHeader]: value },
    signal: AbortSignal.timeout(requestTimeoutMs),
    agent: false as const,
  }
  return new Promise((resolve) => {
    const sending = url.startsWith('https:')
      ? getHttps(url, { ...options, rejectUnauthorized: false })
      : getHttp(url, options)
    sending.on('error', (error: NodeJS.ErrnoException) =>
      resolve({ error: error.name === 'AbortError' ? 'No response within 4 seconds.' : error.message }),
    )
    sending.on('response', (response) => {
      resolve({ status: response.statusCode ?? 0 })
      response.destroy()
    })
  })
}

function openWebSocket(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = new WebSocket(url, { handshakeTimeout: requestTimeoutMs, rejectUnauthorized: false })
    socket.on('open', () => {
      resolve(true)
      socket.terminate()
    })
    socket.on('error', () => resolve(false))
  })
}
