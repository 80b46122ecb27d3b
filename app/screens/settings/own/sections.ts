import { i18n } from '@lingui/core'
import type { ComponentType } from 'react'
import { lazyComponent } from '../../../ui/lazyComponent.tsx'
import type { SettingsName } from '../settingsRoutes.ts'
import About from './About.tsx'
import Appearance from './Appearance.tsx'
import OwnProfile from './OwnProfile.tsx'
import OwnWorkspace from './OwnWorkspace.tsx'

/** What a section of the page of the user's own settings contains. */
interface Section {
  hint?: () => string
  Component: ComponentType
}

/** The content of each section. */
export const SECTIONS: Partial<Record<SettingsName, Section>> = {
  profileSettings: {
    hint: () => i18n._('How you appear to others in the workspace.'),
    Component: OwnProfile,
  },
  securitySettings: { Component: lazyComponent(() => import('./security/Security.tsx')) },
  notificationSettings: { Component: lazyComponent(() => import('./notifications/Notifications.tsx')) },
  appearanceSettings: { hint: () => i18n._('Applies to this device only.'), Component: Appearance },
  exportSettings: { Component: lazyComponent(() => import('./export/ExportOwnData.tsx')) },
  workspaceSettings: { Component: OwnWorkspace },
  about: { Component: About },
}
