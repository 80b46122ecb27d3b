import { i18n } from '@lingui/core'
import { useEffect, useState } from 'react'
import type { Silence } from '../../../wire/moderation.ts'
import { runQuery } from '../client/runQuery.ts'
import { registerSentences, success } from '../failures/failures.ts'
import { createQuery } from '../queries/createQuery.ts'
import { useQuery } from '../queries/useQuery.ts'
import { getClientSession } from '../session/clientSession.ts'

// The composer loads this module.
registerSentences({
  slow_mode: () => i18n._('Slow mode: wait a moment before your next message.'),
  links_by_members: () => i18n._('Guests can’t send links here.'),
  person_blocked: () => i18n._('You’ve blocked this person. Unblock them in their profile to write.'),
})

/** The longest delay of a timer; a longer silence is looked at again then. */
const MAX_TIMER_MS = 86_400_000

/** At most one row. */
const ownSilences = createQuery({
  events: ['silence'],
  fetch: async () => {
    const { workspace, me } = getClientSession()?.store.get() ?? {}
    if (!workspace || !me) return success([])
    return runQuery<Silence[]>((client) =>
      client
        .from('silences')
        .select('profile_id, until, reason')
        .eq('workspace_id', workspace.id)
        .eq('profile_id', me.profile.id),
    )
  },
})

/** Until when the user may not write, and why; null if they may. */
export function useOwnSilence(): Silence | null {
  const silence = useQuery(ownSilences).value?.[0] ?? null
  const until = silence ? Date.parse(silence.until) : 0
  const [now, setNow] = useState(() => Date.now())
  const isSilenced = until > now
  useEffect(() => {
    if (!isSilenced) return undefined
    let timer: ReturnType<typeof setTimeout>
    const wait = () => {
      timer = setTimeout(check, Math.min(Math.max(until - Date.now(), 0), MAX_TIMER_MS))
    }
    const check = () => (until > Date.now() ? wait() : setNow(Date.now()))
    wait()
    return () => clearTimeout(timer)
  }, [until, isSilenced])
  return isSilenced ? silence : null
}
