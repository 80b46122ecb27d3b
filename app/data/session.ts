import type { Profile, Uuid, Workspace, WorkspaceRole } from '../../wire/linnet.ts'
import type { Failure } from './failures.ts'

export type Session =
  /** Nothing is known yet, neither from the cache nor from the network. */
  | { status: 'loading' }
  /** Could not be loaded and nothing is cached. `retry` asks again. */
  | { status: 'failed'; failure: Failure; retry: () => void }
  /** Signed in, but belongs to no workspace: set up, or accept an invitation. */
  | { status: 'homeless' }
  | {
      status: 'ready'
      me: { profile: Profile; role: WorkspaceRole; email: string | null }
      workspace: Workspace
      workspaces: Workspace[]
      /** True while what is shown comes from the cache alone. */
      cached: boolean
    }

/** The bootstrap of the signed-in person. Mount it once signed in: it starts the sync engine. */
export declare function useSession(): Session
/** Shows another of one's workspaces. */
export declare function selectWorkspace(id: Uuid): void

export type Connection = 'online' | 'connecting' | 'offline'
/** How the live connection stands; 'connecting' after a drop, 'offline' when the browser says so. */
export declare function useConnection(): Connection
