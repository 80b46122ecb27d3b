import { readBuckets } from './facts/buckets.ts'
import { readCalls, readJobs, readRuns } from './facts/jobs.ts'
import { readMigrations } from './facts/migrations.ts'
import { readRoutines } from './facts/routines.ts'
import { readDatabaseFacts, readDisk } from './facts/server.ts'
import { readTableDetails } from './facts/tableDetails.ts'
import { countRows, readTables } from './facts/tables.ts'
import { readUser, readUsers } from './facts/users.ts'
import { readWarnings } from './facts/readWarnings.ts'
import type { DashboardOptions } from './createDashboard.ts'
import { toLogFilter } from './logs/logFilter.ts'
import { mostShown } from './logs/createLogStreams.ts'
import { recentLines } from './logs/recentLines.ts'
import { renderFactors, renderTakenOff } from './page/factorsPage.ts'
import { renderFiles } from './page/filesPage.ts'
import { renderFunctions, type EdgeFunction } from './page/functionsPage.ts'
import { renderJobs } from './page/jobsPage.ts'
import { renderPage, type PagePath } from './page/layout.ts'
import { renderLogs } from './page/logsPage.ts'
import { renderOverview } from './page/overviewPage.ts'
import { renderEmpty, renderName, type Html } from './page/parts.ts'
import { renderRoutines } from './page/routinesPage.ts'
import { renderMigrations, renderSettings } from './page/settingsPages.ts'
import { renderTablePage } from './page/tablePage.ts'
import { renderRows, renderTables } from './page/tablesPage.ts'
import { renderUser, renderUsers, titleOf } from './page/usersPage.ts'
import { listKeys } from './facts/keys.ts'
import { readFigures } from './facts/figures.ts'
import { orNull, Unread, type DatabaseReader } from './readDatabase.ts'

/** What was asked for, below the token. */
export interface Asked {
  page: string
  /** '' where it isn't there. */
  query: (name: string) => string
  /** Of whoever asks. */
  ip: string
}

export interface PageAnswer {
  html: Html
  status: 200 | 503
}

export interface Pages {
  /** Null where there is no such page, table or user. */
  show(asked: Asked): Promise<PageAnswer | null>
  /** What the owner asked for with a button: secret keys, a count, or second steps off an account. */
  act(asked: Asked): Promise<PageAnswer | null>
}

interface Page {
  title: string | Html
  /** For the tab. */
  name: string
  body: Html
}

const factorsTitle = { title: 'Take off second steps', name: 'Take off second steps' }

type Render = (asked: Asked) => Promise<Page | null>

/** Each page: read, then render. What the database doesn't tell in time is a sentence in its place. */
export function createPages(o: DashboardOptions & { base: string; database: DatabaseReader }): Pages {
  const { base, database, schemas } = o
  const supabaseDir = o.config.dir
  const project = o.config.at('project_id', 'Linnet') || 'Linnet'

  /** What is wrong with config.toml is said as a sentence in the page's place. */
  const listFunctions = (): EdgeFunction[] => {
    try {
      return o.functions()
    } catch (error) {
      throw new Unread((error as Error).message)
    }
  }

  /** The log stands whatever config.toml says. */
  const namesOfFunctions = (): string[] => {
    try {
      return o.functions().map(({ name }) => name)
    } catch {
      return []
    }
  }

  const overview = async (revealed: boolean): Promise<Page> => {
    const [warnings, facts, disk] = await Promise.all([
      readWarnings({ ...o, supabaseDir }),
      orNull(readDatabaseFacts(database)),
      readDisk(o.dataDir),
    ])
    const body = renderOverview({
      base,
      version: o.version,
      keys: listKeys(o.running()),
      revealed,
      warnings,
      database: facts,
      disk,
      figures: readFigures(o),
    })
    return { title: 'Overview', name: 'Overview', body }
  }

  /** One count at a time: each may read a whole table. */
  let counting = false
  const countOnce = async <T>(count: () => Promise<T>): Promise<T | string> => {
    if (counting) return 'Another count is under way.'
    counting = true
    try {
      return await count()
    } catch (error) {
      if (error instanceof Unread) return error.message
      throw error
    } finally {
      counting = false
    }
  }

  const table = async ({ query }: Asked, exactly: boolean): Promise<Page | null> => {
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
      counted,
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

  const shown: Record<string, Render> = {
    '': () => overview(false),
    async tables({ query }) {
      const tables = await readTables(database, { counted: true })
      const body = renderTables({ base, tables, schemas, search: query('search') })
      return { title: 'Tables', name: 'Tables', body }
    },
    table: (asked) => table(asked, false),
    async users({ query }) {
      const page = Math.min(Math.max(1, Math.trunc(Number(query('page'))) || 1), 10_000)
      const search = query('search').trim().slice(0, 200)
      const [{ users, more }, [all]] = await Promise.all([
        readUsers(database, { search, page }),
        readTables(database, { only: { schema: 'auth', name: 'users' }, counted: true }),
      ])
      const count = renderRows(all?.rows ?? null)
      return { title: 'Users', name: 'Users', body: renderUsers({ base, users, search, page, more, count }) }
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
        figures: o.functionFigures(),
      })
      return { title: 'Edge functions', name: 'Edge functions', body }
    },
    async jobs() {
      const [jobs, runs, calls] = await Promise.all([
        readJobs(database),
        readRuns(database),
        readCalls(database),
      ])
      return { title: 'Jobs', name: 'Jobs', body: renderJobs(jobs, runs, calls) }
    },
    async logs({ query }) {
      const filter = toLogFilter(query)
      const functions = namesOfFunctions()
      const body = renderLogs({ base, filter, lines: recentLines(o.tail, filter, mostShown), functions })
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
          keepsMail: o.running().mailbox !== null,
          remarks: config.remarks,
        }),
      }
    },
  }
  const acted: Record<string, Render> = {
    keys: () => overview(true),
    table: (asked) => table(asked, true),
    files: () => files(true),
    async factors({ query, ip }) {
      const user = await readUser(database, query('id'))
      const count = user && (await o.takeOffFactors(user.id, ip))
      return count === null ? null : { ...factorsTitle, body: renderTakenOff(base, user!, count) }
    },
  }
  /** Which entry of the list a page stands under. */
  const entryOf: Record<string, PagePath> = { keys: '', table: 'tables', user: 'users', factors: 'users' }

  const answer = async (renders: Record<string, Render>, asked: Asked): Promise<PageAnswer | null> => {
    if (!Object.hasOwn(renders, asked.page)) return null
    let status: PageAnswer['status'] = 200
    let page: Page | null
    try {
      page = await renders[asked.page]!(asked)
    } catch (error) {
      if (!(error instanceof Unread)) throw error
      status = 503
      page = { title: 'Not now', name: 'Not now', body: renderEmpty(error.message) }
    }
    if (page === null) return null
    const { mailbox } = o.running()
    const frame = { project, base, mailbox }
    return {
      html: renderPage(frame, { page: entryOf[asked.page] ?? (asked.page as PagePath), ...page }),
      status,
    }
  }
  return { show: (asked) => answer(shown, asked), act: (asked) => answer(acted, asked) }
}
