import { i18n } from '@lingui/core'
import { useMemo } from 'react'
import { publicChannels } from '../../../data/channels/publicChannels.ts'
import { useSidebar } from '../../../data/channels/channels.ts'
import { useUserGroups } from '../../../data/userGroups/useUserGroups.ts'
import { useMembers } from '../../../data/people/people.ts'
import { useQuery } from '../../../data/queries/useQuery.ts'
import { useMe } from '../../parts/members/MeContext.ts'
import type { NamedConversation, QueryContext } from './parseQuery.ts'

/** Where the browser does not know it. */
const MONDAY = 1

/** What names and dates in a search of this reader refer to: all people and conversations that they can see. */
export function useQueryContext(): QueryContext {
  const me = useMe()
  const members = useMembers()
  const groups = useUserGroups()
  const { channels, directs } = useSidebar()
  const { value: others } = useQuery(me.role === 'guest' ? null : publicChannels)
  return useMemo(() => {
    const joined = [...channels, ...directs].map(({ id, name, kind, selfDirect }) => ({
      id,
      name: selfDirect ? me.profile.name : name,
      kind,
    }))
    const known = new Set(joined.map(({ id }) => id))
    const rest = (others ?? [])
      .filter(({ channel }) => !known.has(channel.id))
      .map(({ channel: { id, name, kind } }): NamedConversation => ({ id, name: name ?? '', kind }))
    return {
      me: me.profile.id,
      people: members.map(({ profile: { id, name } }) => ({ id, name })),
      groups: groups.map(({ id, name }) => ({ id: id.slice(1), name })),
      conversations: [...joined, ...rest],
      ...regionalCalendar(),
    }
  }, [me.profile.id, me.profile.name, members, groups, channels, directs, others])
}

function regionalCalendar(): Pick<QueryContext, 'isDayFirst' | 'firstWeekday'> {
  const locales = [i18n.locales ?? i18n.locale].flat()
  const parts = new Intl.DateTimeFormat(locales).formatToParts(new Date(2026, 0, 2))
  const order = parts.map(({ type }) => type)
  const locale = new Intl.Locale(locales[0] ?? 'en') as Intl.Locale & {
    getWeekInfo?: () => { firstDay: number }
    weekInfo?: { firstDay: number }
  }
  const firstDay = (locale.getWeekInfo?.() ?? locale.weekInfo)?.firstDay ?? MONDAY
  return { isDayFirst: order.indexOf('day') < order.indexOf('month'), firstWeekday: firstDay % 7 }
}
