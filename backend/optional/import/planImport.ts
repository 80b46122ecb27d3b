import { createHash } from 'node:crypto'
import { cutText, nameKey } from '../../../wire/texts.ts'
import { ExportError } from './ExportError.ts'
import type { ExportedChannel, ExportReader } from './ExportReader.ts'
import type { ImportChoices } from './importChoices.ts'
import { createImportIds, type ImportIds } from './importIds.ts'
import { lineOf } from './lineOf.ts'
import { countRows, unknownAuthor, type Survey } from './surveyExport.ts'

/** The workspace that imports, as it is before. */
export interface Target {
  workspaceId: string
  /** The address of the application, without a slash at its end. */
  site: string
  /** The profile of each member with a confirmed address, by the address in lower case. */
  members: ReadonlyMap<string, string>
  channels: readonly TargetChannel[]
  /** The name and aliases of each custom emoji, by its id. */
  emoji: ReadonlyMap<string, readonly string[]>
  /** The profile of an owner. */
  ownerId: string
  /** The profiles of all its members. */
  profileIds: ReadonlySet<string>
}

export interface TargetChannel {
  id: string
  kind: string
  name: string | null
  direct_key: string | null
  /** The rev of the last change of the channel itself. */
  meta_rev: number
  /** The number of its messages; 0 until its import is complete, unless somebody posts there. */
  last_seq: number
  is_deleted: boolean
}

export interface PlannedPerson {
  profileId: string
  name: string
  title: string
  /** Whether the person is a member of the workspace already. */
  isMatched: boolean
}

export interface PlannedChannel {
  id: string
  kind: ExportedChannel['kind']
  /** Null for direct and group conversations. */
  name: string | null
  directKey: string | null
  /** The profiles of its members, each once. */
  members: string[]
  /** Whether an earlier import has completed it. Then it stays as it is: people can have changed or deleted it since. */
  isComplete: boolean
}

/** What becomes of the people and channels of an export. */
export interface Plan {
  ids: ImportIds
  /** By the key of the person or other author. */
  people: Map<string, PlannedPerson>
  /** The profiles of `people` that are members of the workspace already. */
  matched: ReadonlySet<string>
  /** By the key of the channel. A channel that is left out is missing. */
  channels: Map<string, PlannedChannel>
  /** Channels that get another name, because theirs is taken. */
  renamed: { from: string; to: string }[]
  /** The number of conversations that become private channels, because their people have one already. */
  separateConversations: number
}

const maxConversationMembers = 12

/**
 * Plans the import of an export. Fails with ExportError if a choice is not possible, if an earlier import has completed a channel and
 * the export has further messages of it, or if somebody has posted in a channel whose import is not complete.
 */
export function planImport(
  reader: ExportReader,
  survey: Survey,
  target: Target,
  choices: ImportChoices = {},
): Plan {
  const ids = createImportIds(target.workspaceId, reader)
  const people = planPeople(reader, survey, { target, ids, choices })
  const matched = new Set<string>()
  for (const { profileId, isMatched } of people.values()) if (isMatched) matched.add(profileId)
  const plan: Plan = { ids, people, matched, channels: new Map(), renamed: [], separateConversations: 0 }
  const names = createNames(target, reader.product)
  const directKeys = new Map(target.channels.map((channel) => [channel.direct_key, channel.id]))
  const existing = new Map(target.channels.map((channel) => [channel.id, channel]))
  for (const found of survey.surveys) {
    const { channel } = found
    const choice = choices.channels?.[channel.key] ?? {}
    if (choice.isLeftOut) continue
    const id = ids.channel(channel.key)
    const earlier = existing.get(id)
    const isComplete = earlier !== undefined && (earlier.is_deleted || earlier.meta_rev > countRows(found))
    if (earlier && !isComplete && earlier.last_seq > 0)
      throw new ExportError(
        `The workspace already has messages in "${channel.name}" that this export would be mixed with. An export can't add to a channel that an earlier export has filled.`,
      )
    const profiles = channel.members
      .map((member) => people.get(member)?.profileId)
      .filter((one) => one !== undefined)
    const members = Array.from(new Set(profiles)).sort()
    const isConversation = channel.kind === 'direct' || channel.kind === 'group'
    const key = isConversation ? directKeyOf(members) : null
    if (key !== null && (directKeys.get(key) ?? id) === id) {
      directKeys.set(key, id)
      const kind = members.length > 2 ? 'group' : 'direct'
      plan.channels.set(channel.key, { id, kind, name: null, directKey: key, members, isComplete })
      continue
    }
    if (isConversation) plan.separateConversations++
    const name =
      lineOf(choice.name, 80) || (isConversation ? conversationName(channel, people) : channel.name)
    const kind = isConversation ? 'private' : (choice.kind ?? channel.kind)
    const free = names.take(id, name)
    if (free !== name) plan.renamed.push({ from: name, to: free })
    plan.channels.set(channel.key, { id, kind, name: free, directKey: null, members, isComplete })
  }
  return plan
}

function planPeople(
  reader: ExportReader,
  { otherAuthors }: Survey,
  o: { target: Target; ids: ImportIds; choices: ImportChoices },
): Plan['people'] {
  const { target, ids, choices } = o
  const people = new Map<string, PlannedPerson>()
  const chosen = (key: string): string | undefined => {
    const member = choices.people?.[key]
    if (member !== undefined && !target.profileIds.has(member))
      throw new ExportError(`${member} is not the profile of a member of the workspace.`)
    return member
  }
  for (const { key, name, email, title, isBot } of reader.people.values()) {
    const member = chosen(key) ?? (isBot || email === '' ? undefined : target.members.get(email))
    people.set(key, { profileId: member ?? ids.person(key), name, title, isMatched: member !== undefined })
  }
  for (const [key, name] of otherAuthors) {
    const fallback = key === unknownAuthor ? reader.label : key.startsWith('bot/') ? 'Bot' : key
    const member = chosen(key)
    const profileId = member ?? ids.person(key)
    people.set(key, { profileId, name: name || fallback, title: '', isMatched: member !== undefined })
  }
  return people
}

/** As `app.direct_key` of the schema; null for nobody, or more people than a conversation has. */
function directKeyOf(members: readonly string[]): string | null {
  if (members.length === 0 || members.length > maxConversationMembers) return null
  const key = members.join(':')
  return members.length > 2 ? createHash('sha256').update(key).digest('hex') : key
}

function conversationName({ members, name }: ExportedChannel, people: Plan['people']): string {
  const names = members.map((member) => people.get(member)?.name ?? '').filter(Boolean)
  return cutText(names.join(', '), 70, '…') || name
}

/** Chooses names that no public channel has. A channel of an earlier import keeps its name. */
function createNames({ channels }: Target, product: string): { take(id: string, name: string): string } {
  const names = new Map(channels.map((channel) => [channel.id, channel.name]))
  // The names of private channels can be used again: an error would reveal them.
  const taken = new Set(
    channels.filter(({ kind }) => kind === 'public').map(({ name }) => nameKey(name ?? '')),
  )
  return {
    take(id, name) {
      const earlier = names.get(id) ?? null
      if (earlier !== null) return earlier
      let free = name
      for (let count = 1; taken.has(nameKey(free)); count++) {
        const suffix = count === 1 ? `-${product}` : `-${product}-${count}`
        free = cutText(name, 80 - suffix.length) + suffix
      }
      taken.add(nameKey(free))
      return free
    },
  }
}
