import { i18n } from '@lingui/core'
import type { Outcome } from '../../../data/failures/failures.ts'
import { moveConversation, moveSection } from '../../../data/sidebar/sidebarCommands.ts'
import type { SideGroup } from '../../../data/sidebar/sections.ts'
import { announce } from '../../../ui/announce.ts'
import { isolated } from '../../../data/people/isolateBidi.ts'
import { groupName } from '../groupName.ts'
import { positionSentence } from './positionSentence.ts'
import type { ListPosition } from './nextPosition.ts'

/** What a move needs of the side around it. */
export interface MoveContext {
  groups: readonly SideGroup[]
  runWithToast: (ask: () => Promise<Outcome<unknown>>) => void
  /** A finger rested on this without moving. */
  onMenu: (target: Element) => void
}

/** Puts a conversation there and says so. */
export function moveTo(
  { groups, runWithToast }: Pick<MoveContext, 'groups' | 'runWithToast'>,
  id: string,
  position: ListPosition,
): void {
  const item = groups.flatMap((group) => group.items).find((one) => one.id === id)
  if (!item) return
  runWithToast(() => moveConversation(item, position.group, position.index))
  announce(positionSentence(id, item.name, position))
}

/** Puts a section there among those made by hand and says so. */
export function moveSectionTo(
  { groups, runWithToast }: Pick<MoveContext, 'groups' | 'runWithToast'>,
  id: string,
  index: number,
): void {
  const own = groups.filter((group) => group.kind === 'own')
  const group = own.find((one) => one.key === id)
  if (!group) return
  runWithToast(() => moveSection(id, index))
  announce(
    i18n._('{name} moved to position {at} of {count}.', {
      name: isolated(groupName(group)),
      at: index + 1,
      count: own.length,
    }),
  )
}
