import type { Uuid } from '../../../wire/scalars.ts'

/** Milliseconds between two announcements of a visible tab, and after which the one of a crashed tab expires. */
const ANNOUNCE_MS = 20_000
const EXPIRY_MS = 45_000

/** What a tab shows; both null: nothing, or the tab is hidden. */
export interface Viewed {
  /** The conversation whose timeline is visible. */
  channel: Uuid | null
  /** The visible thread. */
  root: Uuid | null
}

/** Sent by each tab whenever it shows something else. */
export interface ViewedMessage extends Viewed {
  kind: 'viewed'
  tab: string
}

export interface ViewedConversations {
  /** This tab shows something else, or became visible or hidden. */
  set: (viewed: Viewed) => void
  receive: (message: ViewedMessage) => void
  /** Whether a visible tab of this browser shows the conversation, or the thread. */
  has: (channel: Uuid, root: Uuid | null) => boolean
  stop: () => void
}

/** Which conversations the visible tabs of this browser show. */
export function createViewedConversations(
  tab: string,
  post: (message: ViewedMessage) => void,
): ViewedConversations {
  const others = new Map<string, Viewed & { at: number }>()
  let own: Viewed = { channel: null, root: null }
  const announce = () => post({ kind: 'viewed', tab, ...own })
  const timer = setInterval(() => {
    if (own.channel) announce()
  }, ANNOUNCE_MS)
  const shows = (viewed: Viewed, channel: Uuid, root: Uuid | null) =>
    root === null ? viewed.channel === channel : viewed.root === root
  return {
    set: (viewed) => {
      own = viewed
      announce()
    },
    receive: ({ tab: other, channel, root }) => {
      if (channel === null && root === null) others.delete(other)
      else others.set(other, { channel, root, at: performance.now() })
    },
    has: (channel, root) => {
      for (const [other, { at }] of others) if (performance.now() - at > EXPIRY_MS) others.delete(other)
      return shows(own, channel, root) || [...others.values()].some((one) => shows(one, channel, root))
    },
    stop: () => {
      clearInterval(timer)
      own = { channel: null, root: null }
      announce()
    },
  }
}
