import { i18n } from '@lingui/core'
import { isolateBidi } from '../../../data/people/isolateBidi.ts'
import { groupName } from '../groupName.ts'
import { isManuallyOrdered, type ListPosition } from './nextPosition.ts'

/** States the new position of a conversation. */
export function positionSentence(id: string, name: string, { group, index }: ListPosition): string {
  const place = isolateBidi(groupName(group))
  if (!isManuallyOrdered(group)) return i18n._('{name} moved to {place}.', { name: isolateBidi(name), place })
  const others = group.items.filter((item) => item.id !== id).length
  return i18n._('{name} moved to {place}, position {at} of {count}.', {
    name: isolateBidi(name),
    at: index + 1,
    count: others + 1,
    place,
  })
}
