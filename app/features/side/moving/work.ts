import { i18n } from '@lingui/core'
import type { Outcome } from '../../../data/failures/failures.ts'
import { moveConversation, moveSection } from '../../../data/sidebar/sidebarCommands.ts'
import type { SideGroup } from '../../../data/sidebar/sections.ts'
import { announce } from '../../../ui/announce.ts'
import { isolated } from '../../../data/people/isolateBidi.ts'
import { groupName } from '../groupName.ts'
import { placeWords } from './placeWords.ts'
import type { Place } from './stepOf.ts'

/** What a move needs of the side around it. */
export interface Work {
  groups: readonly SideGroup[]
  keeping: (ask: () => Promise<Outcome<unknown>>) => void
  /** A finger rested on this without moving. */
  onMenu: (target: Element) => void
}

/** Puts a conversation there and says so. */
export function put({ groups, keeping }: Pick<Work, 'groups' | 'keeping'>, id: string, place: Place): void {
  const item = groups.flatMap((group) => group.items).find((one) => one.id === id)
  if (!item) return
  keeping(() => moveConversation(item, place.group, place.index))
  announce(placeWords(id, item.name, place))
}

/** Puts a section there among those made by hand and says so. */
export function putSection(
  { groups, keeping }: Pick<Work, 'groups' | 'keeping'>,
  id: string,
  index: number,
): void {
  const own = groups.filter((group) => group.kind === 'own')
  const group = own.find((one) => one.key === id)
  if (!group) return
  keeping(() => moveSection(id, index))
  announce(
    i18n._('{name} moved to position {at} of {count}.', {
      name: isolated(groupName(group)),
      at: index + 1,
      count: own.length,
    }),
  )
}
