import type { Me } from '../../features/parts/members/MeContext.ts'
import { PATHS, pathTo, type PageName, type PlainPageName } from '../../paths.ts'
import { ROUTES } from '../../routes.tsx'

export type SettingsName = Extract<
  PlainPageName,
  `${string}Settings` | 'about' | 'moderation' | 'auditLog' | 'serverHealth'
>

/** A page of the settings. */
export interface SettingsRoute {
  name: SettingsName
  path: string
  title: () => string
  isFor: (me: Me) => boolean
  /** Whether it is a page of its own for the workspace; otherwise a section of the page of the user's own settings. */
  isWorkspaceSettings: boolean
}

const isSettings = (name: PageName): name is SettingsName =>
  PATHS[name].startsWith(PATHS.profileSettings) && !PATHS[name].includes(':')

/** All settings of the table of routes, in its order. */
export const SETTINGS: readonly SettingsRoute[] = (Object.keys(ROUTES) as PageName[])
  .filter(isSettings)
  .map((name) => {
    const { Component, title, isFor } = ROUTES[name]
    return {
      name,
      path: pathTo(name),
      title: title ?? (() => ''),
      isFor,
      isWorkspaceSettings: Component !== ROUTES.profileSettings.Component,
    }
  })
