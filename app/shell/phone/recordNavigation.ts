/** State of an entry of the browser's history: the path from which it was reached. */
export interface HistoryState {
  from?: string
}

export function readHistoryState(): HistoryState {
  return (history.state ?? {}) as HistoryState
}

function writeOrigin(from: string | undefined): void {
  if (readHistoryState().from !== from) history.replaceState({ ...readHistoryState(), from }, '')
}

/**
 * Stores in each entry of the history from where it was reached, so that "Back" can use `history.back()`. Uses the
 * events of the router. Returns the function that stops it.
 */
export function recordNavigation(): () => void {
  let path = location.pathname
  let from = readHistoryState().from
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
    from = readHistoryState().from
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

/** Whether conversations and threads that are opened from this path lead back to it. */
export function isListPath(path: string | undefined): boolean {
  return path !== undefined && /^\/(?:activity|search|threads|unread)$/.test(path)
}

/**
 * Navigates up to `to`, or to the list from which the entry was reached: with `history.back()` if it was reached from
 * there, so that the browser's own "back" does not return to the lower page.
 */
export function navigateUp(to: string, navigate: (to: string, options: { replace: boolean }) => void): void {
  const { from } = readHistoryState()
  if (from === to || isListPath(from)) history.back()
  else navigate(to, { replace: true })
}
