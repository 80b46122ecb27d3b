import type { Browser } from '../browser.ts'
import type { Truth } from './truth.ts'

/** What a browser keeps on its disk that its person may not see. */
export function keptBehindWalls(browser: Browser, truth: Truth): string[] {
  const found: string[] = []
  const say = (what: string) => found.push(`${browser.label}: the cache keeps ${what}`)
  const { kept } = browser
  if (!kept) return found
  for (const { channel } of kept.base.entries) {
    if (!truth.entryOf(channel.id)) say(`the channel ${channel.name}`)
  }
  const known = new Set(truth.members.map((one) => one.profile.id))
  for (const { profile } of kept.base.members) if (!known.has(profile.id)) say(`the card of ${profile.name}`)
  for (const words of kept.words) {
    for (const message of words.messages) {
      const fresh = truth.message(message.id)
      if (!fresh) say(`“${message.body}”, not to be seen`)
      else if (fresh.deleted_at !== null && message.body !== '') say(`“${message.body}”, which was deleted`)
    }
  }
  return found
}
