import type { Browser } from '../types.ts'
import type { IndexedTables } from './expectedView.ts'

/** Messages of a browser are stored once, in order, or shown as refused; nothing is pending. */
export function checkOutbox(browser: Browser, indexed: IndexedTables): string[] {
  const found: string[] = []
  const report = (what: string) => found.push(`${browser.label}: ${what}`)
  for (const mutation of browser.mutations) {
    if (mutation.state === 'pending') report(`a ${mutation.kind} is still pending in the outbox`)
  }
  const refused = new Set(browser.mutations.map((one) => one.id))
  for (const id of browser.discarded) {
    const row = indexed.messages.get(id)
    if (row && row.deleted_at === null) report(`“${row.body}” was discarded and is stored`)
  }
  const last = new Map<string, { at: number; body: string }>()
  for (const one of browser.sentMessages) {
    const row = indexed.messages.get(one.id)
    if (!row) {
      if (!refused.has(one.id)) report(`“${one.body}” is not stored`)
      continue
    }
    if (row.channel_id !== one.channel || row.thread_root !== one.root)
      report(`“${one.body}” was stored elsewhere`)
    if (one.refused) continue
    const at = Date.parse(row.created_at)
    const before = last.get(one.channel)
    if (before && at < before.at) report(`“${one.body}” came before “${before.body}”`)
    last.set(one.channel, { at, body: one.body })
  }
  for (const tab of browser.tabs) {
    for (const { id, channel, body, kind } of tab.outbox.items()) {
      const row = kind === 'send' && tab.store.get().channels.get(channel)?.messages.get(id)
      if (row) report(`“${body}” is stored and shown as refused in ${tab.label}`)
    }
    for (const message of tab.outbox.unplacedMessages()) {
      const rows = tab.store.get().channels.get(message.channel_id)
      // A window of older messages does not show it yet.
      if (rows?.windows.at(-1)?.to === rows?.entry.counters.last_seq) {
        report(`“${message.body}” is still displayed as accepted in ${tab.label}`)
      }
    }
  }
  return found
}
