import type { Store } from '../store/store.ts'
import type { Ports } from '../sync/ports.ts'
import { createUnreadWatcher } from './createUnreadWatcher.ts'
import { unreadWorkspaces } from './unreadWorkspaces.ts'

/** Keeps what is unread in the user's other workspaces up to date. Returns the function that ends this. */
export function watchUnreadWorkspaces(store: Store, ports: Ports): () => void {
  const unwatch = unreadWorkspaces.watch()
  const watcher = createUnreadWatcher(store, { ...ports, refetch: () => unreadWorkspaces.invalidate() })
  return () => {
    unwatch()
    watcher.stop()
  }
}
