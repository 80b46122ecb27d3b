import { readFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { createRequire } from 'node:module'
import type { ClientConfig } from 'pg'
import { Hono, type Context } from 'hono'
import type { Config } from '../../config/loadConfig.ts'
import type { LogTail } from '../../logging/logTail.ts'
import type { Pool } from '../../postgres/connections/pool.ts'
import type { Running } from '../../startup/running.ts'
import { isLetIn } from './isLetIn.ts'
import { createLogStreams } from './logs/createLogStreams.ts'
import { toLogFilter } from './logs/logFilter.ts'
import type { EdgeFunction, FunctionFigures } from './page/functionsPage.ts'
import { birdFile, contentSecurityPolicy } from './page/layout.ts'
import { createPages, type PageAnswer } from './createPages.ts'
import { createDatabaseReader } from './readDatabase.ts'

export interface DashboardOptions {
  /** The random part of its address. */
  token: string
  /** How a role logs in that reads all rows and is no superuser. */
  database: ClientConfig
  tail: LogTail
  /** Linnet's. */
  version: string
  config: Config
  dataDir: string
  /** Schemas that the data API serves. */
  schemas: string[]
  /** Known once the house listens; not asked before. */
  running: () => Running
  /** Requests that were answered since the start. */
  requests: () => { status: string; count: number }[]
  realtime: () => { sockets: number; topics: number; replicating: boolean }
  /** As they are on disk. May throw with a sentence. */
  functions: () => EdgeFunction[]
  functionFigures: () => FunctionFigures
  /** Takes every second step off an account; how many there were, null where there is no such account. */
  takeOffFactors: (userId: string, ip: string) => Promise<number | null>
}

export interface Dashboard {
  /** `/<token>/…` is the page; anything else, from anywhere else, is not found. */
  app: Hono
  /** Of the address, below the house's. */
  path: string
  /** For figures. */
  pool: Pool
  /** Ends what streams, so that nobody waits for it, and the connections. */
  close(): Promise<void>
}

type Bindings = { incoming?: IncomingMessage }

/** The same words for a wrong token, a wrong place and a page that isn't there. */
const closed = (c: Context): Response => c.text('Not found', 404)

/** A page for the owner of a backend, to look at and to copy from. It changes nothing but by `takeOffFactors`. */
export function createDashboard(o: DashboardOptions): Dashboard {
  const database = createDatabaseReader(o.database)
  const streams = createLogStreams(o.tail)
  const path = `/_/${o.token}/`
  const pages = createPages({ ...o, base: `/_/${o.token}`, database })
  const app = new Hono<{ Bindings: Bindings }>()

  app.use(async (c, next) => {
    await next()
    // Letters alone may stay with the browser, so that pages don't change their face as they come.
    const isFont = c.res.headers.get('Content-Type') === 'font/woff2'
    c.header('Cache-Control', isFont ? 'private, max-age=86400' : 'no-store')
    c.header('X-Content-Type-Options', 'nosniff')
    // No other address learns the token. Forms of ours need their origin told.
    c.header('Referrer-Policy', 'same-origin')
    c.header('Cross-Origin-Resource-Policy', 'same-origin')
    c.header('Cross-Origin-Opener-Policy', 'same-origin')
    c.header('Content-Security-Policy', contentSecurityPolicy)
    // The gateway lets every page read what services answer; this is no service.
    c.res.headers.delete('Access-Control-Allow-Origin')
  })
  app.use('/:token/*', async (c, next) => {
    if (!isLetIn(c.env.incoming, c.req.param('token'), o.token)) return closed(c)
    await next()
  })
  const answer = async (c: Context, page: Promise<PageAnswer | null>): Promise<Response> => {
    const made = await page
    return made === null ? closed(c) : c.html(made.html, made.status)
  }
  // Addresses in the page are relative to this slash.
  app.get('/:token', (c) =>
    isLetIn(c.env.incoming, c.req.param('token'), o.token) ? c.redirect(path) : closed(c),
  )
  app.get('/:token/bird.svg', (c) => c.body(birdFile, 200, { 'Content-Type': 'image/svg+xml' }))
  app.get('/:token/inter.woff2', async (c) => {
    const font = await readFont()
    return font ? c.body(font, 200, { 'Content-Type': 'font/woff2' }) : closed(c)
  })
  app.get('/:token/logs/stream', (c) => {
    return (
      streams.open(toLogFilter((name) => c.req.query(name))) ?? c.text('Too many pages follow the log.', 503)
    )
  })
  app.on(['GET', 'POST'], ['/:token/', '/:token/:page'], (c) => {
    const asked = {
      page: c.req.param('page') ?? '',
      query: (name: string) => c.req.query(name) ?? '',
      ip: c.env.incoming?.socket.remoteAddress ?? '',
    }
    return answer(c, c.req.method === 'POST' ? pages.act(asked) : pages.show(asked))
  })
  app.all('*', closed)

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

/** Inter for Latin letters, from the package that the application takes it from; null where it isn't installed. */
async function readFont(): Promise<Uint8Array<ArrayBuffer> | null> {
  try {
    return new Uint8Array(await readFile(createRequire(import.meta.url).resolve(fontFile)))
  } catch {
    return null
  }
}
