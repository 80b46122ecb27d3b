import type { KnownUserGroup } from '../../../app/data/store/knownUserGroups.ts'
import type { Uuid } from '../../../wire/scalars.ts'

/** The groups of the test workspace, with the names of their members. They do not change. */
export const USER_GROUPS: readonly { id: Uuid; name: string; people: readonly string[] }[] = [
  { id: '50000000-0000-4000-8000-000000000001', name: 'nurses', people: ['ann', 'bea'] },
  { id: '50000000-0000-4000-8000-000000000002', name: 'cooks', people: ['cem', 'gus'] },
]

/** The groups as the app loads them for a person. */
export function knownUserGroupsOf(person: string): KnownUserGroup[] {
  return USER_GROUPS.map(({ id, name, people }) => ({
    id: `&${id}`,
    name,
    description: '',
    isArchived: false,
    hasReader: people.includes(person),
  }))
}

/** Mentions one of the groups in every eighth text, chosen by the id of the message; else an empty text. */
export function mentionUserGroup(id: Uuid): string {
  const group = USER_GROUPS[Number.parseInt(id[0]!, 16)]
  return group ? ` <@&${group.id}>` : ''
}
