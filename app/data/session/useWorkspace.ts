import type { OwnMembership, PausedWorkspace, Workspace } from '../../../wire/people.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import type { Failure } from '../failures/failures.ts'
import { getClientSession, getEndedWorkspace } from './clientSession.ts'
import type { ClientSession } from './clientSession.ts'
import { memoizeByKey } from '../hooks/memoize.ts'
import type { State } from '../store/state.ts'
import { useClientSession } from '../hooks/useClientSession.ts'

export type WorkspaceLoadState =
  /** Neither cached rows nor a response are loaded yet. */
  | { status: 'loading' }
  /** Could not be loaded, and nothing is cached. `retry` repeats the request. */
  | { status: 'failed'; failure: Failure; retry: () => void }
  /** Signed in without a workspace: set one up, or accept an invitation. */
  | { status: 'no-workspace' }
  /** The only workspaces of the user require a second factor, which the account lacks. */
  | { status: 'second-factor-required'; paused: readonly PausedWorkspace[] }
  /** The membership of the workspace that was shown has ended. The user has other workspaces. */
  | { status: 'workspace-ended'; ended: Uuid; workspaces: readonly Workspace[] }
  | {
      status: 'ready'
      me: OwnMembership
      workspace: Workspace
      workspaces: readonly Workspace[]
      paused: readonly PausedWorkspace[]
      /** True while only cached rows are displayed. */
      cached: boolean
    }

const LOADING: WorkspaceLoadState = { status: 'loading' }
const NO_WORKSPACE: WorkspaceLoadState = { status: 'no-workspace' }

const loadStateOf = memoizeByKey(
  (
    _before: WorkspaceLoadState | undefined,
    me: State['me'],
    workspace: State['workspace'],
    workspaces: State['workspaces'],
    paused: State['pausedWorkspaces'],
    source: State['source'],
    failure: Failure | null,
    ended: Uuid | null,
  ): WorkspaceLoadState => {
    if (ended && workspace) return { status: 'workspace-ended', ended, workspaces }
    if (me && workspace)
      return { status: 'ready', me, workspace, workspaces, paused, cached: source === 'cached' }
    if (source === 'live')
      return paused.length > 0 ? { status: 'second-factor-required', paused } : NO_WORKSPACE
    if (failure) return { status: 'failed', failure, retry: () => getClientSession()?.engine.refresh() }
    return LOADING
  },
)

function select(session: ClientSession | null): WorkspaceLoadState {
  if (!session) return LOADING
  const { me, workspace, workspaces, pausedWorkspaces, source } = session.store.get()
  return loadStateOf(
    'session',
    me,
    workspace,
    workspaces,
    pausedWorkspaces,
    source,
    session.engine.failure(),
    getEndedWorkspace(),
  )
}

/** The bootstrap of the signed-in person; 'loading' while nobody is signed in. */
export function useWorkspace(): WorkspaceLoadState {
  return useClientSession(select)
}

export type Connection = 'online' | 'connecting' | 'offline'

/** State of the live connection; 'connecting' after a drop, 'offline' when the browser reports it. */
export function useConnection(): Connection {
  return useClientSession((session) => {
    if (!navigator.onLine) return 'offline'
    return session?.isLive() ? 'online' : 'connecting'
  })
}

/** Whether this tab has the realtime connection of all tabs. */
export function useIsLeader(): boolean {
  return useClientSession((session) => session?.isLeader() ?? false)
}
