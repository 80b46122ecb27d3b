import { describeFindings } from '../../health/renderFindings.ts'
import type { DashboardOptions } from './DashboardOptions.ts'
import { maxInitialLines } from './logs/createLogStreams.ts'
import { toLogFilter } from './logs/logFilter.ts'
import { recentLines } from './logs/recentLines.ts'
import { type Html, renderEmpty, renderName } from './page/components.ts'
import { renderFactors, renderFactorsRemoved } from './page/factorsPage.ts'
import { renderFiles } from './page/filesPage.ts'
import { type EdgeFunction, renderFunctions } from './page/functionsPage.ts'
import { renderJobs } from './page/jobsPage.ts'
import { type PagePath, renderPage } from './page/layout.ts'
import { renderLogs } from './page/logsPage.ts'
import { renderOverview } from './page/overviewPage.ts'
import { renderRoutines } from './page/routinesPage.ts'
import { listSettings } from '../../config/listSettings.ts'
import { renderMigrations, renderSettings } from './page/settingsPages.ts'
import { renderTablePage } from './page/tablePage.ts'
import { renderRows, renderTables } from './page/tablesPage.ts'
import { renderUser, renderUsers, titleOf } from './page/usersPage.ts'
import { readBuckets } from './queries/buckets.ts'
import { readHttpRequests, readJobs, readRuns } from './queries/jobs.ts'
import { listKeys } from './queries/keys.ts'
import { readMigrations } from './queries/migrations.ts'
import { readWarnings } from './queries/readWarnings.ts'
import { readRoutines } from './queries/routines.ts'
import { readDatabaseState, readDisk } from './queries/server.ts'
import { readServerStats } from './queries/stats.ts'
import { readTableDetails } from './queries/tableDetails.ts'
import { countRows, readTables } from './queries/tables.ts'
import { readUser, readUsers } from './queries/users.ts'
import { type DatabaseReader, ReadError, nullOnError } from './readDatabase.ts'

/** A request below the token. */
export interface PageRequest {
  page: string
  /** '' if it is absent. */
  query: (name: string) => string
  /** Address of the client. */
  ip: string
}

export interface PageResponse {
  html: Html
  status: 200 | 503
}

export interface Pages {
  /** Null if there is no such page, table or user. */
  get(request: PageRequest): Promise<PageResponse | null>
  /** Handles a button: show secret keys, count rows, remove second factors, or confirm a restore. */
  post(request: PageRequest): Promise<PageResponse | null>
}

interface Page {
  title: string | Html
  /** Title of the browser tab. */
  name: string
  body: Html
}

const factorsTitle = { title: 'Remove second factors', name: 'Remove second factors' }

type Render = (request: PageRequest) => Promise<Page | null>

