import type { Me } from '../../features/parts/members/MeContext.ts'
import { PATHS, pathTo, type PageName, type PlainPageName } from '../../paths.ts'
import { ROUTES } from '../../routes.tsx'

/** A page of the settings. */
export interface SettingsRoute {
  name: PageName
  path: string
  title: () => string
  isFor: (me: Me) => boolean
  /** The user's own settings, or those of the workspace. */
  group: 'own' | 'workspace'
}

const isListed = (name: PageName): name is PlainPageName => name !== 'settings' && !PATHS[name].includes(':')

/** The pages of the settings that are listed, in the order of the table of routes. */
export const SETTINGS: readonly SettingsRoute[] = (Object.keys(ROUTES) as PageName[])
  .filter(isListed)
  .flatMap((name) => {
    const { title, isFor, settings: group } = ROUTES[name]
    return group ? [{ name, path: pathTo(name), title: title ?? (() => ''), isFor, group }] : []
  })
