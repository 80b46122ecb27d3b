import type { Browser } from '../browser.ts'
import type { Library } from './truth.ts'

/** What was written in a browser is there once, in its order, or still shown as refused; the outbox is empty. */
export function wrongSends(browser: Browser, library: Library): string[] {
  const found: string[] = []
  const say = (what: string) => found.push(`${browser.label}: ${what}`)
  for (const deed of browser.deeds) {
    if (deed.state === 'pending') say(`a ${deed.kind} still waits in the outbox`)
  }
  const refused = new Set(browser.deeds.map((one) => one.id))
  for (const id of browser.takenBack) {
    const row = library.messages.get(id)
    if (row && row.deleted_at === null) say(`“${row.body}” was taken back and is there`)
  }
  const last = new Map<string, { at: number; body: string }>()
  for (const one of browser.written) {
    const row = library.messages.get(one.id)
    if (!row) {
      if (!refused.has(one.id)) say(`“${one.body}” is nowhere`)
      continue
    }
    if (row.channel_id !== one.channel || row.thread_root !== one.root) say(`“${one.body}” went elsewhere`)
    if (one.refused) continue
    const at = Date.parse(row.created_at)
    const before = last.get(one.channel)
    if (before && at < before.at) say(`“${one.body}” came before “${before.body}”`)
    last.set(one.channel, { at, body: one.body })
  }
  for (const tab of browser.tabs) {
    for (const { id, channel, body, kind } of tab.outbox.items()) {
      const row = kind === 'send' && tab.store.get().channels.get(channel)?.messages.get(id)
      if (row) say(`“${body}” is there and stands as refused in ${tab.label}`)
    }
    for (const message of tab.outbox.landed()) {
      const rows = tab.store.get().channels.get(message.channel_id)
      // Amid old words there is no place for it yet.
      if (rows?.windows.at(-1)?.to === rows?.entry.counters.last_seq) {
        say(`the overlay of “${message.body}” stayed in ${tab.label}`)
      }
    }
  }
  return found
}
