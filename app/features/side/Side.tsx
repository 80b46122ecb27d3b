import { i18n } from '@lingui/core'
import ChevronDown from 'lucide-react/icons/chevron-down'
import Plus from 'lucide-react/icons/plus'
import SquarePen from 'lucide-react/icons/square-pen'
import type { ReactNode } from 'react'
import { Link, useLocation } from 'wouter'
import { useSidebar } from '../../data/channels.ts'
import { usePresence } from '../../data/people.ts'
import { signOut } from '../../data/session/account.ts'
import { useConnection } from '../../data/session/session.ts'
import { Bird } from '../../ui/Bird.tsx'
import { Face } from '../../ui/Face.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import type { MenuItem } from '../../ui/Menu.tsx'
import { MenuButton } from '../../ui/MenuButton.tsx'
import { PresenceDot } from '../../ui/PresenceDot.tsx'
import { useOverlay } from '../overlays/OverlayContext.ts'
import { useMe } from '../people/MeContext.ts'
import { presenceWord } from '../people/presenceWord.ts'
import { commandKey } from '../shortcuts/commandKey.ts'
import styles from './Side.module.css'
import { SideRow } from './SideRow.tsx'

/** Where one is and where one can go: the workspace, its channels, its people. */
export function Side() {
  const me = useMe()
  const open = useOverlay()
  const { channels, directs } = useSidebar()
  const guest = me.role === 'guest'
  const add: MenuItem[] = [
    { label: i18n._('Create a channel'), onSelect: () => open({ kind: 'create-channel' }) },
    { label: i18n._('Browse channels'), onSelect: () => open({ kind: 'browse-channels' }) },
  ]
  return (
    <nav className={styles.side} aria-label={me.workspace.name}>
      <div className={styles.head}>
        <Bird />
        <bdi className={styles.workspace}>{me.workspace.name}</bdi>
        <WorkspaceMenu guest={guest} />
        <IconButton
          label={i18n._('New conversation')}
          icon={<Icon of={SquarePen} size={20} />}
          onClick={() => open({ kind: 'new-conversation' })}
        />
      </div>
      <button
        type="button"
        className={styles.find}
        aria-label={i18n._('Find anything')}
        onClick={() => open({ kind: 'palette' })}
      >
        <span>{i18n._('Find anything')}</span>
        <kbd>{commandKey('K')}</kbd>
      </button>
      <div className={styles.lists}>
        <Section
          title={i18n._('Channels')}
          action={
            guest ? null : (
              <MenuButton
                label={i18n._('Add a channel')}
                icon={<Icon of={Plus} />}
                items={add}
                className={styles.add}
              />
            )
          }
        >
          {channels.map((item) => (
            <SideRow key={item.id} item={item} />
          ))}
          {channels.length === 0 ? (
            <li className={styles.none}>
              {guest
                ? i18n._('You are in no channel yet. Whoever invited you can add you.')
                : i18n._('You are in no channel yet. Browse them or create one with the plus.')}
            </li>
          ) : null}
        </Section>
        <Section
          title={i18n._('People')}
          action={
            <IconButton
              label={i18n._('Start a conversation')}
              icon={<Icon of={Plus} />}
              className={styles.add}
              onClick={() => open({ kind: 'new-conversation' })}
            />
          }
        >
          {directs.map((item) => (
            <SideRow key={item.id} item={item} />
          ))}
          {directs.length === 0 ? (
            <li className={styles.none}>{i18n._('Write to one person, or a few, with the plus.')}</li>
          ) : null}
        </Section>
      </div>
      <Own />
    </nav>
  )
}

function Section({ title, action, children }: { title: string; action: ReactNode; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <div className={styles.sectionHead}>
        <h2 className={styles.sectionTitle}>{title}</h2>
        {action}
      </div>
      <ul className={styles.rows}>{children}</ul>
    </section>
  )
}

function WorkspaceMenu({ guest }: { guest: boolean }) {
  const open = useOverlay()
  const [, navigate] = useLocation()
  const items: MenuItem[] = []
  if (!guest) {
    items.push({ label: i18n._('Invite people'), onSelect: () => open({ kind: 'invite' }) })
    items.push({ label: i18n._('Browse channels'), onSelect: () => open({ kind: 'browse-channels' }) })
  }
  items.push({ label: i18n._('Settings'), onSelect: () => navigate('/settings') })
  items.push({ label: i18n._('Keyboard'), keys: '?', onSelect: () => open({ kind: 'keys' }) })
  items.push({
    label: i18n._('Sign out'),
    apart: true,
    onSelect: () => void signOut().then(() => navigate('/sign-in')),
  })
  return (
    <MenuButton
      label={i18n._('Workspace menu')}
      icon={<Icon of={ChevronDown} />}
      items={items}
      className={styles.menu}
    />
  )
}

/** The reader's own line at the foot. */
function Own() {
  const { profile } = useMe()
  const known = usePresence(profile.id)
  const presence = useConnection() === 'offline' ? 'offline' : known
  return (
    <Link
      href="/settings"
      className={styles.own}
      aria-label={i18n._('{name}, settings', { name: profile.name })}
    >
      <Face id={profile.id} name={profile.name} size={24} />
      <bdi className={styles.ownName}>{profile.name}</bdi>
      <PresenceDot state={presence} label={presenceWord(presence)} />
    </Link>
  )
}
