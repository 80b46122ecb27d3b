/** What tabs of one account tell each other. */
export type TabNews = { kind: 'outbox'; landed: unknown } | { kind: 'lead-wanted' } | { kind: 'forget' }

export interface Leadership {
  /** Whether this tab sends what is in the outbox. */
  leads: () => boolean
  tell: (news: TabNews) => void
  stop: () => void
}

/**
 * One tab leads. A tab that is looked at asks a hidden leader for the lead; a closed leader's lock passes
 * on by itself. Without Web Locks (plain http) every tab leads: sending twice is harmless, only slower.
 */
export function createLeadership(
  name: string,
  onLead: () => void,
  onNews: (news: TabNews) => void,
): Leadership {
  const channel = new BroadcastChannel(name)
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a BroadcastChannel has none
  const tell = (news: TabNews) => channel.postMessage(news)
  let leading = !('locks' in navigator)
  let stopped = false
  let release: () => void = () => {}
  const abort = new AbortController()

  function queue() {
    if (stopped || !('locks' in navigator)) return
    navigator.locks
      .request(name, { signal: abort.signal }, async () => {
        if (stopped) return
        leading = true
        onLead()
        await new Promise<void>((resolve) => {
          release = resolve
        })
        leading = false
      })
      .then(queue, () => {})
  }

  const wantLead = () => {
    if (!leading && document.visibilityState === 'visible') tell({ kind: 'lead-wanted' })
  }
  channel.addEventListener('message', ({ data }: MessageEvent<TabNews>) => {
    if (data.kind !== 'lead-wanted') onNews(data)
    else if (leading && document.visibilityState === 'hidden') release()
  })
  document.addEventListener('visibilitychange', wantLead)
  queue()
  wantLead()
  return {
    leads: () => leading,
    tell,
    stop: () => {
      stopped = true
      abort.abort()
      release()
      channel.close()
      document.removeEventListener('visibilitychange', wantLead)
    },
  }
}
