import type { SideGroup } from '../../../data/sidebar/sidebarGroups.ts'
import type { MenuRequest } from '../useSidebarGestures.ts'

export interface SidebarMenuProps extends MenuRequest {
  groups: readonly SideGroup[]
  openId: string | null
  onClose: () => void
}
