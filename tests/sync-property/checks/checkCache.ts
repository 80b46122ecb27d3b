import type { Browser } from '../types.ts'
import type { ExpectedView } from './expectedView.ts'

/** What a browser has cached that its person may not see. */
export function checkCache(browser: Browser, expected: ExpectedView): string[] {
  const found: string[] = []
  const report = (what: string) => found.push(`${browser.label}: the cache has ${what}`)
  const { cached } = browser
  if (!cached) return found
  for (const { channel } of cached.workspace.entries) {
    if (!expected.entryOf(channel.id)) report(`the channel ${channel.name}`)
  }
  const known = new Set(expected.members.map((one) => one.profile.id))
  for (const { profile } of cached.workspace.members)
    if (!known.has(profile.id)) report(`the profile of ${profile.name}`)
  for (const words of cached.messages) {
    for (const message of words.messages) {
      const fresh = expected.message(message.id)
      if (!fresh) report(`“${message.body}”, which is not visible`)
      else if (fresh.deleted_at !== null && message.body !== '')
        report(`“${message.body}”, which was deleted`)
    }
  }
  return found
}
