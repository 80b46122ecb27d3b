import { lstatSync, readFileSync, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname } from 'node:path'
import { StartError } from './StartError.ts'

/** The user that PostgreSQL runs as. */
export interface OsUser {
  name: string
  uid: number
  gid: number
  /** True where the server itself is root, so that PostgreSQL, which refuses root, has to be another. */
  isSwitched: boolean
}

/**
 * The current user; for root the owner of existing data where that is another user, else `nobody`.
 * Throws StartError where there is no such user, or the data belong to another one.
 */
export function postgresUser(data: string, dataDir: string): OsUser {
  const uid = process.getuid!()
  const owner = lstatSync(data, { throwIfNoEntry: false })
  if (uid !== 0) {
    if (owner && owner.uid !== uid) {
      throw new StartError(
        `${data} belongs to ${nameOfUser(owner.uid)}. Start Linnet as that user or as root, or choose another folder with --data.`,
      )
    }
    return { name: ownName(uid), uid, gid: process.getgid!(), isSwitched: false }
  }
  for (const stat of [owner, lstatSync(dataDir, { throwIfNoEntry: false })]) {
    const known = stat && stat.uid !== 0 && passwdEntry((entry) => entry.uid === stat.uid)
    if (known) return known
  }
  const user =
    passwdEntry((entry) => entry.name === 'nobody') ?? passwdEntry((entry) => entry.name === 'postgres')
  if (user) return user
  throw new StartError(
    'PostgreSQL refuses to run as root, and there is no user "nobody" to run it as. Start Linnet as another user.',
  )
}

/** PostgreSQL does not start where its user has no name. */
function ownName(uid: number): string {
  try {
    return userInfo().username
  } catch {
    throw new StartError(
      `The user with id ${uid} has no name in /etc/passwd, which PostgreSQL needs. Start Linnet as a user who has one.`,
    )
  }
}

function passwdEntry(match: (entry: { name: string; uid: number }) => boolean): OsUser | undefined {
  let text: string
  try {
    text = readFileSync('/etc/passwd', 'utf8')
  } catch {
    return undefined
  }
  for (const line of text.split('\n')) {
    const [name, , uid, gid] = line.split(':')
    const entry = { name: name ?? '', uid: Number(uid), gid: Number(gid) }
    if (entry.uid > 0 && !entry.name.startsWith('#') && match(entry)) return { ...entry, isSwitched: true }
  }
  return undefined
}

/** The first folder above `path` that the user can't enter; null where all are accessible. */
export function findInaccessibleFolder(path: string, user: OsUser): string | null {
  if (!user.isSwitched) return null
  const above: string[] = []
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    above.unshift(folder)
    if (folder === dirname(folder)) break
  }
  return above.find((folder) => !hasAccess(folder, user, 0o1)) ?? null
}

/**
 * Whether the permissions of a file give a user these rights. Other groups than the user's own are not known.
 * @param rights 4 to read, 2 to write, 1 to enter a folder, and their sums
 */
export function hasAccess(path: string, user: Pick<OsUser, 'uid' | 'gid'>, rights: number): boolean {
  const { mode, uid, gid } = statSync(path)
  const shift = uid === user.uid ? 6 : gid === user.gid ? 3 : 0
  return ((mode >> shift) & rights) === rights
}

/** The name of a user; a description where the user has none. */
export function nameOfUser(uid: number): string {
  if (uid === 0) return 'root'
  return passwdEntry((entry) => entry.uid === uid)?.name ?? `the user with id ${uid}`
}

/** Throws StartError that names the folder which the user can't enter on the way to `path`. */
export function requireReachable(path: string, user: OsUser): void {
  const folder = findInaccessibleFolder(path, user)
  if (folder === null) return
  throw new StartError(
    `PostgreSQL refuses to run as root and so runs as ${user.name}, who can't enter ${folder} to reach ${path}. ` +
      `Give others access ("chmod o+x ${folder}"), or start Linnet as the user who owns that folder, or use another place.`,
  )
}