/** Reads the data of each page and renders it. If the database fails or is too slow, the page shows a sentence instead. */
export function createPages(o: DashboardOptions & { base: string; database: DatabaseReader }): Pages {
  const { base, database, schemas } = o
  const supabaseDir = o.config.dir
  const project = o.config.at('project_id', 'Linnet') || 'Linnet'

  /** An error in config.toml is shown instead of the page. */
  const listFunctions = (): EdgeFunction[] => {
    try {
      return o.functions()
    } catch (error) {
      throw new ReadError((error as Error).message)
    }
  }

  /** The log is shown even if config.toml is invalid. */
  const functionNames = (): string[] => {
    try {
      return o.functions().map(({ name }) => name)
    } catch {
      return []
    }
  }

  const overview = async (revealed: boolean, isFresh = false): Promise<Page> => {
    const [findings, warnings, facts, disk] = await Promise.all([
      o.health({ isFresh }),
      readWarnings({ database, schemas }),
      nullOnError(readDatabaseState(database)),
      readDisk(o.dataDir),
    ])
    const body = renderOverview({
      base,
      version: o.version,
      keys: listKeys(o.running()),
      revealed,
      findings: describeFindings(findings, { data: o.dataDir }),
      warnings,
      database: facts,
      disk,
      restore: o.outgoing.pending(),
      stats: readServerStats(o),
    })
    return { title: 'Overview', name: 'Overview', body }
  }

  /** Allows one count at a time, as each may read a whole table. */
  let counting = false
  const countOnce = async <T>(count: () => Promise<T>): Promise<T | string> => {
    if (counting) return 'Another count is running.'
    counting = true
    try {
      return await count()
    } catch (error) {
      if (error instanceof ReadError) return error.message
      throw error
    } finally {
      counting = false
    }
  }

  const table = async ({ query }: PageRequest, exactly: boolean): Promise<Page | null> => {
    const only = { schema: query('schema'), name: query('name') }
    const [[facts], details] = await Promise.all([
      readTables(database, { only, counted: true }),
      readTableDetails(database, only),
    ])
    if (!facts) return null
    const countable = facts.kind !== 'view' && facts.kind !== 'foreign table'
    const counted = exactly && countable ? await countOnce(() => countRows(database, facts)) : null
    const body = renderTablePage({
      base,
      table: facts,
      details,
      served: schemas.includes(facts.schema),
      countResult: counted,
    })
    return { title: renderName(`${facts.schema}.${facts.name}`), name: facts.name, body }
  }

  const files = async (exactly: boolean): Promise<Page> => {
    const buckets = exactly
      ? await countOnce(() => readBuckets(database, true))
      : await readBuckets(database, false)
    const body = typeof buckets === 'string' ? renderEmpty(buckets) : renderFiles({ base, buckets })
    return { title: 'Files', name: 'Files', body }
  }

  const getPages: Record<string, Render> = {
    '': () => overview(false),
    async tables({ query }) {
      const tables = await readTables(database, { counted: true })
      const body = renderTables({ base, tables, schemas, search: query('search') })
      return { title: 'Tables', name: 'Tables', body }
    },
    table: (request) => table(request, false),
    async users({ query }) {
      const page = Math.min(Math.max(1, Math.trunc(Number(query('page'))) || 1), 10_000)
      const search = query('search').trim().slice(0, 200)
      const [{ users, hasMore }, [all]] = await Promise.all([
        readUsers(database, { search, page }),
        readTables(database, { only: { schema: 'auth', name: 'users' }, counted: true }),
      ])
      const count = renderRows(all?.rows ?? null)
      return {
        title: 'Users',
        name: 'Users',
        body: renderUsers({ base, users, search, page, hasMore, count }),
      }
    },
    async user({ query }) {
      const user = await readUser(database, query('id'))
      return user && { title: renderName(titleOf(user)), name: titleOf(user), body: renderUser(base, user) }
    },
    async factors({ query }) {
      const user = await readUser(database, query('id'))
      return user && { ...factorsTitle, body: renderFactors(base, user) }
    },
    files: () => files(false),
    async routines({ query }) {
      const routines = await readRoutines(database, schemas)
      const body = renderRoutines({ base, routines, schemas, search: query('search') })
      return { title: 'Database functions', name: 'Database functions', body }
    },
    async functions() {
      const body = renderFunctions({
        base,
        url: o.running().url,
        functions: listFunctions(),
        stats: o.functionStats(),
      })
      return { title: 'Edge functions', name: 'Edge functions', body }
    },
    async jobs() {
      const [jobs, runs, calls] = await Promise.all([
        readJobs(database),
        readRuns(database),
        readHttpRequests(database),
      ])
      return { title: 'Jobs', name: 'Jobs', body: renderJobs(jobs, runs, calls) }
    },
    async logs({ query }) {
      const filter = toLogFilter(query)
      const functions = functionNames()
      const body = renderLogs({
        base,
        filter,
        lines: recentLines(o.tail, filter, maxInitialLines),
        functions,
      })
      return { title: 'Logs', name: 'Logs', body }
    },
    async migrations() {
      const body = renderMigrations(await readMigrations(database, supabaseDir))
      return { title: 'Migrations', name: 'Migrations', body }
    },
    async settings() {
      const { dataDir, config } = o
      return {
        title: 'Settings',
        name: 'Settings',
        body: renderSettings({
          supabaseDir,
          dataDir,
          schemas,
          storesMail: o.running().mailbox !== null,
          settings: listSettings(config, true),
          warnings: config.warnings,
        }),
      }
    },
  }
  const postPages: Record<string, Render> = {
    keys: () => overview(true),
    async restore() {
      try {
        await o.outgoing.resume()
      } catch {
        throw new ReadError('The restore was not confirmed, because the database did not respond. Try again.')
      }
      return overview(false)
    },
    check: () => overview(false, true),
    table: (request) => table(request, true),
    files: () => files(true),
    async factors({ query, ip }) {
      const user = await readUser(database, query('id'))
      const count = user && (await o.resetFactors(user.id, ip))
      return count === null ? null : { ...factorsTitle, body: renderFactorsRemoved(base, user!, count) }
    },
  }
  /** The navigation entry of pages that have none. */
  const entryOf: Record<string, PagePath> = {
    keys: '',
    restore: '',
    check: '',
    table: 'tables',
    user: 'users',
    factors: 'users',
  }

  const respond = async (
    renders: Record<string, Render>,
    request: PageRequest,
  ): Promise<PageResponse | null> => {
    if (!Object.hasOwn(renders, request.page)) return null
    let status: PageResponse['status'] = 200
    let page: Page | null
    try {
      page = await renders[request.page]!(request)
    } catch (error) {
      if (!(error instanceof ReadError)) throw error
      status = 503
      page = { title: 'Not available', name: 'Not available', body: renderEmpty(error.message) }
    }
    if (page === null) return null
    const { mailbox } = o.running()
    const frame = { project, base, mailbox }
    return {
      html: renderPage(frame, { page: entryOf[request.page] ?? (request.page as PagePath), ...page }),
      status,
    }
  }
  return { get: (request) => respond(getPages, request), post: (request) => respond(postPages, request) }
}
