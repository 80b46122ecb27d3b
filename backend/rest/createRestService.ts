import { Hono } from 'hono'
import type { Context } from 'hono'
import { routePath } from 'hono/route'
import type pg from 'pg'
import type { ServiceEnv, VerifyToken } from '../../wire/claims.ts'
import type { Logger } from '../logging/logger.ts'
import type { Pool } from '../postgres/connections/pool.ts'
import { usualBudgets } from '../budgets/budgetSettings.ts'
import { callerOf } from './caller/callerOf.ts'
import { RestError } from './errors.ts'
import { listenForReloads } from './serving/listenForReloads.ts'
import { loadServed } from './serving/loadServed.ts'
import type { Served } from './serving/loadServed.ts'
import type { Headers } from './parse/parseRequest.ts'
import { Reloader } from './serving/Reloader.ts'
import { databaseError } from './respond/databaseError.ts'
import type { Rendered } from './respond/rendered.ts'
import { inBytes, isHeader, renderHeaders } from './respond/renderHeaders.ts'
import type { RestSettings } from './settings/restSettings.ts'
import { runRequest } from './runRequest.ts'
import { ServerTiming } from './ServerTiming.ts'

export interface RestDeps {
  pool: Pool
  /** For the connection that listens to `NOTIFY pgrst`: the same database, a role that may log in. */
  listen: pg.ClientConfig
  verifyToken: VerifyToken
  /** What the database sets for the service goes above them. */
  settings: RestSettings
  /** What a response may hold; the default of `[budgets]` unless given. */
  maxResponseBytes?: number
  log: Logger
}

export interface RestService {
  app: Hono<ServiceEnv>
  /** Reads the schema anew; resolves when requests see it. */
  reload(): Promise<void>
  close(): Promise<void>
}

/** Answers as PostgREST 16 does, under the path that the app is mounted at. */
export function createRestService({ pool, settings: base, log, ...deps }: RestDeps): RestService {
  const { maxResponseBytes = usualBudgets.maxResponseBytes } = deps
  const reloader = new Reloader<Served>((before) => loadServed({ pool, base, log }, before), log)
  const listening = listenForReloads({
    config: deps.listen,
    log,
    onSchema: () => reloader.wish(),
    onConfig: () => {
      pool.renew()
      reloader.wish()
    },
  })
  const settings = (): RestSettings => reloader.current?.context.settings ?? base
  const answer = async (c: Context<ServiceEnv>): Promise<Response> => {
    let role = 'anon'
    const timing = settings().serverTimingEnabled ? new ServerTiming() : null
    try {
      const caller = await callerOf(c.var, deps.verifyToken)
      role = caller.role
      timing?.end('jwt')
      const served = reloader.current ?? (await reloader.get())
      const incoming = {
        ...served,
        caller,
        raw: c.req.raw,
        timing,
        maxResponseBytes,
        lease: c.get('lease'),
        ...locate(c),
      }
      return render(c, withTiming(await runRequest(served.context, incoming), timing))
    } catch (error) {
      return renderError(c, refusalFor(error, role, c, log), settings().clientErrorVerbosity)
    }
  }
  const app = new Hono<ServiceEnv>()
  app.all('/*', async (c) => {
    const response = await answer(c)
    const { serverTraceHeader } = settings()
    if (serverTraceHeader) {
      response.headers.set(serverTraceHeader, c.req.header(serverTraceHeader) ?? '')
    }
    return response
  })
  return {
    app,
    async reload() {
      // What is read before we listen would have to be read again.
      await listening.firstAttempt
      await reloader.reload()
    },
    async close() {
      await listening.close()
      await reloader.close()
    },
  }
}

function withTiming(rendered: Rendered, timing: ServerTiming | null): Rendered {
  if (!timing) return rendered
  timing.end('response')
  return { ...rendered, headers: { ...rendered.headers, 'Server-Timing': timing.render() } }
}

/** Path and query below the mount, still percent-encoded, and the headers as node has them. */
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

/** What can't be said in the contract's words is logged, and answered without a word of its inside. */
function refusalFor(error: unknown, role: string, c: Context<ServiceEnv>, log: Logger): RestError {
  if (error instanceof RestError) return error
  const known = databaseError(error, role === 'anon')
  if (known) return known
  if (c.req.raw.signal.aborted)
    return new RestError(499, { code: 'PGRST001', message: 'The client has left.' })
  log.error('rest request failed', {
    requestId: c.get('requestId'),
    error: (error as Error)?.stack ?? String(error),
  })
  return new RestError(500, { code: 'PGRSTX00', message: 'Internal error' })
}

/** Statuses that have no body (RFC 9110); SQL may choose any status, also over an answer that has one. */
const BODYLESS = new Set([204, 205, 304])

function render(c: Context<ServiceEnv>, { status, statusText, headers, body }: Rendered): Response {
  const outgoing = (c.env as { outgoing?: { statusMessage: string } } | undefined)?.outgoing
  // Response has a statusText too, but the listener doesn't write it.
  if (statusText !== undefined && outgoing) outgoing.statusMessage = inBytes(statusText)
  const hasBody = !BODYLESS.has(status)
  // Without its length node would send an empty body in chunks.
  const isEmpty = hasBody && !body && c.req.method !== 'HEAD'
  const sent = renderHeaders(isEmpty ? { 'Content-Length': '0', ...headers } : headers)
  // Node joins the head to a body of text and writes both as UTF-8, which would encode the head's bytes again.
  const isInBytes = sent instanceof Headers || statusText !== undefined
  const content = isInBytes && typeof body === 'string' ? Buffer.from(body) : body
  return new Response(hasBody ? content : null, { status, headers: sent })
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
      // SQL may raise any code.
      ...(isHeader('Proxy-Status', code) ? { 'Proxy-Status': `PostgREST; error=${code}` } : {}),
      ...(status === 429 || status === 503 || status === 504 ? { 'Retry-After': '1' } : {}),
      ...headers,
    },
  })
}
