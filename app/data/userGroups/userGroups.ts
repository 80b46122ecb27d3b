import { LIMITS } from '../../../wire/limits.ts'
import type { UserGroup } from '../../../wire/userGroups.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { getClient } from '../client/getClient.ts'
import { createRetry } from '../hooks/createRetry.ts'
import { getClientSession, type ClientSession } from '../session/clientSession.ts'
import type { KnownUserGroup } from '../store/knownUserGroups.ts'

let loadedKey: string | null = null
let loadingKey: string | null = null
const retry = createRetry()

/** Fetches the groups now, and whenever the workspace's version of the groups changes. */
export function watchUserGroups(session: ClientSession): () => void {
  const unwatch = session.store.watch(() => void loadUserGroups())
  void loadUserGroups()
  return unwatch
}

/** Identifies the groups that the reader sees now. A guest's groups depend on the guest's channels. */
function currentKey(): string | null {
  const state = getClientSession()?.store.get()
  if (!state?.workspace || !state.me) return null
  const seen = state.me.role === 'guest' ? `${state.members.size} ${state.channels.size}` : ''
  return `${state.workspace.id} ${state.me.profile.id} ${state.workspace.groups_version ?? ''} ${seen}`
}

async function loadUserGroups(): Promise<void> {
  const key = currentKey()
  if (key === null || key === loadingKey) return
  const state = getClientSession()?.store.get()
  if (!state?.workspace || !state.me) return
  if (key === loadedKey && state.userGroups !== null) return
  const workspace = state.workspace.id
  if (state.workspace.groups_version === undefined) return show(key, workspace, [])
  loadingKey = key
  try {
    const { rest } = await getClient()
    const [groups, own] = await Promise.all([
      rest
        .from('user_groups')
        .select('id, name, description, archived_at')
        .eq('workspace_id', state.workspace.id)
        .order('name')
        .limit(LIMITS.userGroups),
      rest.from('user_group_members').select('group_id').eq('profile_id', state.me.profile.id),
    ])
    if (loadingKey !== key) return
    if (groups.error || own.error) return retryLater()
    const ownIds = new Set((own.data as { group_id: Uuid }[]).map((one) => one.group_id))
    retry.reset()
    show(
      key,
      workspace,
      (groups.data as Pick<UserGroup, 'id' | 'name' | 'description' | 'archived_at'>[]).map((group) => ({
        id: `&${group.id}`,
        name: group.name,
        description: group.description,
        isArchived: group.archived_at !== null,
        hasReader: ownIds.has(group.id),
      })),
    )
  } catch {
    if (loadingKey === key) retryLater()
  }
}

function show(key: string, workspace: Uuid, groups: readonly KnownUserGroup[]): void {
  loadedKey = key
  loadingKey = null
  getClientSession()?.store.dispatch({ type: 'userGroupsReceived', workspace, groups })
}

/** Tries again later. The previous groups stay until then. */
function retryLater(): void {
  retry.schedule(() => {
    loadingKey = null
    void loadUserGroups()
  })
}
