import {
  isObject,
  objectOf,
  objectsOf,
  textOf,
  type Fields,
} from '../../../../supabase/functions/_shared/payloadFields.ts'
import { ExportError } from '../ExportError.ts'
import type { ExportedChannel, ExportedPerson } from '../ExportReader.ts'
import { lineOf } from '../lineOf.ts'
import type { ExportFiles } from '../openExport.ts'
import { readJsonArray } from '../readJsonArray.ts'

export interface SlackChannel extends ExportedChannel {
  pins: SlackPin[]
  /** The day files, in the order of the days. */
  days: string[]
}

export interface SlackPin {
  ts: string
  user: string
  /** In seconds. */
  at: number
}

export interface SlackLists {
  /** The Slack workspace; empty if the export does not name it. */
  team: string
  users: Map<string, ExportedPerson>
  channels: SlackChannel[]
  /** Canvases, which are not imported. */
  canvases: number
  /** Folders with messages of a channel that no list names. */
  unknownFolders: string[]
}

const maxUsers = 200_000
const maxChannels = 50_000
const maxMembers = 50_000
const maxPins = 1_000

/** The lists of people and conversations. Throws ExportError beyond the limits. */
export async function readLists(files: ExportFiles): Promise<SlackLists> {
  const users = new Map<string, ExportedPerson>()
  const teams = new Map<string, number>()
  for await (const fields of readList(files, 'users.json', maxUsers)) {
    const user = readUser(fields)
    if (user === null || users.has(user.key)) continue
    users.set(user.key, user)
    const team = textOf(fields['team_id'])
    if (team !== '') teams.set(team, (teams.get(team) ?? 0) + 1)
  }
  const channels = new Map<string, SlackChannel>()
  const days = listDays(files)
  for (const [file, kind] of lists) {
    for await (const fields of readList(files, file, maxChannels)) {
      const channel = readChannel(fields, kind, days)
      if (channel !== null && !channels.has(channel.key)) channels.set(channel.key, channel)
    }
  }
  let canvases = 0
  for await (const _ of readList(files, 'canvases.json', maxUsers)) canvases++
  return {
    // Most people of a shared channel are of this workspace.
    team: Array.from(teams).sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))[0]?.[0] ?? '',
    users,
    channels: Array.from(channels.values()),
    canvases,
    unknownFolders: Array.from(days.keys()).sort(),
  }
}

const lists = [
  ['channels.json', 'public'],
  ['groups.json', 'private'],
  ['dms.json', 'direct'],
  ['mpims.json', 'group'],
] as const

async function* readList(files: ExportFiles, name: string, max: number): AsyncGenerator<Fields> {
  if (!files.sizes.has(name)) return
  let count = 0
  for await (const element of readJsonArray(await files.open(name))) {
    if ('problem' in element) throw new ExportError(`${name} is ${element.problem}.`)
    if (++count > max) throw new ExportError(`${name} has more than ${max} entries.`)
    if (isObject(element.value)) yield element.value
  }
}

/** The files with messages by their folder. */
function listDays(files: ExportFiles): Map<string, string[]> {
  const days = new Map<string, string[]>()
  for (const name of files.sizes.keys()) {
    const [, folder] = /^([^/]+)\/[^/]+\.json$/.exec(name) ?? []
    if (folder === undefined || folder.startsWith('__')) continue
    const found = days.get(folder)
    if (found) found.push(name)
    else days.set(folder, [name])
  }
  for (const names of days.values()) names.sort()
  return days
}

function readUser(fields: Fields): ExportedPerson | null {
  const id = textOf(fields['id'])
  if (!isSlackId(id)) return null
  const profile = objectOf(fields['profile'])
  return {
    key: id,
    name: nameOf(fields) || id,
    email: textOf(profile['email']).toLowerCase(),
    title: lineOf(profile['title'], 80),
    isBot: fields['is_bot'] === true || id === 'USLACKBOT',
  }
}

/** The name that Slack shows of a user, or of the `user_profile` of a message; empty if there is none. */
export function nameOf(fields: Fields): string {
  const profile = objectOf(fields['profile'])
  const found = [
    profile['display_name'],
    profile['real_name'],
    fields['display_name'],
    fields['real_name'],
    fields['name'],
  ]
  return found.map((value) => lineOf(value, 80)).find(Boolean) ?? ''
}

/** An id of a user, bot or channel, as a part of a name it has no slash. */
export function isSlackId(id: string): boolean {
  return /^[\w-]{1,60}$/.test(id)
}

function readChannel(
  fields: Fields,
  kind: SlackChannel['kind'],
  days: Map<string, string[]>,
): SlackChannel | null {
  const id = textOf(fields['id'])
  if (!isSlackId(id)) return null
  const name = textOf(fields['name'])
  // The folder of a direct conversation has the id as its name.
  const folder = [name, id].find((candidate) => candidate !== '' && days.has(candidate))
  const own = folder === undefined ? [] : days.get(folder)!
  if (folder !== undefined) days.delete(folder)
  const members = Array.isArray(fields['members']) ? fields['members'].slice(0, maxMembers) : []
  return {
    key: id,
    kind,
    name: lineOf(name, 80) || id,
    topic: lineOf(objectOf(fields['topic'])['value'], 250),
    description: lineOf(objectOf(fields['purpose'])['value'], 1_000),
    members: Array.from(new Set(members.filter((member) => typeof member === 'string' && isSlackId(member)))),
    creator: textOf(fields['creator']),
    createdAt: (Number(fields['created']) || 0) * 1_000_000,
    isArchived: fields['is_archived'] === true,
    isShared: fields['is_shared'] === true || fields['is_ext_shared'] === true,
    pins: objectsOf(fields['pins'], maxPins).map((pin) => ({
      ts: textOf(pin['id']),
      user: textOf(pin['user']),
      at: Number(pin['created']) || 0,
    })),
    days: own,
  }
}
