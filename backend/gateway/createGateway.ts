import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { getRequestListener } from '@hono/node-server'
import { type Env, Hono } from 'hono'
import type { Caller, ServiceEnv, VerifyToken } from '../../wire/claims.ts'
import { defaultBudgetSettings } from '../budgets/budgetSettings.ts'
import { type Budgets, createBudgets } from '../budgets/createBudgets.ts'
import { clientOf, setClient } from '../runtime/clientAddress/clientOf.ts'
import { createOwnOrigins, type OwnOrigins } from '../runtime/clientAddress/createOwnOrigins.ts'
import { createProxies, type Proxies } from '../runtime/clientAddress/createProxies.ts'
import { networkOf } from '../runtime/clientAddress/parseAddress.ts'
import { createRepeatedWarning } from '../logging/createRepeatedWarning.ts'
import type { Logger } from '../logging/logger.ts'
import { admitRequests, type Admitted, refusalDelayMs, type RequestAdmissionStats } from './admitRequests.ts'
import {
  badRequest,
  functionWebSocketUnsupported,
  noRoute,
  rejectUpgrade,
  sendJson,
  tooManyHeaders,
} from './responses.ts'
import { type Metrics, serveMetrics } from './serveMetrics.ts'
import { allowAnyOrigin, sendPreflight } from './cors.ts'
import { type AppFiles, createAppFiles } from './createAppFiles.ts'
import { type Certificate, createHttpServer, hasTooManyHeaders } from './createHttpServer.ts'
import { type ApiKeys, type GatewayCaller, bearerOf, createKeyring } from './createKeyring.ts'
import { createRequestCounts, type RequestCount } from './createRequestCounts.ts'
import { discoveryPath, isKeyless, isSchemaRoot, schemaForbidden } from './servicePaths.ts'
import { dropUnreadBody } from './dropUnreadBody.ts'
import { ListenError } from './ListenError.ts'
import { isLocalRequest, isLoopbackHost } from '../runtime/clientAddress/isLocalRequest.ts'
import { listenBeside, listenOnPort, type ListeningPort } from './listenOnPort.ts'
import { type OverBudget, overBudgetBody, overBudgetHeaders } from './overBudget.ts'
import { securityHeaders } from './securityHeaders.ts'
import { type ConnectionStats, limitConnections } from './limitConnections.ts'
import { loggedPath } from './loggedPath.ts'
import { watchProxies } from './watchProxies.ts'

export type { ApiKeys }

/** A service's routes, relative to where the gateway mounts them. */
// oxlint-disable-next-line typescript/no-explicit-any -- each service adds bindings of its own
type ServiceApp = Hono<any>

export interface GatewayOptions {
  rest: { app: ServiceApp }
  auth: { app: ServiceApp }
  storage: { app: ServiceApp }
  realtime: {
    app: ServiceApp
    handleUpgrade(incoming: IncomingMessage, socket: Duplex, head: Buffer, caller: Caller): void
  }
  /** Handles requests below `/functions/v1/` completely, including keys, CORS and bodies. */
  functions?: {
    handle(
      incoming: IncomingMessage,
      outgoing: ServerResponse,
      path: string,
      cut: Promise<OverBudget> | null,
    ): void
  }
  /** The settings of the server, for its owners. Mounted at `/server/v1`. */
  serverSettings?: ServiceApp | undefined
  /** The exports of workspaces and the imports into them, for their owners. Mounted at `/server/v1`. */
  moving?: ServiceApp | undefined
  /** The page of mails that were not sent, with its own access control. Mounted at `/mailbox`. */
  mailbox: ServiceApp | null
  /** What commands on this machine request, with its own access control. Mounted at `/_/control`. */
  control?: ServiceApp | undefined
  /** The dashboard of the server's owner, with its own access control. Mounted at `/_`. */
  dashboard?: ServiceApp
  /** The metrics at `/metrics`, for local requests only. */
  metrics?: Metrics
  keys: ApiKeys
  /** Returns the caller of another API key that this installation has signed, else null. */
  verifyKey?: (key: string) => Caller | null
  /**
   * Identifies the user to whose budgets a request is counted. Without it all requests of an address share one
   * budget.
   */
  verifyToken?: VerifyToken
  /** The budgets that callers share; by default those without configuration. */
  budgets?: Budgets
  /** The built application, or null for the services alone. */
  appDir: string | null
  /** The values that the application reads at its start besides its addresses: `{key, installation}`. */
  appConfig: Record<string, unknown>
  /** The public address of this installation; null for the address at which each caller opens it. */
  publicUrl: string | null
  tls: Certificate | null
  /** The proxies whose forwarding headers are trusted; by default the proxies of this machine. */
  proxies?: Proxies
  /** Called with the header by which a server recognises a request to its own public address. */
  onProbe?: (value: string) => void
  log: Logger
}

