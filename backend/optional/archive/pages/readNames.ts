import type { Snapshot } from '../exportRows.ts'

/** A channel or conversation with its name on the pages. */
export interface Conversation {
  id: string
  kind: string
  title: string
  topic: string
}

/** What mentions and conversations are called. */
export interface Names {
  conversations: readonly Conversation[]
  /** See `HtmlNames`. */
  nameOf(who: string): string | undefined
}

const maxTitlePeople = 8

/** Reads the names from the rows of the archive, so that a page has no name that the archive lacks. */
export async function readNames(snapshot: Snapshot): Promise<Names> {
  const names = new Map<string, string>()
  for await (const { id, name } of read<{ id: string; name: string }>(snapshot, 'profiles'))
    names.set(id, name || 'Former member')
  for await (const { id, name } of read<{ id: string; name: string }>(snapshot, 'user_groups'))
    names.set(`&${id}`, name)
  const channels: { id: string; kind: string; name: string | null; topic: string | null }[] = []
  for await (const channel of read<(typeof channels)[number]>(snapshot, 'channels')) channels.push(channel)
  const people = new Map(channels.filter(({ name }) => name === null).map(({ id }) => [id, [] as string[]]))
  for await (const member of read<{ channel_id: string; profile_id: string }>(snapshot, 'channel_members'))
    people.get(member.channel_id)?.push(names.get(member.profile_id) ?? 'Former member')
  const conversations = channels.map(({ id, kind, name, topic }) => ({
    id,
    kind,
    title: name === null ? joinPeople(people.get(id)!) : `#${name}`,
    topic: topic ?? '',
  }))
  for (const { id, name } of channels) if (name !== null) names.set(`#${id}`, name)
  conversations.sort((a, b) => a.title.localeCompare(b.title, 'en') || a.id.localeCompare(b.id))
  return { conversations, nameOf: (who) => names.get(who) }
}

function joinPeople(people: string[]): string {
  const shown = people.toSorted((a, b) => a.localeCompare(b, 'en')).slice(0, maxTitlePeople)
  const rest = people.length - shown.length
  return `${shown.join(', ') || 'Conversation'}${rest > 0 ? ` and ${rest} more` : ''}`
}

async function* read<R>(snapshot: Snapshot, table: string): AsyncGenerator<R> {
  for await (const line of snapshot.lines(table)) yield JSON.parse(line) as R
}
