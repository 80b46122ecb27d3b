/** State of an entry of the browser's history: the path from which it was reached. */
export interface EntryState {
  from?: string
}

export function readEntry(): EntryState {
  return (history.state ?? {}) as EntryState
}

function writeOrigin(from: string | undefined): void {
  if (readEntry().from !== from) history.replaceState({ ...readEntry(), from }, '')
}

/**
 * Stores in each entry of the history from where it was reached, so that "Back" can use `history.back()`. Uses the
 * events of the router. Returns the function that stops it.
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

/**
 * Navigates up to `to`: with `history.back()` if the entry was reached from there, so that the browser's own "back"
 * does not return to the lower page. Back from a search result is the search.
 */
export function navigateUp(to: string, navigate: (to: string, options: { replace: boolean }) => void): void {
  const { from } = readEntry()
  if (from === to || from === '/search') history.back()
  else navigate(to, { replace: true })
}
