import type { Profile, Workspace, WorkspaceRole } from '../../../wire/linnet.ts'
import type { Failure } from '../failures/failures.ts'
import { getClientSession } from './clientSession.ts'
import type { ClientSession } from './clientSession.ts'
import { memoizeByKey } from '../hooks/memoize.ts'
import type { State } from '../store/state.ts'
import { useClientSession } from '../hooks/useClientSession.ts'

export type Session =
  /** Neither cached rows nor a response are loaded yet. */
  | { status: 'loading' }
  /** Could not be loaded, and nothing is cached. `retry` repeats the request. */
  | { status: 'failed'; failure: Failure; retry: () => void }
  /** Signed in without a workspace: set one up, or accept an invitation. */
  | { status: 'no-workspace' }
  | {
      status: 'ready'
      me: { profile: Profile; role: WorkspaceRole; email: string | null }
      workspace: Workspace
      workspaces: readonly Workspace[]
      /** True while only cached rows are displayed. */
      cached: boolean
    }

const LOADING: Session = { status: 'loading' }
const NO_WORKSPACE: Session = { status: 'no-workspace' }

const sessionOf = memoizeByKey(
  (
    _before: Session | undefined,
    me: State['me'],
    workspace: State['workspace'],
    workspaces: State['workspaces'],
    source: State['source'],
    failure: Failure | null,
  ): Session => {
    if (me && workspace) return { status: 'ready', me, workspace, workspaces, cached: source === 'cached' }
    if (source === 'live') return NO_WORKSPACE
    if (failure) return { status: 'failed', failure, retry: () => getClientSession()?.engine.refresh() }
    return LOADING
  },
)

function select(now: ClientSession | null): Session {
  if (!now) return LOADING
  const { me, workspace, workspaces, source } = now.store.get()
  return sessionOf('session', me, workspace, workspaces, source, now.engine.failure())
}

/** The bootstrap of the signed-in person; 'loading' while nobody is signed in. */
export function useSession(): Session {
  return useClientSession(select)
}

export type Connection = 'online' | 'connecting' | 'offline'

/** State of the live connection; 'connecting' after a drop, 'offline' when the browser reports it. */
export function useConnection(): Connection {
  return useClientSession((now) => {
    if (!navigator.onLine) return 'offline'
    return now?.isLive() ? 'online' : 'connecting'
  })
}

/** Whether this tab has the realtime connection of all tabs. */
export function useIsLeader(): boolean {
  return useClientSession((now) => now?.isLeader() ?? false)
}
