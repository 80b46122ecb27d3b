import { i18n } from '@lingui/core'
import type { SidebarGroup } from '../../../data/sidebar/sections.ts'

/** The name of a group of the sidebar. */
export function groupName({ kind, section }: Pick<SidebarGroup, 'kind' | 'section'>): string {
  if (kind === 'starred') return i18n._('Starred')
  if (kind === 'channels') return i18n._('Channels')
  if (kind === 'people') return i18n._('People')
  return section?.name ?? ''
}
