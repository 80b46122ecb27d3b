import { readFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { createRequire } from 'node:module'
import { Hono, type Context } from 'hono'
import type { Pool } from '../../postgres/connections/pool.ts'
import type { DashboardOptions } from './DashboardOptions.ts'
import { isAuthorized } from './isAuthorized.ts'
import { createLogStreams } from './logs/createLogStreams.ts'
import { toLogFilter } from './logs/logFilter.ts'
import { logoFile, contentSecurityPolicy } from './page/layout.ts'
import { createPages, type PageResponse } from './createPages.ts'
import { createDatabaseReader } from './readDatabase.ts'

export interface Dashboard {
  /** Serves `/<token>/…` to local requests; everything else is 404. */
  app: Hono
  /** Path of the page below the server's URL. */
  path: string
  /** The pool of the dashboard's connections, for metrics. */
  pool: Pool
  /** Ends log streams and database connections. */
  close(): Promise<void>
}

type Bindings = { incoming?: IncomingMessage }

/** The same response for a wrong token, a remote request and an unknown page. */
const notFound = (c: Context): Response => c.text('Not found', 404)

/** Creates the administration page of a backend. It is read-only except for `resetFactors` and `outgoing.resume`. */
export function createDashboard(o: DashboardOptions): Dashboard {
  const database = createDatabaseReader(o.database)
  const streams = createLogStreams(o.tail)
  const path = `/_/${o.token}/`
  const pages = createPages({ ...o, base: `/_/${o.token}`, database })
  const app = new Hono<{ Bindings: Bindings }>()

  app.use(async (c, next) => {
    await next()
    // Only the font is cached, so that pages do not flash in another font.
    const isFont = c.res.headers.get('Content-Type') === 'font/woff2'
    c.header('Cache-Control', isFont ? 'private, max-age=86400' : 'no-store')
    c.header('X-Content-Type-Options', 'nosniff')
    // The token is not sent to other origins, but forms of the page need an Origin header.
    c.header('Referrer-Policy', 'same-origin')
    c.header('Cross-Origin-Resource-Policy', 'same-origin')
    c.header('Cross-Origin-Opener-Policy', 'same-origin')
    c.header('Content-Security-Policy', contentSecurityPolicy)
    // The gateway allows all origins to read the responses of services. This is not one of them.
    c.res.headers.delete('Access-Control-Allow-Origin')
  })
  app.use('/:token/*', async (c, next) => {
    if (!isAuthorized(c.env.incoming, c.req.param('token'), o.token)) return notFound(c)
    await next()
  })
  const respond = async (c: Context, page: Promise<PageResponse | null>): Promise<Response> => {
    const rendered = await page
    return rendered === null ? notFound(c) : c.html(rendered.html, rendered.status)
  }
  // URLs in the page are relative to the trailing slash.
  app.get('/:token', (c) =>
    isAuthorized(c.env.incoming, c.req.param('token'), o.token) ? c.redirect(path) : notFound(c),
  )
  app.get('/:token/logo.svg', (c) => c.body(logoFile, 200, { 'Content-Type': 'image/svg+xml' }))
  app.get('/:token/inter.woff2', async (c) => {
    const font = await readFont()
    return font ? c.body(font, 200, { 'Content-Type': 'font/woff2' }) : notFound(c)
  })
  app.get('/:token/logs/stream', (c) => {
    return streams.open(toLogFilter((name) => c.req.query(name))) ?? c.text('Too many open log streams.', 503)
  })
  app.get('/:token/checks', async (c) => c.json(await o.health({ isFresh: c.req.query('fresh') === 'true' })))
  app.on(['GET', 'POST'], ['/:token/', '/:token/:page'], (c) => {
    const pageRequest = {
      page: c.req.param('page') ?? '',
      query: (name: string) => c.req.query(name) ?? '',
      ip: c.env.incoming?.socket.remoteAddress ?? '',
    }
    return respond(c, c.req.method === 'POST' ? pages.post(pageRequest) : pages.get(pageRequest))
  })
  app.all('*', notFound)

  return {
    app: app as unknown as Hono,
    path,
    pool: database.pool,
    async close() {
      streams.close()
      await database.close()
    },
  }
}

const fontFile = '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2'

/** Reads the font Inter for Latin letters from the application's package; null if it isn't installed. */
async function readFont(): Promise<Uint8Array<ArrayBuffer> | null> {
  try {
    return new Uint8Array(await readFile(createRequire(import.meta.url).resolve(fontFile)))
  } catch {
    return null
  }
}