export interface Gateway {
  /**
   * Opens the port; 0 lets the system choose. Throws ListenError with a sentence for the user.
   * @param lastPort the ports up to this one are tried while the ones before are in use
   * @returns the URL of `host`, and the URL of a loopback address, where requests count as local
   */
  listen(host: string, port: number, lastPort?: number): Promise<{ url: string; localUrl: string }>
  /**
   * Returns the URL at which other machines of the network reach this one, without a public address; null if they do not.
   * The interfaces of a machine change.
   */
  networkUrl(): string | null
  /** Stops accepting requests, waits up to 10 s, or `timeoutMs`, for those in progress, then closes every connection. */
  close(timeoutMs?: number): Promise<void>
  /** Serves new connections with another certificate. Throws on one that can't be used. */
  renewCertificate(certificate: Certificate): void
  /** Returns the numbers of responses. */
  requests(): RequestCount[]
  /** Returns the numbers of requests that were refused or cut off because of their caller's budget. */
  refused(): RequestAdmissionStats
  connections(): ConnectionStats
}

interface AdmittedRequest {
  requestId: string
  path: string
  /** Null for pages of the owner, which are not counted. */
  admission: Admitted | null
}

/** The header of a request to `/health` by which a server recognises its own request. */
export const probeHeader = 'linnet-probe'

/** Milliseconds that a closing server waits for requests in progress. */
const closeTimeoutMs = 10_000

/** The paths of Supabase's services, whether or not the service exists here. */
const servicePath = /^\/[\w-]+\/v\d+(\/|$)/

const serviceRoot = /^\/[\w-]+\/v\d+\/$/

/**
 * Returns the URL for a service. It has no API key, which the service would read as a filter or field. A root has no
 * trailing slash, as Hono mounts '/'.
 */
function serviceUrl(url: string, path: string): string {
  const root = serviceRoot.test(path) ? path.slice(0, -1) : path
  if (!url.includes('apikey=', path.length)) return root + url.slice(path.length)
  const rest = url
    .slice(path.length + 1)
    .split('&')
    .filter((pair) => !pair.startsWith('apikey='))
  return rest.length > 0 ? `${root}?${rest.join('&')}` : root
}

const scriptDestinations = new Set(['script', 'worker', 'sharedworker', 'serviceworker', 'xslt'])

/**
 * Whether a page of the application is about to run the response as a script. Services share their origin with the
 * application, and its policy allows scripts of that origin. An uploaded file must not run as one.
 */
function isLoadedAsScript({ headers }: IncomingMessage): boolean {
  const destination = headers['sec-fetch-dest']
  return (
    destination !== undefined &&
    headers['sec-fetch-site'] === 'same-origin' &&
    scriptDestinations.has(String(destination))
  )
}

const scriptForbidden = { message: 'Responses of services cannot be run as scripts of this site' }

/** Dot segments and backslashes, which `URL` would resolve to another path than the one whose key was checked. */
const ambiguousPath = /\\|\/(?:\.|%2e){1,2}(?:\/|$)/i

const anon: Caller = { role: 'anon', claims: { role: 'anon' }, claimsJson: '{"role":"anon"}' }

const pathOf = (url: string): string => {
  const end = url.indexOf('?')
  return end < 0 ? url : url.slice(0, end)
}

