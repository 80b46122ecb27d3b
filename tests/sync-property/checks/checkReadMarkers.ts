import type { Browser } from '../types.ts'
import type { IndexedTables } from './expectedView.ts'

/** What was read in any tab must be read on the server, whichever tab sends it, unless it was marked unread since. */
export function checkReadMarkers(browsers: readonly Browser[], indexed: IndexedTables): string[] {
  const { profiles, channel_members, channel_member_state } = indexed.tables
  if (browsers.some(({ readActivity }) => readActivity.inconclusive)) return []
  return browsers.flatMap(({ label, person, readActivity }) => {
    const profile = profiles.find((one) => one.user_id === person.account)?.id
    const own = browsers.filter((one) => one.person === person)
    return [...readActivity.read].flatMap(([channel, seq]) => {
      const isHere = <T extends { channel_id: string; profile_id: string }>(row: T) =>
        row.channel_id === channel && row.profile_id === profile
      const unclear =
        own.some((one) => one.readActivity.unread.has(channel)) ||
        browsers.some((one) => one.readActivity.ended.has(`${channel} ${profile}`))
      const state = channel_member_state.find(isHere)
      if (unclear || !state || !channel_members.some(isHere) || state.last_read_seq >= seq) return []
      return [`${label}: ${channel} was read to ${seq}, and its marker is at ${state.last_read_seq}`]
    })
  })
}
