import { chmodSync, rmSync } from 'node:fs'
import { mkdir, rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { connectToUrl } from '../postgres/connections/connectToUrl.ts'
import { withLockedData } from '../postgres/server/dataLock.ts'
import { loadPasswords } from '../postgres/server/passwords.ts'
import { listDifferences } from '../storage/bytes/compareRowsAndFiles.ts'
import { findLeftovers } from './checkLeftovers.ts'
import { readPermissions } from './checkPermissions.ts'
import { limitDetails, type LocalFinding } from './LocalFinding.ts'

/** A change that is safe at any time and does nothing when it is made again. */
export interface Repair {
  /** What it does, in full sentences. */
  text: string
  details: string[]
  /** Throws StartError where it is impossible now. */
  run(): Promise<void>
}

/** Files that were written a moment ago may belong to an upload whose row does not exist yet. */
const minAgeMs = 24 * 3_600_000

/**
 * The repairs for these findings.
 * @param o.dbUrl of the running server; null if there is none
 */
export function planRepairs(
  findings: readonly LocalFinding[],
  o: { dataDir: string; dbUrl: string | null },
): Repair[] {
  const codes = new Set(findings.map(({ code }) => code))
  return [
    ...(codes.has('permissions.secrets_readable') ? [restrictModes(o.dataDir)] : []),
    ...(codes.has('leftovers.found') ? [removeLeftovers(o.dataDir)] : []),
    ...(codes.has('broadcasts.no_partition') && o.dbUrl !== null
      ? [createPartitions(o.dataDir, o.dbUrl)]
      : []),
    ...(codes.has('storage.without_row') && o.dbUrl !== null ? [moveFiles(o.dataDir, o.dbUrl)] : []),
  ]
}

function restrictModes(dataDir: string): Repair {
  const { readable } = readPermissions(dataDir)
  return {
    text: 'Files that only Linnet may read get a mode that excludes other users.',
    details: limitDetails(readable.map(({ path, mode }) => `chmod ${mode} ${path}`)),
    async run() {
      for (const { path, mode } of readable) chmodSync(path, Number.parseInt(mode, 8))
    },
  }
}

function removeLeftovers(dataDir: string): Repair {
  return {
    text: 'Files and folders that interrupted work has left behind are removed.',
    details: limitDetails(findLeftovers(dataDir).map(({ path }) => path)),
    async run() {
      // The lock prevents a start meanwhile. It replaces the lock of a killed server, and its release removes the file.
      await withLockedData(dataDir, async () => {
        for (const { path } of findLeftovers(dataDir))
          if (path !== join(dataDir, 'linnet.lock')) rmSync(path, { recursive: true, force: true })
      })
    },
  }
}

function createPartitions(dataDir: string, dbUrl: string): Repair {
  return {
    text: 'The missing partitions of realtime.messages are created.',
    details: [],
    async run() {
      const user = 'supabase_realtime_admin'
      const password = encodeURIComponent(loadPasswords(dataDir, false)[user])
      const url = dbUrl.replace(/^postgresql:\/\/[^@]*@/, `postgresql://${user}:${password}@`)
      const client = await connectToUrl(url, 'linnet doctor')
      await client.query('select realtime.maintain_partitions()').finally(() => client.end())
    },
  }
}

function moveFiles(dataDir: string, dbUrl: string): Repair {
  const target = join(dataDir, 'unreferenced-files', new Date().toISOString().slice(0, 10))
  return {
    text: `Files without a row in the database that are older than a day are moved to ${target}.`,
    details: [],
    async run() {
      const storage = join(dataDir, 'storage')
      const client = await connectToUrl(dbUrl, 'linnet doctor')
      try {
        const { withoutRow } = await listDifferences(storage, async () => {
          const { rows } = await client.query<{ version: string | null }>(
            'select version from storage.objects',
          )
          return rows.map((row) => row.version)
        })
        if (withoutRow.length > 0) await mkdir(target, { recursive: true, mode: 0o700 })
        for (const name of withoutRow) {
          const path = join(storage, 'objects', name.slice(0, 2), name)
          if (Date.now() - (await stat(path)).mtimeMs > minAgeMs) await rename(path, join(target, name))
        }
      } finally {
        await client.end()
      }
    },
  }
}
