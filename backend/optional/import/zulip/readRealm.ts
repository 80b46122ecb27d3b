import { isObject, textOf, type Fields } from '../../../../supabase/functions/_shared/payloadFields.ts'
import { ExportError } from '../ExportError.ts'
import type { ExportedEmoji, ExportedPerson } from '../ExportReader.ts'
import type { ExportFiles } from '../openExport.ts'
import { reactionKey } from '../reactionKey.ts'
import { readJsonArray, readJsonObject, type Member } from '../readJsonArray.ts'
import { lineOf } from '../lineOf.ts'
import { createJoins, type Joins } from './createJoins.ts'
import { createReactions, type Reactions } from './createReactions.ts'
import { emojiOfCode } from './emojiOfCode.ts'

/** What messages are sent to. */
export type Recipient = { kind: 'person' | 'stream' | 'group'; id: number }

export interface ZulipStream {
  name: string
  description: string
  isPrivate: boolean
  isArchived: boolean
  /** Whether new members cannot read older messages. */
  hidesHistory: boolean
  /** The key of a person; empty if it is not known. */
  creator: string
  /** In microseconds; 0 if it is not known. */
  createdAt: number
}

/** The lists of an export. The keys of people are their ids as texts. */
export interface ZulipRealm {
  source: string
  /** Of the organization; empty if it has none. */
  name: string
  people: Map<string, ExportedPerson>
  /** The key of each person whose name nobody else has. */
  peopleByName: Map<string, string>
  streams: Map<number, ZulipStream>
  streamsByName: Map<string, number>
  /** The recipient with an id, which messages contain. */
  recipientOf(id: number): Recipient | null
  /** The keys of the members of streams and groups, by the id of the recipient. */
  members: ReadonlyMap<number, readonly string[]>
  /** The id of the recipient of each stream. */
  recipientOfStream: Map<number, number>
  emoji: ExportedEmoji[]
  /** The characters of standard emoji by the names that Zulip gives them, as far as reactions have them. */
  emojiNames: Map<string, string>
  reactions: Reactions
  joins: Joins
  groups: number
  /** Entries that cannot be read. */
  damaged: number
}

const maxPeople = 200_000
const maxStreams = 50_000
const maxRecipients = 1_000_000
const maxSubscriptions = 5_000_000
const maxMembers = 50_000
const maxEmoji = 10_000
const maxEmojiNames = 10_000

const lists = [
  'zerver_realm',
  'zerver_userprofile',
  'zerver_userprofile_mirrordummy',
  'zerver_userprofile_crossrealm',
  'zerver_stream',
  'zerver_recipient',
  'zerver_subscription',
  'zerver_realmemoji',
  'zerver_reaction',
  'zerver_namedusergroup',
  'zerver_realmauditlog',
]

/** Reads `realm.json`. Throws ExportError beyond the limits, or if it is none of Zulip. */
export async function readRealm(files: ExportFiles): Promise<ZulipRealm> {
  const stored = await readStoredPaths(files)
  const recipients = createRecipients()
  const subscriptions = createSubscriptions()
  const streams: ZulipRealm['streams'] = new Map()
  const realm: ZulipRealm = {
    source: '',
    name: '',
    people: new Map(),
    peopleByName: new Map(),
    streams,
    streamsByName: new Map(),
    recipientOf: recipients.of,
    members: new Map(),
    recipientOfStream: new Map(),
    emoji: [],
    emojiNames: new Map(),
    reactions: createReactions(),
    joins: createJoins((stream) => streams.get(stream)?.hidesHistory ?? true),
    groups: 0,
    damaged: 0,
  }
  for await (const entry of readJsonObject(await files.open('realm.json'), lists)) {
    if (isOther(entry, lists)) continue
    const fields = 'value' in entry && isObject(entry.value) ? entry.value : null
    if (fields === null) {
      realm.damaged++
      continue
    }
    switch (entry.key) {
      case 'zerver_realm':
        realm.source ||= sourceOf(fields)
        realm.name ||= lineOf(fields['name'], 200) || lineOf(fields['string_id'], 200)
        break
      case 'zerver_userprofile':
      case 'zerver_userprofile_mirrordummy':
      case 'zerver_userprofile_crossrealm': {
        addPerson(realm.people, fields, entry.key.endsWith('crossrealm'), stored.avatars)
        const recipient = idOf(fields['recipient']) ?? idOf(fields['recipient_id'])
        const id = idOf(fields['id'])
        if (recipient !== null && id !== null) recipients.add(recipient, { kind: 'person', id })
        break
      }
      case 'zerver_stream':
        addStream(realm, fields)
        break
      case 'zerver_recipient': {
        const [id, target] = [idOf(fields['id']), idOf(fields['type_id'])]
        const kind = ([null, 'person', 'stream', 'group'] as const)[Number(fields['type'])] ?? null
        if (id !== null && target !== null && kind !== null) recipients.add(id, { kind, id: target })
        if (id !== null && target !== null && kind === 'stream') realm.recipientOfStream.set(target, id)
        break
      }
      case 'zerver_subscription':
        if (fields['active'] !== false)
          subscriptions.add(idOf(fields['recipient']), idOf(fields['user_profile']))
        break
      case 'zerver_realmemoji':
        addEmoji(realm.emoji, fields, stored.emoji)
        break
      case 'zerver_reaction':
        addReaction(realm, fields)
        break
      case 'zerver_realmauditlog':
        addJoin(realm, fields)
        break
      case 'zerver_namedusergroup':
        if (fields['is_system_group'] !== true) realm.groups++
    }
  }
  if (realm.source === '')
    throw new ExportError('This is no export of Zulip: its realm.json has no organization.')
  return {
    ...realm,
    members: subscriptions.membersOf((id) => recipients.of(id)?.kind ?? null),
    peopleByName: uniqueNames(realm.people),
  }
}

