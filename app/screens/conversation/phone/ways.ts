/** What an entry of the browser's history remembers: the path from which it was reached. */
interface Way {
  from?: string
}

function wayHere(): Way {
  return (history.state ?? {}) as Way
}

function note(from: string | undefined): void {
  if (wayHere().from !== from) history.replaceState({ ...wayHere(), from }, '')
}

/**
 * Notes on each entry of the history where it was reached from, so that "back" can be a step back. Told of entries by
 * the events that the router sends. The answer ends it.
 */
export function noteWays(): () => void {
  let path = location.pathname
  let from = wayHere().from
  const pushed = () => {
    from = path
    path = location.pathname
    note(from)
  }
  const replaced = () => {
    path = location.pathname
    note(from)
  }
  const moved = () => {
    path = location.pathname
    from = wayHere().from
  }
  addEventListener('pushState', pushed)
  addEventListener('replaceState', replaced)
  addEventListener('popstate', moved)
  return () => {
    removeEventListener('pushState', pushed)
    removeEventListener('replaceState', replaced)
    removeEventListener('popstate', moved)
  }
}

/** Goes up to `to`: a step back where one came from there, so that the browser's own "back" does not lead down again. */
export function goUp(to: string, navigate: (to: string, options: { replace: boolean }) => void): void {
  if (wayHere().from === to) history.back()
  else navigate(to, { replace: true })
}

/** Whoever starts in the middle, by a link, finds the list below it when going back. */
export function layListBelow(): void {
  const here = location.pathname + location.search
  if (here === '/' || wayHere().from !== undefined) return
  history.replaceState(null, '', '/')
  history.pushState({ from: '/' } satisfies Way, '', here)
}
