/** What an entry of the browser's history remembers: the path from which it was reached. */
interface EntryState {
  from?: string
}

function readEntry(): EntryState {
  return (history.state ?? {}) as EntryState
}

function writeOrigin(from: string | undefined): void {
  if (readEntry().from !== from) history.replaceState({ ...readEntry(), from }, '')
}

/**
 * Notes on each entry of the history where it was reached from, so that "back" can be a step back. Told of entries by
 * the events that the router sends. The answer ends it.
 */
export function recordNavigation(): () => void {
  let path = location.pathname
  let from = readEntry().from
  const onPush = () => {
    from = path
    path = location.pathname
    writeOrigin(from)
  }
  const onReplace = () => {
    path = location.pathname
    writeOrigin(from)
  }
  const onPop = () => {
    path = location.pathname
    from = readEntry().from
  }
  addEventListener('pushState', onPush)
  addEventListener('replaceState', onReplace)
  addEventListener('popstate', onPop)
  return () => {
    removeEventListener('pushState', onPush)
    removeEventListener('replaceState', onReplace)
    removeEventListener('popstate', onPop)
  }
}

/** Goes up to `to`: a step back where one came from there, so that the browser's own "back" does not lead down again. */
export function navigateUp(to: string, navigate: (to: string, options: { replace: boolean }) => void): void {
  if (readEntry().from === to) history.back()
  else navigate(to, { replace: true })
}

/** Whoever starts in the middle, by a link, finds the list below it when going back. */
export function insertListEntry(): void {
  const address = location.pathname + location.search
  if (address === '/' || readEntry().from !== undefined) return
  history.replaceState(null, '', '/')
  history.pushState({ from: '/' } satisfies EntryState, '', address)
}
