import { i18n } from '@lingui/core'
import type { ComponentType } from 'react'
import { lazyComponent } from '../../../ui/lazyComponent.tsx'
import About from './About.tsx'
import Appearance from './Appearance.tsx'
import OwnProfile from './OwnProfile.tsx'
import OwnWorkspace from './OwnWorkspace.tsx'

/** A section of the page of the user's own settings. */
export interface OwnSection {
  /** Opens the page at this section. */
  path: string
  label: () => string
  hint?: () => string
  Component: ComponentType
}

/** In the order of the page. */
export const OWN_SECTIONS: readonly [OwnSection, ...OwnSection[]] = [
  {
    path: '/settings',
    label: () => i18n._('Profile'),
    hint: () => i18n._('How you appear to others in the workspace.'),
    Component: OwnProfile,
  },
  {
    path: '/settings/security',
    label: () => i18n._('Account and security'),
    Component: lazyComponent(() => import('./security/Security.tsx')),
  },
  {
    path: '/settings/notifications',
    label: () => i18n._('Notifications'),
    Component: lazyComponent(() => import('./notifications/Notifications.tsx')),
  },
  {
    path: '/settings/appearance',
    label: () => i18n._('Appearance and language'),
    hint: () => i18n._('Applies to this device only.'),
    Component: Appearance,
  },
  {
    path: '/settings/export',
    label: () => i18n._('Your data'),
    Component: lazyComponent(() => import('./export/ExportOwnData.tsx')),
  },
  { path: '/settings/workspace', label: () => i18n._('Workspace'), Component: OwnWorkspace },
  { path: '/settings/about', label: () => i18n._('About Linnet'), Component: About },
]

/** The section at which a path opens the page: the first one for a path that no section has. */
export const sectionOf = (path: string): OwnSection =>
  OWN_SECTIONS.find((section) => section.path === path) ?? OWN_SECTIONS[0]
