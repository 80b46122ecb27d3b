import type { Uuid } from '../../../../wire/scalars.ts'
import { useSidebar, type SidebarItem } from '../../../data/channels/channels.ts'
import { openDirect } from '../../../data/channels/manageChannels.ts'
import { success, type Outcome } from '../../../data/failures/failures.ts'
import { usePeopleWithoutDirect } from './usePeopleWithoutDirect.ts'

/** A conversation that something can be sent to, or a person with whom one begins. `rank` finds it. */
export interface Destination {
  /** The id of the conversation or of the person. */
  id: Uuid
  name: string
  also?: string
  weight: number
  /** Null: there is no conversation with this person yet. */
  conversation: SidebarItem | null
}

/** A conversation as a destination; recent ones come first. */
export function destinationOf(conversation: SidebarItem): Destination {
  const { id, name, people, lastMessageAt } = conversation
  return {
    id,
    name,
    also: people.map((person) => person.name).join(' '),
    weight: Date.parse(lastMessageAt ?? '0'),
    conversation,
  }
}

/** All conversations of the reader except archived ones, and the people without a direct conversation. */
export function useDestinations(): Destination[] {
  const { channels, directs } = useSidebar()
  const people = usePeopleWithoutDirect(directs)
  return [
    ...[...directs, ...channels].filter(({ archived }) => !archived).map(destinationOf),
    ...people.map(({ profile: { id, name } }) => ({ id, name, weight: -1, conversation: null })),
  ]
}

/** Returns the id of the conversation. It starts the conversation if there is none. */
export async function openDestination({ id, conversation }: Destination): Promise<Outcome<Uuid>> {
  if (conversation) return success(id)
  const opened = await openDirect([id])
  return opened.ok ? success(opened.value.channel.id) : opened
}
