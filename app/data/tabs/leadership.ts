import type { Uuid } from '../../../wire/scalars.ts'
import type { Progress } from '../files/upload/progress.ts'
import type { MutationResult } from '../mutations/execution.ts'
import type { TopicTabMessage } from './sharedTopics.ts'

/** Messages between tabs of one account. */
export type TabMessage =
  /** The stored outbox changed. `result` is the result that it received for `workspace`, if any. */
  | { kind: 'outbox'; result: MutationResult | null; workspace?: Uuid | undefined }
  /** The progress of the leader's upload of a file. */
  | { kind: 'upload'; file: Uuid; loadProgress: Progress }
  /** The user signed out: all tabs clear their data. */
  | { kind: 'signed-out' }
  /** A tab has loaded a workspace; tabs without one request it. */
  | { kind: 'workspace-loaded' }
  /** A page was closed, and has reported that none is open. */
  | { kind: 'page-closed' }
  /** A visible tab requests leadership. */
  | { kind: 'lead-requested' }
  /** The leader is visible too and refuses the request. */
  | { kind: 'lead-refused' }
  | TopicTabMessage

/** Browser interfaces that a tab uses. */
export interface Browser {
  /** Undefined on plain http. */
  locks: Pick<LockManager, 'request'> | undefined
  channel: (name: string) => Pick<BroadcastChannel, 'postMessage' | 'addEventListener' | 'close'>
  page: Pick<Document, 'visibilityState' | 'addEventListener' | 'removeEventListener'>
}

export interface Leadership {
  /** Whether this tab holds the socket and sends the mutations of the outbox. */
  isLeader: () => boolean
  post: (message: TabMessage) => void
  stop: () => void
}

/** Milliseconds after which a leader that does not respond counts as frozen. */
const LEADER_TIMEOUT_MS = 1_500

/**
 * Elects one tab as the leader, by a Web Lock. A visible tab receives the lock from a hidden leader. It steals the
 * lock from a leader that the browser has frozen. The browser passes on the lock of a closed tab. Without Web Locks
 * (plain http) every tab leads, which is correct but sends requests twice.
 */
export function createLeadership(
  name: string,
  onChange: (leading: boolean) => void,
  onMessage: (message: TabMessage) => void,
  browser: Browser = {
    locks: 'locks' in navigator ? navigator.locks : undefined,
    channel: (called) => new BroadcastChannel(called),
    page: document,
  },
): Leadership {
  const { locks, page } = browser
  const channel = browser.channel(name)
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a BroadcastChannel has none
  const post = (message: TabMessage) => channel.postMessage(message)
  let leading = locks === undefined
  let stopped = false
  let stealTimer: ReturnType<typeof setTimeout> | undefined
  let release: () => void = () => {}
  let waiting = new AbortController()
  /** The options of the request that holds the lock. */
  let holding: LockOptions | null = null

  function queue(steal: boolean) {
    if (stopped || !locks) return
    waiting.abort()
    waiting = new AbortController()
    // A request that steals can't be aborted.
    const options: LockOptions = steal ? { steal } : { signal: waiting.signal }
    locks
      .request(name, options, async () => {
        if (stopped) return
        holding = options
        leading = true
        onChange(true)
        await new Promise<void>((resolve) => {
          release = resolve
        })
      })
      // Aborted here, or stolen while this tab was frozen.
      .catch(() => {})
      .then(() => {
        // A request that was aborted, or granted and then stolen by a later one of this tab, ends no leadership.
        if (holding !== options || stopped) return
        holding = null
        leading = false
        onChange(false)
        queue(false)
      })
  }

  const requestLead = () => {
    clearTimeout(stealTimer)
    if (leading || page.visibilityState === 'hidden') return
    post({ kind: 'lead-requested' })
    stealTimer = setTimeout(() => {
      if (!leading) queue(true)
    }, LEADER_TIMEOUT_MS)
  }
  channel.addEventListener('message', ({ data }: MessageEvent<TabMessage>) => {
    if (data.kind === 'lead-refused') clearTimeout(stealTimer)
    else if (data.kind !== 'lead-requested') onMessage(data)
    else if (!leading) return
    else if (page.visibilityState === 'hidden') release()
    else post({ kind: 'lead-refused' })
  })
  page.addEventListener('visibilitychange', requestLead)
  queue(false)
  requestLead()
  return {
    isLeader: () => leading,
    post,
    stop: () => {
      stopped = true
      clearTimeout(stealTimer)
      waiting.abort()
      release()
      channel.close()
      page.removeEventListener('visibilitychange', requestLead)
    },
  }
}
