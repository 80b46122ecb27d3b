import { i18n } from '@lingui/core'
import { Redirect } from 'wouter'
import { useSidebar, type SidebarItem } from '../../data/channels/channels.ts'
import { Button } from '../../ui/Button.tsx'
import { useMe } from '../../features/people/MeContext.ts'
import { useOverlay } from '../../features/overlays/OverlayContext.ts'
import { lastChannel } from './going/lastChannel.ts'
import styles from './Landing.module.css'

/** The start beside the side: the conversation one was in last, or a word on what to do first. */
export function Landing() {
  const { channels, directs } = useSidebar()
  const { role } = useMe()
  const open = useOverlay()
  const all = [...channels, ...directs]
  const last = lastChannel()
  const to = all.find((item) => item.id === last) ?? latestOf(all)
  if (to) return <Redirect to={`/c/${to.id}`} replace />
  return (
    <div className={styles.landing}>
      <h1 className={styles.title}>{i18n._('Nothing here yet')}</h1>
      {role === 'guest' ? (
        <p>{i18n._('You are in no channel yet. Whoever invited you can add you to one.')}</p>
      ) : (
        <>
          <p>{i18n._('Join a channel that exists, or create the first one.')}</p>
          <div className={styles.ways}>
            <Button onClick={() => open({ kind: 'browse-channels' })}>{i18n._('Browse channels')}</Button>
            <Button look="primary" onClick={() => open({ kind: 'create-channel' })}>
              {i18n._('Create a channel')}
            </Button>
          </div>
        </>
      )}
    </div>
  )
}

/** Where something was written last. */
function latestOf(items: SidebarItem[]): SidebarItem | undefined {
  return [...items].sort((a, b) => (b.lastMessageAt ?? '').localeCompare(a.lastMessageAt ?? ''))[0]
}
