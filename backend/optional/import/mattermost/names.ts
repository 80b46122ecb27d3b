import { createHash } from 'node:crypto'
import { textOf, type Fields } from '../../../../supabase/functions/_shared/payloadFields.ts'

/** The name of a user, which is also the key of the person; empty if it can't be one. */
export function userKeyOf(value: unknown): string {
  const name = textOf(value).toLowerCase()
  return /^[^/\s]{1,100}$/.test(name) ? name : ''
}

/** The name of a team or channel, as a part of a key; empty if it can't be one. */
export function nameOf(value: unknown): string {
  const name = textOf(value).toLowerCase()
  return /^[\w.-]{1,100}$/.test(name) ? name : ''
}

/** The key of a channel: teams have channels of the same name. Empty if it names none. */
export function channelKeyOf(team: unknown, channel: unknown): string {
  const [of, name] = [nameOf(team), nameOf(channel)]
  return of === '' || name === '' ? '' : `${of}/${name}`
}

/** Mattermost has at most 8. */
const maxConversationMembers = 100

/** The members of a direct or group conversation, each once and sorted; none if there are too many. */
export function conversationMembersOf(value: unknown): string[] {
  if (!Array.isArray(value) || value.length > maxConversationMembers) return []
  return Array.from(new Set(value.map(userKeyOf)))
    .filter(Boolean)
    .sort()
}

/** The key of a conversation, which has neither a name nor an id. */
export function conversationKeyOf(members: readonly string[]): string {
  // A slice of a longer text would keep the whole text in memory.
  return `direct:${createHash('sha256').update(members.join('/')).digest().toString('hex', 0, 16)}`
}

/** The key of the channel or conversation of a post; empty if it names none. */
export function keyOfPlace(type: string, post: Fields): string {
  if (type === 'post') return channelKeyOf(post['team'], post['channel'])
  const members = conversationMembersOf(post['channel_members'])
  return members.length === 0 ? '' : conversationKeyOf(members)
}
