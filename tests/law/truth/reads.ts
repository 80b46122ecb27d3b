import type { Browser } from '../browser.ts'
import type { Library } from './truth.ts'

/** What was read in any tab is read, whichever tab sends it, unless it was marked unread since. */
export function lostReads(browsers: readonly Browser[], library: Library): string[] {
  const { profiles, channel_members, channel_state } = library.facts
  if (browsers.some(({ reading }) => reading.void)) return []
  return browsers.flatMap(({ label, person, reading }) => {
    const profile = profiles.find((one) => one.user_id === person.account)?.id
    const own = browsers.filter((one) => one.person === person)
    return [...reading.read].flatMap(([channel, seq]) => {
      const isHere = <T extends { channel_id: string; profile_id: string }>(row: T) =>
        row.channel_id === channel && row.profile_id === profile
      const unclear =
        own.some((one) => one.reading.unread.has(channel)) ||
        browsers.some((one) => one.reading.ended.has(`${channel} ${profile}`))
      const state = channel_state.find(isHere)
      if (unclear || !state || !channel_members.some(isHere) || state.last_read_seq >= seq) return []
      return [`${label}: ${channel} was read to ${seq}, and its marker is at ${state.last_read_seq}`]
    })
  })
}