/** Whether an entry belongs to none of the lists. One that is damaged can belong to any. */
export function isOther(entry: Member, lists: readonly string[]): boolean {
  const isDamaged = 'problem' in entry && entry.problem === 'damaged'
  return !lists.includes(entry.key) && !isDamaged
}

/** A positive id, also as a text. */
export function idOf(value: unknown): number | null {
  const id = typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : value
  return typeof id === 'number' && Number.isInteger(id) && id > 0 && id < 2 ** 31 ? id : null
}

/** Microseconds of a number of seconds; null for anything else. */
export function timeOf(value: unknown): number | null {
  return typeof value === 'number' && Math.abs(value) < 1e12 ? Math.round(value * 1_000_000) : null
}

/** Neither the id nor the time of an organization changes with its name. */
function sourceOf(fields: Fields): string {
  const id = idOf(fields['id'])
  return id === null ? '' : `${id}-${Math.trunc((timeOf(fields['date_created']) ?? 0) / 1_000_000)}`
}

/** Zulip's own programs, of which the export has only an address. */
function nameOfAddress(email: string): string {
  const name = email.slice(0, email.indexOf('@'))
  if (name === 'emailgateway') return 'Email Gateway'
  return name
    .split(/[-._]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ')
}

function addPerson(
  people: ZulipRealm['people'],
  fields: Fields,
  isBot: boolean,
  avatars: ReadonlyMap<number, string>,
): void {
  const id = idOf(fields['id'])
  if (id === null || people.has(String(id))) return
  if (people.size >= maxPeople) throw new ExportError(`The export has more than ${maxPeople} people.`)
  const email = (textOf(fields['delivery_email']) || textOf(fields['email'])).toLowerCase()
  const avatar = avatars.get(id)
  people.set(String(id), {
    key: String(id),
    name: lineOf(fields['full_name'], 80) || lineOf(nameOfAddress(email), 80) || `User ${id}`,
    email,
    title: '',
    isBot: isBot || fields['is_bot'] === true,
    ...(avatar === undefined ? {} : { avatar }),
  })
}

/** Zulip marks the names of archived streams. */
const ARCHIVED = /^(?:[\da-f]{7})?!+DEACTIVATED:\s*/

function addStream({ streams, streamsByName }: ZulipRealm, fields: Fields): void {
  const id = idOf(fields['id'])
  if (id === null || streams.has(id)) return
  if (streams.size >= maxStreams) throw new ExportError(`The export has more than ${maxStreams} streams.`)
  const stored = textOf(fields['name'])
  const isArchived = fields['deactivated'] === true
  const name = isArchived ? stored.replace(ARCHIVED, '') : stored
  const creator = idOf(fields['creator'])
  streams.set(id, {
    name: lineOf(name, 80) || `stream-${id}`,
    description: lineOf(fields['description'], 1_000),
    isPrivate: fields['invite_only'] === true,
    isArchived,
    hidesHistory: fields['invite_only'] === true && fields['history_public_to_subscribers'] === false,
    creator: creator === null ? '' : String(creator),
    createdAt: timeOf(fields['date_created']) ?? 0,
  })
  // A link to a stream that was archived later has the name that it had. Another stream can have that name now.
  if (!isArchived || !streamsByName.has(name)) streamsByName.set(name, id)
}

function addEmoji(emoji: ExportedEmoji[], fields: Fields, paths: ReadonlyMap<string, string>): void {
  const name = textOf(fields['name']).toLowerCase()
  const path = paths.get(textOf(fields['file_name'])) ?? paths.get(name)
  if (name === '' || path === undefined || fields['deactivated'] === true) return
  if (emoji.length >= maxEmoji) throw new ExportError(`The export has more than ${maxEmoji} emoji.`)
  emoji.push({ name, aliases: [], path })
}

/** Adds a row of `zerver_reaction`, which exports have in `realm.json` or beside the messages. */
export function addReaction({ reactions, emojiNames }: ZulipRealm, fields: Fields): void {
  const [message, person] = [idOf(fields['message']), idOf(fields['user_profile'])]
  const name = textOf(fields['emoji_name'])
  const standard =
    fields['reaction_type'] === 'realm_emoji' ? null : emojiOfCode(textOf(fields['emoji_code']))
  if (standard !== null && emojiNames.size < maxEmojiNames) emojiNames.set(name, standard)
  const emoji = standard ?? reactionKey(name)
  if (message !== null && person !== null && emoji !== null) reactions.add(message, person, emoji)
}

/** `SUBSCRIPTION_CREATED` and `SUBSCRIPTION_ACTIVATED` of Zulip. */
const joinEvents = new Set<unknown>([301, 302])

/** Adds a row of `zerver_realmauditlog`. */
function addJoin({ joins }: ZulipRealm, fields: Fields): void {
  if (!joinEvents.has(fields['event_type'])) return
  const stream = idOf(fields['modified_stream']) ?? idOf(fields['modified_stream_id'])
  const person = idOf(fields['modified_user']) ?? idOf(fields['modified_user_id'])
  const at = timeOf(fields['event_time'])
  if (stream !== null && person !== null && at !== null) joins.addJoin(stream, person, at)
}

function createRecipients(): {
  add(id: number, recipient: Recipient): void
  of(id: number): Recipient | null
} {
  const kinds = ['person', 'stream', 'group'] as const
  /** A number for each, which needs less memory than an object. */
  const found = new Map<number, number>()
  return {
    add(id, { kind, id: target }) {
      found.set(id, target * kinds.length + kinds.indexOf(kind))
      if (found.size > maxRecipients)
        throw new ExportError(`The export has more than ${maxRecipients} recipients.`)
    },
    of(id) {
      const number = found.get(id)
      if (number === undefined) return null
      return { kind: kinds[number % kinds.length]!, id: Math.floor(number / kinds.length) }
    },
  }
}

/** Pairs of a recipient and a person. The kinds of the recipients may follow later in the file. */
function createSubscriptions(): {
  add(recipient: number | null, person: number | null): void
  membersOf(kindOf: (recipient: number) => Recipient['kind'] | null): Map<number, string[]>
} {
  let pairs = new Uint32Array(2_048)
  let length = 0
  return {
    add(recipient, person) {
      if (recipient === null || person === null) return
      if (length >= 2 * maxSubscriptions)
        throw new ExportError(`The export has more than ${maxSubscriptions} subscriptions.`)
      if (length === pairs.length) {
        const more = new Uint32Array(length * 2)
        more.set(pairs)
        pairs = more
      }
      pairs[length++] = recipient
      pairs[length++] = person
    },
    membersOf(kindOf) {
      const sets = new Map<number, Set<string>>()
      /** One text for each person. */
      const keys = new Map<number, string>()
      for (let at = 0; at < length; at += 2) {
        const [recipient, person] = [pairs[at]!, pairs[at + 1]!]
        const kind = kindOf(recipient)
        if (kind !== 'stream' && kind !== 'group') continue
        const key = keys.get(person) ?? String(person)
        keys.set(person, key)
        const members = sets.get(recipient)
        if (members === undefined) sets.set(recipient, new Set([key]))
        else if (members.size < maxMembers) members.add(key)
      }
      const lists = new Map<number, string[]>()
      for (const [recipient, members] of sets) {
        lists.set(recipient, [...members])
        sets.delete(recipient)
      }
      return lists
    },
  }
}

function uniqueNames(people: ZulipRealm['people']): Map<string, string> {
  const found = new Map<string, string>()
  const repeated = new Set<string>()
  for (const { key, name } of people.values()) {
    if (found.has(name)) repeated.add(name)
    found.set(name, key)
  }
  for (const name of repeated) found.delete(name)
  return found
}

/** The paths of pictures, by the id of a person, and by the file or name of an emoji. */
async function readStoredPaths(
  files: ExportFiles,
): Promise<{ avatars: Map<number, string>; emoji: Map<string, string> }> {
  const avatars = new Map<number, string>()
  const emoji = new Map<string, string>()
  for await (const fields of readRecords(files, 'avatars')) {
    const id = idOf(fields['user_profile_id'])
    const path = `avatars/${textOf(fields['path'])}`
    // The picture as it was uploaded, or its small copy.
    if (id !== null && files.sizes.has(path) && (!avatars.has(id) || path.endsWith('.original')))
      avatars.set(id, path)
    if (avatars.size > maxPeople)
      throw new ExportError(`The export has more than ${maxPeople} pictures of people.`)
  }
  for await (const fields of readRecords(files, 'emoji')) {
    const path = `emoji/${textOf(fields['path'])}`
    if (!files.sizes.has(path)) continue
    for (const key of [textOf(fields['file_name']), textOf(fields['name']).toLowerCase()])
      if (key !== '' && !emoji.has(key)) emoji.set(key, path)
    if (emoji.size > 4 * maxEmoji) throw new ExportError(`The export has more than ${maxEmoji} emoji.`)
  }
  return { avatars, emoji }
}

async function* readRecords(files: ExportFiles, folder: string): AsyncGenerator<Fields> {
  const name = `${folder}/records.json`
  if (!files.sizes.has(name)) return
  for await (const element of readJsonArray(await files.open(name)))
    if ('value' in element && isObject(element.value)) yield element.value
}
