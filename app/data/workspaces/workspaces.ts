import { pathTo } from '../../paths.ts'
import type { UnreadWorkspace, Workspace } from '../../../wire/people.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { memoizeByKey } from '../hooks/memoize.ts'
import { useClientSession } from '../hooks/useClientSession.ts'
import { useQuery } from '../queries/useQuery.ts'
import { openWorkspace } from '../session/startClientSession.ts'
import { unreadWorkspaces } from './unreadWorkspaces.ts'

/** A workspace of the user, as menus list it. */
export interface ListedWorkspace extends Workspace {
  isShown: boolean
  /**
   * Whether a conversation that is not muted has unread messages. False for the shown workspace, whose conversations
   * display this.
   */
  unread: boolean
  /** The number of mentions and direct messages, at most 100. */
  mentions: number
}

const NO_WORKSPACES: readonly ListedWorkspace[] = []
const NONE_UNREAD: readonly UnreadWorkspace[] = []

const listOf = memoizeByKey(
  (
    _before: readonly ListedWorkspace[] | undefined,
    shown: Uuid | undefined,
    workspaces: readonly Workspace[],
    unread: readonly UnreadWorkspace[],
  ): readonly ListedWorkspace[] =>
    workspaces.map((workspace) => {
      const isShown = workspace.id === shown
      const latest = isShown ? undefined : unread.find((one) => one.workspace_id === workspace.id)
      if (!latest) return { ...workspace, isShown, unread: false, mentions: 0 }
      // Changes of name and icon are broadcast only where the workspace is shown.
      const { name, icon, unread: isUnread, mentions } = latest
      const { icon: _before, ...rest } = workspace
      return { ...rest, name, ...(icon === null ? {} : { icon }), isShown, unread: isUnread, mentions }
    }),
)

/** Returns the user's workspaces in the order of their creation. */
export function useWorkspaces(): readonly ListedWorkspace[] {
  const hasOthers = useClientSession((session) => (session?.store.get().workspaces.length ?? 0) > 1)
  const { value: unread = NONE_UNREAD } = useQuery(hasOthers ? unreadWorkspaces : null)
  return useClientSession((session) => {
    if (!session) return NO_WORKSPACES
    const { workspace, workspaces } = session.store.get()
    return listOf('workspaces', workspace?.id, workspaces, unread)
  })
}

/** Shows another workspace. Its last conversation opens. */
export function showWorkspace(id: Uuid): void {
  void openWorkspace(id, pathTo('home'))
}
