import {
  isObject,
  objectOf,
  textOf,
  type Fields,
} from '../../../../supabase/functions/_shared/payloadFields.ts'
import { cutText, nameKey } from '../../../../wire/texts.ts'
import { ExportError } from '../ExportError.ts'
import type { ExportedChannel, ExportedEmoji, ExportedPerson } from '../ExportReader.ts'
import { lineOf } from '../lineOf.ts'
import { channelKeyOf, conversationKeyOf, conversationMembersOf, nameOf, userKeyOf } from './names.ts'
import { parseLine, type Line } from './readLines.ts'

export interface MattermostLists {
  /** The names of the teams, of at most 200 characters. */
  name: string
  people: ReadonlyMap<string, ExportedPerson>
  channels: readonly ExportedChannel[]
  emoji: readonly ExportedEmoji[]
  /** What the receipt lists: a number by its description. */
  notes: Map<string, number>
}

const maxPeople = 200_000
const maxTeams = 10_000
const maxChannels = 50_000
const maxConversations = 500_000
const maxEmoji = 20_000
/** Of one channel. */
const maxMembers = 50_000
/** Of all channels. */
const maxMemberships = 5_000_000

/** A line without these is read only for its messages. Other programs can write the fields in another order. */
const isPost = (text: string): boolean => text.startsWith('{"type":"post"')

/**
 * The lists of an export. Conversations are read from their messages, since a conversation without messages is only an entry of a
 * list in Mattermost. Throws ExportError beyond the limits, and if the lines are no export.
 * @param findFile the path of a stored file that a line names
 */
export async function readLists(
  lines: AsyncIterable<Line>,
  findFile: (path: unknown) => string | null,
): Promise<MattermostLists> {
  const lists = createLists(findFile)
  let isFirst = true
  for await (const line of lines) {
    if ('problem' in line || isPost(line.text)) {
      if (isFirst) throw notAnExport()
      continue
    }
    const value = objectOf(parseLine(line.text))
    const type = textOf(value['type'])
    if (isFirst) checkVersion(value)
    isFirst = false
    const entry = value[type]
    if (isObject(entry)) lists.add(type, entry)
  }
  if (isFirst) throw notAnExport()
  return lists.finish()
}

function notAnExport(): ExportError {
  return new ExportError(
    'This is no export of Mattermost: its first line must be {"type":"version","version":1}.',
  )
}

function checkVersion({ type, version }: Fields): void {
  if (type !== 'version' || typeof version !== 'number') throw notAnExport()
  if (version !== 1)
    throw new ExportError(`The export has the version ${version} of the format, and only 1 is known.`)
}

interface Team {
  name: string
  /** Whether everybody of the server can join it. */
  isOpen: boolean
}

interface Lists {
  add(type: string, entry: Fields): void
  finish(): MattermostLists
}

