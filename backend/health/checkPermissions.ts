import { accessSync, constants, existsSync, lstatSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { findInaccessibleFolder, hasAccess, nameOfUser, postgresUser } from '../postgres/server/osUser.ts'
import { StartError } from '../postgres/server/StartError.ts'
import { readRunningServer } from '../startup/runningServer.ts'
import { quoteArgument } from '../runtime/quoteArgument.ts'
import { createLocalFinding, limitDetails, type LocalFinding } from './LocalFinding.ts'

/** What the permissions of an installation are. */
export interface PermissionFacts {
  dataDir: string
  exists: boolean
  /** The user that the server runs as. */
  serverUser: string
  /** The user that runs this check. */
  currentUser: string
  /** Folders and files that the user of the server cannot read or write, or that the current user cannot. */
  inaccessible: string[]
  /** Files with secrets, and PostgreSQL's folder, that other users can read; with the mode that they should have. */
  readable: { path: string; mode: string }[]
  /** Why PostgreSQL could not run on its folder; null if it can. */
  obstacle: string | null
}

/** Files with keys or passwords. Each is created with the mode 0600. */
const secretFiles = [
  'secrets.json',
  'postgres-passwords.json',
  'running.json',
  'linnet.lock',
  'linnet.toml',
  'settings.json',
  'tls/account.json',
  'tls/certificate.pem',
]
const folders = ['storage', 'logs', 'backups']

/** Judges the permissions of an installation. */
export function judgePermissions(facts: PermissionFacts): LocalFinding[] {
  const { dataDir, exists, inaccessible, readable, obstacle, serverUser, currentUser } = facts
  // Another ordinary user cannot see whether the server can use its files, and must not get them.
  const isOtherUser = ![serverUser, 'root'].includes(currentUser) && serverUser !== 'root'
  if (!exists)
    return [createLocalFinding('permissions.no_installation', {}, { details: [`The folder is ${dataDir}.`] })]
  const findings: LocalFinding[] = []
  if (inaccessible.length > 0 || obstacle !== null) {
    findings.push(
      createLocalFinding(
        'permissions.not_writable',
        { entries: Math.max(1, inaccessible.length) },
        {
          details: [
            ...limitDetails(inaccessible),
            ...(obstacle === null ? [] : [obstacle]),
            ...(isOtherUser
              ? [`Linnet runs as ${serverUser}. Run this command as ${serverUser} or as root.`]
              : []),
          ],
          ...(inaccessible.length > 0 && !isOtherUser && { commands: [chownCommand(facts)] }),
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

/** Gives the files to the user of the server. Files of root go to the person who runs Linnet without root. */
function chownCommand({ inaccessible, serverUser, currentUser }: PermissionFacts): string {
  const [sudo, user] = currentUser === 'root' ? ['', serverUser] : ['sudo ', currentUser]
  return `${sudo}chown -R ${quoteArgument(user)} ${inaccessible.slice(0, 3).map(quoteArgument).join(' ')}`
}

/** @param serverUid the user for whom root checks, since root has access to everything */
function isAccessible(path: string, isFolder: boolean, serverUid: number): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK | (isFolder ? constants.X_OK : 0))
    if (process.getuid!() !== 0 || serverUid === 0) return true
    return hasAccess(path, { uid: serverUid, gid: -1 }, isFolder ? 0o7 : 0o6)
  } catch {
    return false
  }
}

/** The id of the user of the running server; else of the owner of the data folder, who starts it. */
function findServerUid(dataDir: string): number {
  try {
    const running = readRunningServer(dataDir)
    if (running !== null) return statSync(`/proc/${running.pids.server}`).uid
  } catch {
    // The system has no /proc, or this user cannot read the file of the running server.
  }
  return statSync(dataDir).uid
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
  const currentUser = nameOfUser(process.getuid!())
  if (!existsSync(dataDir)) {
    const facts = { inaccessible: [], readable: [], obstacle: null }
    return { dataDir, exists: false, serverUser: currentUser, currentUser, ...facts }
  }
  const serverUid = findServerUid(dataDir)
  const checked = [dataDir, ...folders.map((name) => join(dataDir, name))].filter((path) => existsSync(path))
  const inaccessible = [
    ...checked.filter((path) => !isAccessible(path, true, serverUid)),
    ...files.filter((path) => !isAccessible(path, false, serverUid)),
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
    serverUser: nameOfUser(serverUid),
    currentUser,
    inaccessible,
    readable: [
      ...files.filter((path) => isOpen(path, 0o077)).map((path) => ({ path, mode: '600' })),
      // PostgreSQL does not start with a wider mode than 0750.
      ...(isOpen(data, 0o027) ? [{ path: data, mode: '700' }] : []),
    ],
    obstacle: existsSync(data) ? findObstacle(data, dataDir) : null,
  }
}