/** Serves the application and all services on one port. It checks API keys, handles CORS and logs requests. */
export function createGateway(o: GatewayOptions): Gateway {
  const keyring = createKeyring(o.keys, o.verifyKey)
  const admitted = new WeakMap<IncomingMessage, GatewayCaller & AdmittedRequest>()
  const budgets = o.budgets ?? createBudgets(defaultBudgetSettings)
  const admission = admitRequests(budgets, o.verifyToken ?? null)
  const upgraded = new Set<Duplex>()
  const requests = createRequestCounts()
  const proxies = o.proxies ?? createProxies([])
  const checkProxies = watchProxies({ proxies, publicUrl: o.publicUrl, tls: o.tls !== null, log: o.log })
  let appFiles: AppFiles | null = null
  let address = o.publicUrl ?? ''
  /** Null with a public address, and until the server listens. */
  let origins: OwnOrigins | null = null
  let listening: Promise<ListeningPort> | null = null
  let closeLocal: (() => Promise<void>) | null = null
  let activeRequests = 0
  let closing = false
  let onIdle: (() => void) | null = null

  const services = new Hono<ServiceEnv & { Bindings: { incoming: IncomingMessage } }>()
  services.use(async (c, next) => {
    const access = admitted.get(c.env.incoming)!
    c.set('apiCaller', access.apiCaller)
    c.set('bearer', access.bearer)
    c.set('requestId', access.requestId)
    if (access.path.startsWith('/auth/')) c.set('origin', origins?.ofRequest(c.env.incoming) ?? null)
    if (!access.admission) return next()
    const { caller, cut, lease, isFlooding } = access.admission
    c.set('callerKey', caller)
    c.set('lease', lease)
    const done = next().then(() => null)
    const reason = await (cut ? Promise.race([done, cut]) : done)
    if (reason) {
      const body = JSON.stringify(overBudgetBody(access.path, reason))
      c.res = new Response(body, { status: reason.status, headers: overBudgetHeaders(access.path, reason) })
    } else if (c.res.status === 429 && isFlooding()) {
      // Delayed, since a flooding caller repeats a refused request at once, and refusals alone would use the CPU.
      await setTimeout(refusalDelayMs, undefined, { ref: false })
    }
  })
  const mount = (path: string, app: Hono<Env> | undefined | null): void => {
    if (app) services.route(path, app)
  }
  mount('/rest/v1', o.rest.app)
  mount('/auth/v1', o.auth.app)
  mount('/storage/v1', o.storage.app)
  mount('/realtime/v1', o.realtime.app)
  mount('/server/v1', o.serverSettings)
  mount('/server/v1', o.moving)
  mount('/mailbox', o.mailbox)
  mount('/_/control', o.control)
  mount('/_', o.dashboard)
  services.notFound((c) => c.json(noRoute.body, 404))
  services.onError((error, c) => {
    o.log.error('gateway.request_failed', {
      requestId: c.get('requestId'),
      path: loggedPath(c.req.path, servicePath.test(c.req.path)),
      reason: error.message,
    })
    return c.json({ message: 'An unexpected error occurred' }, 500)
  })
  const dispatch = getRequestListener(services.fetch)

  const handleService = (
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    path: string,
    id: string,
  ): void => {
    allowAnyOrigin(outgoing)
    // Responses are private and no pages, unless a service overrides these headers.
    outgoing.setHeader('cache-control', 'no-store')
    outgoing.setHeader('content-security-policy', "default-src 'none'; frame-ancestors 'none'; sandbox")
    outgoing.setHeader('x-content-type-options', 'nosniff')
    const bare = path.startsWith('/storage/v1/')
    const hasToken = Boolean(bearerOf(incoming, null, { bare }))
    const access = keyring.authenticate(incoming, {
      keyless: isKeyless(incoming.method ?? '', path, hasToken),
      bare,
    })
    if (incoming.method === 'OPTIONS') {
      const isPreflight = incoming.headers['access-control-request-method'] !== undefined
      if (isPreflight || 'status' in access) return sendPreflight(incoming, outgoing)
    }
    if ('status' in access) return sendJson(outgoing, access.status, access.body)
    if (isSchemaRoot(path) && access.apiCaller.role !== 'service_role' && incoming.method !== 'OPTIONS') {
      return sendJson(outgoing, schemaForbidden.status, schemaForbidden.body)
    }
    if (o.appDir !== null && isLoadedAsScript(incoming)) return sendJson(outgoing, 403, scriptForbidden)
    const { apiCaller, bearer } = access
    const who = { ...apiCaller, network: networkOf(clientOf(incoming).address) }
    admission.admit({ incoming, outgoing, path, who, bearer }, (passed) => {
      admitted.set(incoming, { apiCaller: who, bearer, requestId: id, path, admission: passed })
      incoming.url = serviceUrl(incoming.url!, path)
      void dispatch(incoming, outgoing)
    })
  }

  const handleFunction = (
    functions: NonNullable<GatewayOptions['functions']>,
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    path: string,
  ): void => {
    const who = { ...anon, network: networkOf(clientOf(incoming).address) }
    const bearer = bearerOf(incoming, null)
    admission.admit({ incoming, outgoing, path, who, bearer }, ({ cut }) =>
      functions.handle(incoming, outgoing, incoming.url!, cut),
    )
  }

  const handleOwnerPage = (incoming: IncomingMessage, outgoing: ServerResponse, id: string): void => {
    admitted.set(incoming, {
      apiCaller: anon,
      bearer: null,
      requestId: id,
      path: pathOf(incoming.url!),
      admission: null,
    })
    void dispatch(incoming, outgoing)
  }

  /**
   * The public address. Without one, the application sends requests to the address at which it was opened. On this
   * machine it also receives the address for other devices.
   */
  const describeAddress = (incoming: IncomingMessage): Record<string, string> => {
    const others = isLocalRequest(incoming) ? (o.publicUrl ?? origins?.ofNetwork()) : null
    return { ...(o.publicUrl !== null && { url: o.publicUrl }), ...(others && { networkUrl: others }) }
  }

  const handleApp = async (
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    path: string,
  ): Promise<void> => {
    if (o.metrics && path === '/metrics') return serveMetrics(o.metrics, incoming, outgoing)
    if (path === '/health') {
      const probe = incoming.headers[probeHeader]
      if (typeof probe === 'string') o.onProbe?.(probe)
      return sendJson(outgoing, 200, { status: 'ok' }, { 'cache-control': 'no-store' })
    }
    if (appFiles && path === '/linnet.json') {
      return sendJson(
        outgoing,
        200,
        { ...describeAddress(incoming), ...o.appConfig },
        { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' },
      )
    }
    if (appFiles && (await appFiles.serve(incoming, outgoing, path))) return
    sendJson(outgoing, noRoute.status, noRoute.body, { 'cache-control': 'no-store' })
  }

  const onRequestEnd = (): void => {
    activeRequests--
    if (activeRequests === 0) onIdle?.()
  }

  const onRequest = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    connections.onRequest(incoming.socket)
    const started = performance.now()
    const id = randomUUID()
    const path = pathOf(incoming.url ?? '')
    const isMailbox = path.startsWith('/mailbox/')
    const isDashboard = path.startsWith('/_/')
    const isService = !isDashboard && servicePath.test(path)
    checkProxies(incoming)
    const client = proxies.clientOf(incoming)
    setClient(incoming, client)
    activeRequests++
    outgoing.once('close', () => {
      onRequestEnd()
      const status = outgoing.writableFinished ? outgoing.statusCode : 499
      requests.add(path, status)
      o.log.info('gateway.request', {
        method: incoming.method,
        path: loggedPath(path, isService),
        status,
        ms: Math.round((performance.now() - started) * 10) / 10,
        from: client.address,
        requestId: id,
      })
    })
    dropUnreadBody(incoming, outgoing)
    outgoing.setHeader('sb-request-id', id)
    if (closing) outgoing.setHeader('connection', 'close')
    if (hasTooManyHeaders(incoming)) {
      return sendJson(outgoing, tooManyHeaders.status, tooManyHeaders.body, { connection: 'close' })
    }
    if (!path.startsWith('/') || ambiguousPath.test(path)) {
      return sendJson(outgoing, badRequest.status, badRequest.body)
    }
    if (o.functions && path.startsWith('/functions/v1/')) {
      if (o.appDir !== null && isLoadedAsScript(incoming)) return sendJson(outgoing, 403, scriptForbidden)
      return handleFunction(o.functions, incoming, outgoing, path)
    }
    if (isService) return handleService(incoming, outgoing, path, id)
    const metadataPath = discoveryPath(path)
    if (metadataPath !== null) {
      incoming.url = metadataPath
      return handleService(incoming, outgoing, metadataPath, id)
    }
    if ((isMailbox && o.mailbox) || (isDashboard && (o.dashboard || o.control)))
      return handleOwnerPage(incoming, outgoing, id)
    handleApp(incoming, outgoing, path).catch((error: Error) => {
      o.log.error('gateway.request_failed', { requestId: id, reason: error.message })
      if (outgoing.headersSent) outgoing.destroy()
      else sendJson(outgoing, 500, { message: 'An unexpected error occurred' })
    })
  }

  const onUpgrade = (incoming: IncomingMessage, socket: Duplex, head: Buffer): void => {
    // A reset before another listener is added must not end the process.
    socket.on('error', () => socket.destroy())
    connections.onRequest(incoming.socket)
    upgraded.add(socket)
    socket.once('close', () => upgraded.delete(socket))
    if (hasTooManyHeaders(incoming)) return rejectUpgrade(socket, tooManyHeaders)
    const path = pathOf(incoming.url ?? '')
    if (o.functions && path.startsWith('/functions/v1/'))
      return rejectUpgrade(socket, functionWebSocketUnsupported)
    if (closing || path !== '/realtime/v1/websocket') return rejectUpgrade(socket, noRoute)
    const access = keyring.authenticate(incoming, { keyless: false })
    if ('status' in access) return rejectUpgrade(socket, access)
    const client = proxies.clientOf(incoming)
    setClient(incoming, client)
    const network = networkOf(client.address)
    o.realtime.handleUpgrade(incoming, socket, head, { ...access.apiCaller, network })
  }

  const warnOfTls = createRepeatedWarning(o.log, 'gateway.https_on_http_port')
  const { server, setCertificate } = createHttpServer({
    certificate: o.tls,
    handle: onRequest,
    headTimeoutMs: budgets.settings.headTimeoutMs,
    onTlsHandshake: () => warnOfTls(1, { url: o.publicUrl ?? origins?.ofNetwork() ?? address }),
  })
  // Bodies may be slow but must not stall: this timeout applies to uploads, `watchBodies` to all others.
  server.requestTimeout = 0
  server.timeout = 300_000
  server.on('upgrade', onUpgrade)
  const connections = limitConnections(server, budgets.settings, proxies.isTrusted, budgets.scheduler)

  return {
    requests: requests.all,
    refused: admission.stats,
    connections: connections.stats,
    renewCertificate: setCertificate,
    networkUrl: () => origins?.ofNetwork() ?? null,

    async listen(host, port, lastPort) {
      listening = listenOnPort(server, host, port, lastPort)
      const { address: bound } = await listening.catch((error: NodeJS.ErrnoException) => {
        throw ListenError.from(error, host, port)
      })
      const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host
      const urlOf = (hostname: string): string => `${o.tls ? 'https' : 'http'}://${hostname}:${bound.port}`
      const url = urlOf(name)
      // Commands of this machine are refused at an address that other machines reach too.
      if (!isLoopbackHost(name)) closeLocal = await listenBeside(server, '127.0.0.1', bound.port)
      if (closing) await closeLocal?.()
      address ||= url
      if (o.publicUrl === null)
        origins = createOwnOrigins({ host, port: bound.port, isEncrypted: o.tls !== null })
      if (o.appDir !== null)
        appFiles = createAppFiles(o.appDir, (incoming) =>
          securityHeaders(origins?.ofRequest(incoming) ?? address),
        )
      return { url, localUrl: closeLocal ? urlOf('127.0.0.1') : url }
    },

    async close(timeoutMs = closeTimeoutMs) {
      closing = true
      admission.close()
      // Also where the port is still being opened.
      const stopped = listening?.then(
        (port) => port.close(),
        () => {},
      )
      if (activeRequests > 0) {
        await new Promise<void>((resolve) => {
          const timer = globalThis.setTimeout(resolve, timeoutMs)
          onIdle = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      }
      connections.close()
      const localStopped = closeLocal?.()
      for (const socket of upgraded) socket.destroy()
      server.closeAllConnections()
      await Promise.all([stopped, localStopped])
    },
  }
}
