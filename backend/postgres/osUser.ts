import { lstatSync, readFileSync } from 'node:fs'
import { userInfo } from 'node:os'

/** The user that PostgreSQL runs as; uid and gid are set only where we must change to it. */
export interface OsUser {
  name: string
  uid: number
  gid: number
  /** True where the server itself is root, so that PostgreSQL, which refuses root, has to be another. */
  switched: boolean
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
    if (entry.name && !entry.name.startsWith('#') && match(entry)) return { ...entry, switched: true }
  }
  return undefined
}

/**
 * Ourselves, unless we are root: then the owner of existing data, where that is another, else `nobody`.
 * @param dataFolders looked at in order; the first that exists and is not root's decides
 */
export function postgresUser(dataFolders: string[]): OsUser | undefined {
  const uid = process.getuid?.() ?? -1
  if (uid !== 0) return { name: currentName(), uid, gid: process.getgid?.() ?? -1, switched: false }
  for (const folder of dataFolders) {
    const owner = lstatSync(folder, { throwIfNoEntry: false })
    if (owner && owner.uid !== 0) return passwdEntry((entry) => entry.uid === owner.uid)
  }
  return passwdEntry((entry) => entry.name === 'nobody') ?? passwdEntry((entry) => entry.name === 'postgres')
}

function currentName(): string {
  try {
    return userInfo().username
  } catch {
    return ''
  }
}
