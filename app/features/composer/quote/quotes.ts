import { useSyncExternalStore } from 'react'

/** The message that the next message of a channel or thread quotes, by `<channel>/<root or empty>`. In memory. */
const quotes = new Map<string, string>()
const listeners = new Set<() => void>()
/** Places with a quote that was not sent; the oldest is dropped. */
const MAX_QUOTES = 50

function keyOf(channelId: string, threadRoot: string | null): string {
  return `${channelId}/${threadRoot ?? ''}`
}

/** Quotes a message in the composer of a channel or thread; null removes the quote. */
export function setQuote(channelId: string, threadRoot: string | null, messageId: string | null): void {
  const key = keyOf(channelId, threadRoot)
  quotes.delete(key)
  if (messageId !== null) quotes.set(key, messageId)
  const [oldest] = quotes.keys()
  if (quotes.size > MAX_QUOTES && oldest !== undefined) quotes.delete(oldest)
  for (const listener of listeners) listener()
}

/** The id of the message that the composer quotes, or null. */
export function useQuote(channelId: string, threadRoot: string | null): string | null {
  const key = keyOf(channelId, threadRoot)
  return useSyncExternalStore(subscribe, () => quotes.get(key) ?? null)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
