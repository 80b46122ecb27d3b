import type { ServerResponse } from 'node:http'
import type pg from 'pg'
import { Hono, type Context } from 'hono'
import { routePath } from 'hono/route'
import type { ServiceEnv, VerifyToken } from '../../wire/claims.ts'
import type { Logger } from '../logging/logger.ts'
import type { CancelSignal, Pool } from '../postgres/connections/pool.ts'
import type { DescribeSchema } from './RestContext.ts'
import { createDisconnectSignal } from './createDisconnectSignal.ts'
import { ServerTiming } from './ServerTiming.ts'
import { resolveCaller } from './caller/resolveCaller.ts'
import { RestError } from './errors.ts'
import type { Headers } from './parse/parseRequest.ts'
import { Reloader } from './reload/Reloader.ts'
import { listenForReloads } from './reload/listenForReloads.ts'
import { loadSnapshot, type Snapshot } from './reload/loadSnapshot.ts'
import { compressBody } from './respond/compressBody.ts'
import { databaseError } from './respond/databaseError.ts'
import { encodeHeader, isValidHeader, renderHeaders } from './respond/renderHeaders.ts'
import type { RestResponse } from './respond/restResponse.ts'
import { runRequest } from './runRequest.ts'
import type { RestSettings } from './settings/restSettings.ts'

export interface RestDeps {
  pool: Pool
  /** The login for the connection that listens to `NOTIFY pgrst` in the same database. */
  listen: pg.ClientConfig
  verifyToken: VerifyToken
  /** Settings of the configuration; settings in the database override them. */
  settings: RestSettings
  /** Serves the root path, such as with OpenAPI. */
  describeSchema?: DescribeSchema
  log: Logger
}

export interface RestService {
  app: Hono<ServiceEnv>
  /** Reloads the schema. Resolves when requests use it. */
  reload(): Promise<void>
  close(): Promise<void>
}

/** Serves the API of PostgREST 16 under the path at which the app is mounted. */
export function createRestService({ pool, settings: base, log, ...deps }: RestDeps): RestService {
  const reloader = new Reloader<Snapshot>((before) => loadSnapshot({ pool, base, log }, before), log)
  const listening = listenForReloads({
    config: deps.listen,
    log,
    onSchema: () => reloader.requestReload(),
    onConfig: () => {
      pool.renew()
      reloader.requestReload()
    },
  })
  const settings = (): RestSettings => reloader.current?.context.settings ?? base
  const respond = async (c: Context<ServiceEnv>): Promise<Response> => {
    let role = 'anon'
    const timing = settings().serverTimingEnabled ? new ServerTiming() : null
    try {
      const caller = await resolveCaller(c.var, deps.verifyToken)
      role = caller.role
      timing?.end('jwt')
      const snapshot = reloader.current ?? (await reloader.get())
      const incoming = {
        ...snapshot,
        caller,
        raw: c.req.raw,
        signal: signalOf(c),
        timing,
        describeSchema: deps.describeSchema,
        lease: c.get('lease'),
        ...locate(c),
      }
      const result = withTiming(await runRequest(snapshot.context, incoming), timing)
      return render(c, await compressBody(result, incoming.headers['accept-encoding']?.toString()))
    } catch (error) {
      return renderError(c, toRestError(error, role, c, log), settings().clientErrorVerbosity)
    }
  }
  const app = new Hono<ServiceEnv>()
  app.all('/*', async (c) => {
    const response = await respond(c)
    const { serverTraceHeader } = settings()
    if (serverTraceHeader) {
      response.headers.set(serverTraceHeader, c.req.header(serverTraceHeader) ?? '')
    }
    return response
  })
  return {
    app,
    async reload() {
      // A schema read before listening would have to be reloaded.
      await listening.firstAttempt
      await reloader.reload()
    },
    async close() {
      await listening.close()
      await reloader.close()
    },
  }
}

function withTiming(rendered: RestResponse, timing: ServerTiming | null): RestResponse {
  if (!timing) return rendered
  timing.end('response')
  return { ...rendered, headers: { ...rendered.headers, 'Server-Timing': timing.render() } }
}

/** Returns path and query below the mount point, percent-encoded, and Node's headers. */
function locate(c: Context<ServiceEnv>): { path: string; search: string; headers: Headers } {
  const { url } = c.req
  const start = url.indexOf('/', url.indexOf('//') + 2)
  const mark = url.indexOf('?', start)
  const end = mark < 0 ? url.length : mark
  const base = routePath(c).replace(/\/?\*$/, '')
  const path = start < 0 ? '/' : url.slice(start + base.length, end)
  const node = (c.env as { incoming?: { headers: Headers } } | undefined)?.incoming
  const headers = node?.headers ?? (Object.fromEntries(c.req.raw.headers) as Headers)
  return { path: path === '' ? '/' : path, search: mark < 0 ? '' : url.slice(mark + 1), headers }
}

function signalOf(c: Context<ServiceEnv>): CancelSignal {
  const { outgoing } = (c.env ?? {}) as { outgoing?: ServerResponse }
  return outgoing ? createDisconnectSignal(outgoing) : c.req.raw.signal
}

/** Converts an error to a response. Unexpected errors are logged, and the response contains no details of them. */
function toRestError(error: unknown, role: string, c: Context<ServiceEnv>, log: Logger): RestError {
  if (error instanceof RestError) return error
  const converted = databaseError(error, role === 'anon')
  if (converted) return converted
  if (c.req.raw.signal.aborted)
    return new RestError(499, { code: 'PGRST001', message: 'The client closed the connection.' })
  log.error('rest.request_failed', {
    requestId: c.get('requestId'),
    reason: (error as Error)?.stack ?? String(error),
  })
  return new RestError(500, { code: 'PGRSTX00', message: 'Internal error' })
}

/** Statuses without a body (RFC 9110). SQL can set any status, also for a response that has a body. */
const BODYLESS = new Set([204, 205, 304])

function render(c: Context<ServiceEnv>, { status, statusText, headers, body }: RestResponse): Response {
  const outgoing = (c.env as { outgoing?: { statusMessage: string } } | undefined)?.outgoing
  // The listener ignores statusText of Response.
  if (statusText !== undefined && outgoing) outgoing.statusMessage = encodeHeader(statusText)
  const hasBody = !BODYLESS.has(status)
  // Without Content-Length Node would send an empty body in chunks.
  const isEmpty = hasBody && !body && c.req.method !== 'HEAD'
  const responseHeaders = renderHeaders(isEmpty ? { 'Content-Length': '0', ...headers } : headers)
  // Node concatenates the head and a string body and writes both as UTF-8, which would encode the head twice.
  const hasEncodedHead = responseHeaders instanceof Headers || statusText !== undefined
  const content = hasEncodedHead && typeof body === 'string' ? Buffer.from(body) : body
  return new Response(hasBody ? content : null, { status, headers: responseHeaders })
}

function renderError(
  c: Context<ServiceEnv>,
  { status, statusText, body, headers }: RestError,
  verbosity: RestSettings['clientErrorVerbosity'],
): Response {
  const { code, message } = body
  return render(c, {
    status,
    ...(statusText === undefined ? {} : { statusText }),
    body: JSON.stringify(verbosity === 'minimal' ? { code, message } : body),
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      // SQL can raise any code.
      ...(isValidHeader('Proxy-Status', code) ? { 'Proxy-Status': `PostgREST; error=${code}` } : {}),
      ...(status === 429 || status === 503 || status === 504 ? { 'Retry-After': '1' } : {}),
      ...headers,
    },
  })
}
