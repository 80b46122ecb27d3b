import { accessSync, constants, existsSync, lstatSync } from 'node:fs'
import { join } from 'node:path'
import { findInaccessibleFolder, postgresUser } from '../postgres/server/osUser.ts'
import { StartError } from '../postgres/server/StartError.ts'
import { createLocalFinding, limitDetails, quoteArgument, type LocalFinding } from './LocalFinding.ts'

/** What the permissions of an installation are. */
export interface PermissionFacts {
  dataDir: string
  exists: boolean
  /** Folders and files that this user cannot read or write. */
  inaccessible: string[]
  /** Files with secrets, and PostgreSQL's folder, that other users can read; with the mode that they should have. */
  readable: { path: string; mode: string }[]
  /** Why PostgreSQL could not run on its folder; null if it can. */
  obstacle: string | null
}

/** Files with keys or passwords. Each is created with the mode 0600. */
const secretFiles = ['secrets.json', 'postgres-passwords.json', 'running.json', 'linnet.lock', 'linnet.toml']
const folders = ['storage', 'logs', 'backups']

/** Judges the permissions of an installation. */
export function judgePermissions(facts: PermissionFacts): LocalFinding[] {
  const { dataDir, exists, inaccessible, readable, obstacle } = facts
  if (!exists)
    return [createLocalFinding('permissions.no_installation', {}, { details: [`The folder is ${dataDir}.`] })]
  const findings: LocalFinding[] = []
  if (inaccessible.length > 0 || obstacle !== null) {
    findings.push(
      createLocalFinding(
        'permissions.not_writable',
        { entries: Math.max(1, inaccessible.length) },
        {
          details: [...limitDetails(inaccessible), ...(obstacle === null ? [] : [obstacle])],
          ...(inaccessible.length > 0 && {
            commands: [`sudo chown -R "$(id -un)" ${inaccessible.slice(0, 3).map(quoteArgument).join(' ')}`],
          }),
        },
      ),
    )
  }
  if (readable.length > 0) {
    findings.push(
      createLocalFinding(
        'permissions.secrets_readable',
        { entries: readable.length },
        { details: limitDetails(readable.map(({ path, mode }) => `${path} must have the mode ${mode}.`)) },
      ),
    )
  }
  return findings.length > 0 ? findings : [createLocalFinding('permissions.correct', {})]
}

function isAccessible(path: string, isFolder: boolean): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK | (isFolder ? constants.X_OK : 0))
    return true
  } catch {
    return false
  }
}

/** Why PostgreSQL could not run on its folder, for example because the folder belongs to another user. */
function findObstacle(data: string, dataDir: string): string | null {
  try {
    const user = postgresUser(data, dataDir)
    const folder = findInaccessibleFolder(data, user)
    return folder === null ? null : `PostgreSQL runs as ${user.name}, who cannot enter ${folder}.`
  } catch (error) {
    if (error instanceof StartError) return error.message
    throw error
  }
}

/** Reads the permissions of an installation. It follows no links. */
export function readPermissions(dataDir: string): PermissionFacts {
  const data = join(dataDir, 'postgres')
  const files = secretFiles.map((name) => join(dataDir, name)).filter((path) => existsSync(path))
  if (!existsSync(dataDir)) return { dataDir, exists: false, inaccessible: [], readable: [], obstacle: null }
  const checked = [dataDir, ...folders.map((name) => join(dataDir, name))].filter((path) => existsSync(path))
  const inaccessible = [
    ...checked.filter((path) => !isAccessible(path, true)),
    ...files.filter((path) => !isAccessible(path, false)),
  ]
  const isOpen = (path: string, mask: number): boolean => {
    const stat = lstatSync(path, { throwIfNoEntry: false })
    return stat !== undefined && !stat.isSymbolicLink() && (stat.mode & mask) !== 0
  }
  return {
    dataDir,
    exists:
      checked.some((path) => path !== dataDir) ||
      files.length > 0 ||
      existsSync(data) ||
      inaccessible.length > 0,
    inaccessible,
    readable: [
      ...files.filter((path) => isOpen(path, 0o077)).map((path) => ({ path, mode: '600' })),
      // PostgreSQL does not start with a wider mode than 0750.
      ...(isOpen(data, 0o027) ? [{ path: data, mode: '700' }] : []),
    ],
    obstacle: existsSync(data) ? findObstacle(data, dataDir) : null,
  }
}
