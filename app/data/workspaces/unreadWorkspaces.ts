import type { UnreadWorkspace } from '../../../wire/people.ts'
import { callCommand } from '../client/callCommand.ts'
import { getClientSession } from '../session/clientSession.ts'
import type { Store } from '../store/store.ts'
import type { Ports } from '../sync/ports.ts'
import { createUnreadWatcher } from './createUnreadWatcher.ts'
import { setUnreadWorkspaces } from './unreadBySession.ts'

/** Keeps what is unread in the user's other workspaces up to date. Returns the function that ends this. */
export function watchUnreadWorkspaces(store: Store, ports: Ports): () => void {
  const watcher = createUnreadWatcher(store, {
    ...ports,
    request: () => callCommand('unread_workspaces', {}),
    onUnread: (unread: readonly UnreadWorkspace[]) => {
      const session = getClientSession()
      if (session?.store === store) setUnreadWorkspaces(session, unread)
    },
  })
  return watcher.stop
}