function createLists(findFile: (path: unknown) => string | null): Lists {
  const teams = new Map<string, Team>()
  const people = new Map<string, ExportedPerson>()
  const channels = new Map<string, ExportedChannel & { team: string }>()
  const conversations = new Map<string, readonly string[]>()
  const listed = new Set<string>()
  const emoji = new Map<string, ExportedEmoji>()
  /** Channels and their members can come in any order. */
  const members = new Map<string, string[]>()
  const admins = new Map<string, string>()
  const notes = new Map<string, number>()
  const note = (sentence: string): void => void notes.set(sentence, (notes.get(sentence) ?? 0) + 1)
  let memberships = 0

  const addMemberships = (user: string, ofTeams: unknown): void => {
    for (const team of listOf(ofTeams, maxTeams)) {
      for (const membership of listOf(team['channels'], maxChannels)) {
        const key = channelKeyOf(team['name'], membership['name'])
        if (key === '') continue
        checkCount(memberships++, maxMemberships, 'members of channels')
        const own = members.get(key) ?? []
        members.set(key, own)
        if (own.length >= maxMembers)
          note(`members of channels are left out: a channel has at most ${maxMembers}`)
        else if (own.at(-1) !== user) own.push(user)
        if (/\bchannel_admin\b/.test(textOf(membership['roles'])) && !admins.has(key)) admins.set(key, user)
      }
    }
  }

  const addConversation = (found: readonly string[]): void => {
    if (found.length === 0) return
    const key = conversationKeyOf(found)
    if (conversations.has(key)) return
    checkCount(conversations.size, maxConversations, 'conversations')
    conversations.set(key, found)
  }

  const finishChannels = (): ExportedChannel[] => {
    const counts = new Map<string, number>()
    for (const { name } of channels.values()) counts.set(nameKey(name), (counts.get(nameKey(name)) ?? 0) + 1)
    const hasSeveral = teams.size > 1
    return Array.from(channels.values(), ({ team, ...channel }) => {
      const { name: teamName, isOpen } = teams.get(team) ?? { name: team, isOpen: false }
      // Members of other teams could not read it before.
      const isHidden = hasSeveral && !isOpen && channel.kind === 'public'
      if (isHidden) note('public channels of teams that people join by invitation become private')
      const isAmbiguous = hasSeveral && (counts.get(nameKey(channel.name)) ?? 0) > 1
      const suffix = ` (${cutText(teamName, 30, '…')})`
      return Object.assign(channel, {
        kind: isHidden ? 'private' : channel.kind,
        name: isAmbiguous ? cutText(channel.name, 80 - suffix.length, '…') + suffix : channel.name,
        members: members.get(channel.key) ?? [],
        creator: admins.get(channel.key) ?? '',
      })
    })
  }

  const finishConversation = ([key, found]: [string, readonly string[]]): ExportedChannel => {
    const names = found.map((member) => people.get(member)?.name ?? member)
    const kind = found.length > 2 ? 'group' : 'direct'
    return { ...emptyChannel, key, kind, name: cutText(names.join(', '), 80, '…'), members: found }
  }

  return {
    add(type, entry) {
      if (type === 'team') {
        const key = nameOf(entry['name'])
        if (key === '' || teams.has(key)) return
        checkCount(teams.size, maxTeams, 'teams')
        teams.set(key, {
          name: lineOf(entry['display_name'], 80) || key,
          isOpen: entry['allow_open_invite'] === true,
        })
      } else if (type === 'channel') {
        const channel = readChannel(entry)
        if (channel === null || channels.has(channel.key)) return
        checkCount(channels.size, maxChannels, 'channels')
        channels.set(channel.key, channel)
      } else if (type === 'user' || type === 'bot') {
        const person = readPerson(type, entry, findFile)
        if (person === null || people.has(person.key)) return
        checkCount(people.size, maxPeople, 'people')
        people.set(person.key, person)
        addMemberships(person.key, entry['teams'])
      } else if (type === 'direct_post') addConversation(conversationMembersOf(entry['channel_members']))
      else if (type === 'direct_channel') {
        const found = conversationMembersOf(entry['members'] ?? usersOf(entry['participants']))
        checkCount(listed.size, maxConversations, 'conversations')
        if (found.length > 0) listed.add(conversationKeyOf(found))
      } else if (type === 'emoji') {
        const name = textOf(entry['name'])
        const path = findFile(entry['image'])
        if (path === null) note('custom emoji have no picture in the export')
        if (path === null || emoji.has(name)) return
        checkCount(emoji.size, maxEmoji, 'custom emoji')
        emoji.set(name, { name, aliases: [], path })
      }
    },
    finish() {
      const empty = Array.from(listed).filter((key) => !conversations.has(key)).length
      if (empty > 0) notes.set('conversations without messages are not imported', empty)
      const names = Array.from(teams.values(), ({ name }) => name)
      return {
        name: cutText(names.slice(0, 10).join(', '), 200, '…'),
        people,
        channels: [...finishChannels(), ...Array.from(conversations, finishConversation)],
        emoji: Array.from(emoji.values()),
        notes,
      }
    },
  }
}

function checkCount(count: number, max: number, noun: string): void {
  if (count >= max) throw new ExportError(`The export has more than ${max} ${noun}.`)
}

function listOf(value: unknown, max: number): Fields[] {
  return Array.isArray(value) ? value.slice(0, max).filter(isObject) : []
}

const usersOf = (participants: unknown): unknown[] =>
  listOf(participants, 1_000).map(({ username }) => username)

const emptyChannel = {
  topic: '',
  description: '',
  creator: '',
  // Exports do not have it.
  createdAt: 0,
  isArchived: false,
  isShared: false,
}

function readChannel(entry: Fields): (ExportedChannel & { team: string }) | null {
  const key = channelKeyOf(entry['team'], entry['name'])
  if (key === '') return null
  return {
    ...emptyChannel,
    key,
    team: nameOf(entry['team']),
    // Anything else than an open channel stays private.
    kind: entry['type'] === 'O' ? 'public' : 'private',
    name: lineOf(entry['display_name'], 80) || nameOf(entry['name']),
    topic: lineOf(entry['header'], 250),
    description: lineOf(entry['purpose'], 1_000),
    members: [],
    isArchived: Number(entry['deleted_at']) > 0,
  }
}

function readPerson(
  type: 'user' | 'bot',
  entry: Fields,
  findFile: (path: unknown) => string | null,
): ExportedPerson | null {
  const key = userKeyOf(entry['username'])
  if (key === '') return null
  const fullName = `${textOf(entry['first_name'])} ${textOf(entry['last_name'])}`
  const name = [entry['display_name'], entry['nickname'], fullName]
    .map((one) => lineOf(one, 80))
    .find(Boolean)
  const avatar = findFile(entry['profile_image'])
  return {
    key,
    name: name ?? (lineOf(key, 80) || key),
    email: type === 'user' ? textOf(entry['email']).toLowerCase() : '',
    title: lineOf(entry['position'], 80),
    isBot: type === 'bot',
    ...(avatar === null ? {} : { avatar }),
  }
}
