import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { isLockedBy } from '../postgres/server/dataLock.ts'
import { replaceFileSync } from '../runtime/durableFiles.ts'

/** A running server as other processes see it: the output of `start --json`, and the file that `status` and `stop` read. */
export interface RunningServer {
  url: string
  /** The URL at which other machines of the network reach a server without a public address; null if they do not. */
  networkUrl: string | null
  anonKey: string
  publishableKey: string
  serviceRoleKey: string
  secretKey: string
  jwtSecret: string
  /** Connection string, through TCP if the server was started with a port for it, else through the Unix socket. */
  dbUrl: string
  /** URL of the mailbox; null if emails are sent by SMTP. */
  mailbox: string | null
  /** URL of the administration page, which opens on this machine only. */
  dashboard: string
  /** URL of the metrics as Prometheus text, for this machine only. */
  metrics: string
  /** Null once the workspace is set up, and for another project's schema. */
  setupUrl: string | null
  /** The version of Linnet. */
  version: string
  pids: { server: number; db: number }
}

const fileOf = (dataDir: string): string => join(dataDir, 'running.json')

/** The file contains keys, hence mode 0600. */
export function writeRunningServer(dataDir: string, running: RunningServer): void {
  replaceFileSync(fileOf(dataDir), `${JSON.stringify(running, null, 2)}\n`)
}

export function removeRunningServer(dataDir: string): void {
  try {
    rmSync(fileOf(dataDir), { force: true })
  } catch {
    // The file system refuses it. Readers check the lock of the data too.
  }
}

/**
 * The server that runs on a data directory, or null. The file of a killed server remains, and another process may have
 * reused its id: it counts only if that process has the lock of the data.
 */
export function readRunningServer(dataDir: string): RunningServer | null {
  const file = fileOf(dataDir)
  if (!existsSync(file)) return null
  const text = readFileSync(file, 'utf8')
  try {
    const running = JSON.parse(text) as RunningServer
    return isLockedBy(dataDir, running.pids.server) ? running : null
  } catch {
    // The file is damaged. Servers replace it as a whole, so this is not a moment of a start.
    return null
  }
}
