import { test as base } from '@playwright/test'
import { appendFileSync, linkSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { uploadDemoFiles } from '../../backend/cli/demo.ts'
import { copyTemplate } from '../../backend/postgres/server/copyTemplate.ts'
import { startServer, temporaryData } from '../support/server.ts'
import { insertCopy, prepareCopies } from './copyDemo.ts'
import { closeEarlierPages, supabaseWithHighLimits, type Demo } from './support.ts'

const root = join(import.meta.dirname, '../..')

/** The demo with each conversation once: a copy takes a sixth of the time of the whole, which has them many times. */
function writeShortSeed(supabase: string): void {
  const seed = readFileSync(join(root, 'supabase/seed.sql'), 'utf8')
  const people = 'update demo_channels set people ='
  writeFileSync(
    join(supabase, 'seed.sql'),
    seed.replace(people, `update demo_channels set goal = 1 where goal is not null;\n${people}`),
  )
  appendFileSync(join(supabase, 'linnet.toml'), '[db.seed]\nenabled = true\n')
}

/** Fills new data with the short demo and what copies of it are made from. */
async function createTemplate(dataDir: string): Promise<void> {
  const folder = temporaryData()
  const supabase = supabaseWithHighLimits(folder.dir)
  writeShortSeed(supabase)
  const server = await startServer({
    root,
    dataDir,
    args: ['--supabase', supabase, '--db-port', '0'],
  })
  await uploadDemoFiles(server, join(root, 'supabase'))
  const db = new Client(server.dbUrl)
  await db.connect()
  // The text of the files is not searched in any copy, and each server would read it again.
  await db.query(`delete from public.jobs; ${prepareCopies}`)
  await db.end()
  await server.end('SIGTERM')
  folder.remove()
}

/** Starts a server on which each journey gets a workspace of its own. */
async function startSharedServer(): Promise<{ createDemo: () => Promise<Demo>; end: () => Promise<void> }> {
  const data = temporaryData()
  await copyTemplate('short-demo', data.dir, createTemplate)
  const folder = temporaryData()
  const server = await startServer({
    root,
    dataDir: data.dir,
    args: ['--app', '--db-port', '0', '--supabase', supabaseWithHighLimits(folder.dir)],
  })
  const db = new Client(server.dbUrl)
  await db.connect()
  const { rows: versions } = await db.query<{ version: string }>('select version from storage.objects')
  const pathOf = (version: string) => join(data.dir, 'storage/objects', version.slice(0, 2), version)
  let copies = 0
  return {
    async createDemo() {
      const ended = await closeEarlierPages()
      copies += 1
      const suffix = copies.toString(16).padStart(12, '0')
      const domain = `harbour${copies}.example`
      await insertCopy(db, suffix, domain)
      for (const { version } of versions) linkSync(pathOf(version), pathOf(version.slice(0, -12) + suffix))
      return { server, domain, end: async () => ended() }
    },
    async end() {
      await db.end()
      await server.end('SIGTERM')
      data.remove()
      folder.remove()
    },
  }
}

/** Journeys that share the server of their worker. `demo` is a workspace of the journey's own. */
export const test = base.extend<{ demo: Demo }, { createDemo: () => Promise<Demo> }>({
  createDemo: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the names of fixtures from the pattern
    async ({}, use) => {
      const shared = await startSharedServer()
      await use(shared.createDemo)
      await shared.end()
    },
    { scope: 'worker' },
  ],
  demo: async ({ createDemo }, use) => {
    const demo = await createDemo()
    await use(demo)
    await demo.end()
  },
})
