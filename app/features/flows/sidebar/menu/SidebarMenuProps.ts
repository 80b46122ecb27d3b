import type { SidebarGroup } from '../../../../data/sidebar/sidebarGroups.ts'
import type { MenuRequest } from '../useSidebarGestures.ts'

export interface SidebarMenuProps extends MenuRequest {
  groups: readonly SidebarGroup[]
  openId: string | null
  onClose: () => void
}
