import type { Uuid } from '../../../wire/scalars.ts'
import { memoizeByKey } from '../hooks/memoize.ts'
import { useClientSession } from '../hooks/useClientSession.ts'
import type { State } from '../store/state.ts'
import { displayedMember } from './displayedMember.ts'

const nameIn = memoizeByKey(
  (_before: ((id: Uuid) => string | null) | undefined, members: State['members'] | undefined) => (id: Uuid) =>
    displayedMember(members?.get(id))?.profile.name ?? null,
)

/** Returns a function from an id to the name of the person; null for one who is not visible to the user or not loaded yet. */
export function useNameOf(): (id: Uuid) => string | null {
  return useClientSession((session) => nameIn('members', session?.store.get().members))
}
