import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isLockedBy } from '../postgres/server/dataLock.ts'

/** What a started server tells other processes: the line of `--json`, and what `status` and `stop` read. */
export interface Running {
  url: string
  anonKey: string
  publishableKey: string
  serviceRoleKey: string
  secretKey: string
  jwtSecret: string
  /** For psql, when a TCP port was asked for; else by the socket. */
  dbUrl: string
  /** Null where mail goes out by SMTP. */
  mailbox: string | null
  /** The owner's page, which opens at this machine alone. */
  dashboard: string
  /** Figures as Prometheus text, for this machine alone. */
  metrics: string
  /** Null once the workspace is founded, and for a foreign schema. */
  setupUrl: string | null
  pids: { server: number; db: number }
}

const fileOf = (dataDir: string): string => join(dataDir, 'running.json')

/** Holds keys, so mode 0600. */
export function writeRunning(dataDir: string, running: Running): void {
  const file = fileOf(dataDir)
  writeFileSync(`${file}.new`, `${JSON.stringify(running, null, 2)}\n`, { mode: 0o600 })
  renameSync(`${file}.new`, file)
}

export function removeRunning(dataDir: string): void {
  rmSync(fileOf(dataDir), { force: true })
}

/**
 * The server that runs on these data, or null. The file of a killed server stays, and another process may have its id
 * by now: only the one that holds the lock of the data counts.
 */
export function readRunning(dataDir: string): Running | null {
  const file = fileOf(dataDir)
  if (!existsSync(file)) return null
  const running = JSON.parse(readFileSync(file, 'utf8')) as Running
  return isLockedBy(dataDir, running.pids.server) ? running : null
}
