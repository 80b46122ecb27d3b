import { Redirect } from 'wouter'
import { useSidebar, type SidebarItem } from '../../data/channels/channels.ts'
import { lazyComponent } from '../../ui/lazyComponent.tsx'
import { lastChannel } from './navigation/lastChannel.ts'

const EmptyWorkspace = lazyComponent(() => import('./EmptyWorkspace.tsx'))

/** The start beside the side: the conversation one was in last, or a word on what to do first. */
export function Landing() {
  const { channels, directs } = useSidebar()
  const all = [...channels, ...directs]
  const last = lastChannel()
  const to = all.find((item) => item.id === last) ?? latestOf(all)
  return to ? <Redirect to={`/c/${to.id}`} replace /> : <EmptyWorkspace />
}

/** Where something was written last. */
function latestOf(items: SidebarItem[]): SidebarItem | undefined {
  return [...items].sort((a, b) => (b.lastMessageAt ?? '').localeCompare(a.lastMessageAt ?? ''))[0]
}
