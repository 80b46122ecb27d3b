import { i18n } from '@lingui/core'
import { useNameOf } from '../../../data/people/useNameOf.ts'
import { useMe } from './MeContext.ts'

/** "You, Bea and 3 others". */
export function useNames(ids: string[], count: number): string {
  const me = useMe()
  const nameOf = useNameOf()
  const names = [...ids]
    .sort((a, b) => Number(b === me.profile.id) - Number(a === me.profile.id))
    .slice(0, 8)
    .map((id) => (id === me.profile.id ? i18n._('You') : (nameOf(id) ?? i18n._('someone'))))
  const rest = count - names.length
  if (rest > 0) names.push(i18n._('{rest, plural, one {# other} other {# others}}', { rest }))
  return new Intl.ListFormat(i18n.locale, { type: 'conjunction' }).format(names)
}
