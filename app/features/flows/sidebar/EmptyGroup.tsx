import { i18n } from '@lingui/core'
import type { SidebarGroup } from '../../../data/sidebar/sections.ts'
import { useMe } from '../../parts/members/MeContext.ts'

/** The sentence in an empty group of the sidebar. */
export default function EmptyGroup({ kind }: Pick<SidebarGroup, 'kind'>) {
  const isGuest = useMe().role === 'guest'
  if (kind === 'section') return i18n._('Drag conversations here, or use “Move to” in their menu.')
  if (kind === 'people') return i18n._('Select + to message someone or start a group.')
  return isGuest
    ? i18n._('You’re not in any channels yet. Ask whoever invited you to add you.')
    : i18n._('You’re not in any channels yet. Select + to browse or create one.')
}
