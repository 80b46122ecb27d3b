import { i18n } from '@lingui/core'
import type { Outcome } from '../../../../data/failures/failures.ts'
import { moveConversation, moveSection } from '../../../../data/sidebar/sidebarCommands.ts'
import type { SidebarGroup } from '../../../../data/sidebar/sections.ts'
import { announce } from '../../../../ui/announce.ts'
import { isolateBidi } from '../../../../data/people/isolateBidi.ts'
import { groupName } from '../groupName.ts'
import { isManuallyOrdered, type ListPosition } from './nextPosition.ts'

/** What a move needs from the sidebar. */
export interface MoveContext {
  groups: readonly SidebarGroup[]
  runWithToast: (sendRequest: () => Promise<Outcome<unknown>>) => void
  /** A long press ended without a drag. */
  onMenu: (target: Element) => void
}

/** Moves a conversation and announces its new position. */
export function moveToPosition(
  { groups, runWithToast }: Pick<MoveContext, 'groups' | 'runWithToast'>,
  id: string,
  position: ListPosition,
): void {
  const item = groups.flatMap((group) => group.items).find((one) => one.id === id)
  if (!item) return
  runWithToast(() => moveConversation(item, position.group, position.index))
  announce(positionSentence(id, item.name, position))
}

/** Moves a section among the user's own and announces its new position. */
export function moveSectionToPosition(
  { groups, runWithToast }: Pick<MoveContext, 'groups' | 'runWithToast'>,
  id: string,
  index: number,
): void {
  const own = groups.filter((group) => group.kind === 'section')
  const group = own.find((one) => one.key === id)
  if (!group) return
  runWithToast(() => moveSection(id, index))
  announce(
    i18n._('{name} moved to position {at} of {count}.', {
      name: isolateBidi(groupName(group)),
      at: index + 1,
      count: own.length,
    }),
  )
}

/** States the new position of a conversation. */
function positionSentence(id: string, name: string, { group, index }: ListPosition): string {
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
