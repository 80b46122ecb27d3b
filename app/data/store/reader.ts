import type { Uuid } from '../../../wire/scalars.ts'
import type { KnownUserGroup } from './knownUserGroups.ts'
import type { State } from './state.ts'

/** The reader and their groups, to recognise mentions of them. */
export interface Reader {
  id: Uuid | null
  /** The groups of the workspace that the reader may see; null until they are loaded. */
  groups: readonly KnownUserGroup[] | null
}

/** The reader of a state. */
export function readerOf({ me, userGroups }: Pick<State, 'me' | 'userGroups'>): Reader {
  return { id: me?.profile.id ?? null, groups: userGroups }
}
