import type { DeedAnswer } from '../sync/askDeed.ts'
import type { TopicNews } from './sharedTopics.ts'

/** What tabs of one account tell each other. */
export type TabNews =
  /** The shelf of the outbox changed; with the answer that changed it. */
  | { kind: 'outbox'; answer: DeedAnswer | null }
  /** A tab that is looked at asks for the lead … */
  | { kind: 'lead-wanted' }
  /** … which the leader keeps, being looked at itself. */
  | { kind: 'lead-kept' }
  | TopicNews

export interface Leadership {
  /** Whether this tab holds the socket and sends what is in the outbox. */
  leads: () => boolean
  tell: (news: TabNews) => void
  stop: () => void
}

/** Milliseconds after which a leader that answers nothing counts as frozen. */
const PATIENCE = 1_500

/**
 * One tab leads. A tab that is looked at gets the lead from a hidden leader, and takes it from one that the
 * browser has frozen; a closed leader's lock passes on by itself. Without Web Locks (plain http) every tab
 * leads: sending twice is harmless, only dearer.
 */
export function createLeadership(
  name: string,
  onLead: (leading: boolean) => void,
  onNews: (news: TabNews) => void,
): Leadership {
  const channel = new BroadcastChannel(name)
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a BroadcastChannel has none
  const tell = (news: TabNews) => channel.postMessage(news)
  const able = 'locks' in navigator
  let leading = !able
  let stopped = false
  let taking: ReturnType<typeof setTimeout> | undefined
  let release: () => void = () => {}
  let waiting = new AbortController()

  function queue(steal: boolean) {
    if (stopped || !able) return
    waiting.abort()
    waiting = new AbortController()
    // A request that steals can't be called off.
    const options = steal ? { steal } : { signal: waiting.signal }
    navigator.locks
      .request(name, options, async () => {
        if (stopped) return
        leading = true
        onLead(true)
        await new Promise<void>((resolve) => {
          release = resolve
        })
      })
      .then(
        () => true,
        // Called off by ourselves, or stolen from us while we slept.
        () => leading,
      )
      .then((again) => {
        const led = leading
        leading = false
        if (led && !stopped) onLead(false)
        if (again) queue(false)
      })
  }

  const wantLead = () => {
    clearTimeout(taking)
    if (leading || document.visibilityState === 'hidden') return
    tell({ kind: 'lead-wanted' })
    taking = setTimeout(() => {
      if (!leading) queue(true)
    }, PATIENCE)
  }
  channel.addEventListener('message', ({ data }: MessageEvent<TabNews>) => {
    if (data.kind === 'lead-kept') clearTimeout(taking)
    else if (data.kind !== 'lead-wanted') onNews(data)
    else if (!leading) return
    else if (document.visibilityState === 'hidden') release()
    else tell({ kind: 'lead-kept' })
  })
  document.addEventListener('visibilitychange', wantLead)
  queue(false)
  wantLead()
  return {
    leads: () => leading,
    tell,
    stop: () => {
      stopped = true
      clearTimeout(taking)
      waiting.abort()
      release()
      channel.close()
      document.removeEventListener('visibilitychange', wantLead)
    },
  }
}
