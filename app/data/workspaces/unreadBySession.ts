import type { UnreadWorkspace } from '../../../wire/people.ts'
import { sessionEmitter, type ClientSession } from '../session/clientSession.ts'

const unreadBySession = new WeakMap<ClientSession, readonly UnreadWorkspace[]>()
const NONE: readonly UnreadWorkspace[] = []

/** What is unread in the user's workspaces, as the server has sent it last. */
export function unreadWorkspacesOf(session: ClientSession): readonly UnreadWorkspace[] {
  return unreadBySession.get(session) ?? NONE
}

/** Stores what is unread in the workspaces. */
export function setUnreadWorkspaces(session: ClientSession, unread: readonly UnreadWorkspace[]): void {
  unreadBySession.set(session, unread)
  sessionEmitter.emit()
}
