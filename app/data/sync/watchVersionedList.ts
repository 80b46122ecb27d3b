import { attempt, success, type Outcome } from '../failures/failures.ts'
import { createRetry } from '../hooks/createRetry.ts'
import type { State, VersionedList, VersionedLists } from '../store/state.ts'
import type { Store } from '../store/store.ts'

/** How a list of the workspace is fetched. */
export interface ListSource<K extends keyof VersionedLists> {
  name: K
  /** The version of the rows that the reader sees now; undefined if the workspace has none. */
  versionOf: (workspace: NonNullable<State['workspace']>, state: State) => string | undefined
  fetch: (state: State) => Promise<Outcome<VersionedLists[K]>>
}

/** Fetches a list unless the store has its version: now, and when the version changes, until the returned function is called. */
export function watchVersionedList<K extends keyof VersionedLists>(
  store: Store,
  { name, versionOf, fetch }: ListSource<K>,
): () => void {
  const retry = createRetry()
  /** The version whose request is under way, or is repeated later. */
  let requested: string | null = null
  async function update(): Promise<void> {
    const state = store.get()
    const { workspace, me, versions } = state
    if (!workspace || !me) return
    const version = versionOf(workspace, state) ?? ''
    if (version === versions[name] || version === requested) return
    requested = version
    const fetched = version === '' ? success([]) : await attempt(() => fetch(state))
    if (requested !== version) return
    if (fetched.ok) {
      requested = null
      retry.reset()
      const list = { name, rows: fetched.value } as VersionedList
      return store.dispatch({ type: 'versionedListReceived', workspace: workspace.id, list, version })
    }
    // The previous rows stay until then.
    retry.schedule(() => {
      if (requested !== version) return
      requested = null
      void update()
    })
  }
  const unwatch = store.watch(() => void update())
  void update()
  return () => {
    requested = null
    unwatch()
  }
}
