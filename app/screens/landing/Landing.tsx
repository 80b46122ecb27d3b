import { Redirect } from '../../ui/Link.tsx'
import { pathTo } from '../../paths.ts'
import { useSidebar, type SidebarItem } from '../../data/channels/channels.ts'
import { readPreference } from '../../devicePreferences.ts'
import { useMe } from '../../features/parts/members/MeContext.ts'
import { lazyComponent } from '../../ui/lazyComponent.tsx'

const EmptyWorkspace = lazyComponent(() => import('./EmptyWorkspace.tsx'))

/** The start page beside the sidebar: redirects to the last conversation, or shows suggestions. */
export function Landing() {
  const { workspace } = useMe()
  const { channels, directs } = useSidebar()
  const all = [...channels, ...directs]
  const last = readPreference('lastChannel', workspace.id)
  const to = all.find((item) => item.id === last) ?? latestOf(all)
  return to ? <Redirect to={pathTo('channel', { channelId: to.id })} /> : <EmptyWorkspace />
}

/** Returns the conversation with the latest message. */
function latestOf(items: SidebarItem[]): SidebarItem | undefined {
  return [...items].sort((a, b) => (b.lastMessageAt ?? '').localeCompare(a.lastMessageAt ?? ''))[0]
}
