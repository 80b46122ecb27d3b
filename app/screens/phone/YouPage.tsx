import { i18n } from '@lingui/core'
import BellOff from 'lucide-react/icons/bell-off'
import Bookmark from 'lucide-react/icons/bookmark'
import CircleUserRound from 'lucide-react/icons/circle-user-round'
import Clock from 'lucide-react/icons/clock'
import LogOut from 'lucide-react/icons/log-out'
import Settings from 'lucide-react/icons/settings'
import Smile from 'lucide-react/icons/smile'
import SquarePen from 'lucide-react/icons/square-pen'
import UserPlus from 'lucide-react/icons/user-plus'
import type { ComponentProps } from 'react'
import { useDrafts } from '../../data/messages/useDrafts.ts'
import { useSavedMessages } from '../../data/messages/savedMessages.ts'
import { useScheduledMessages } from '../../data/messages/scheduledMessages.ts'
import { usePresence, usePresenceChoice, useStatus } from '../../data/people/people.ts'
import { useConnection } from '../../data/session/useWorkspace.ts'
import { canInvite } from '../../data/workspaces/workspacePermissions.ts'
import { expiryText } from '../../features/flows/people/status/expiryText.ts'
import { PresenceMenuButton } from '../../features/flows/people/status/PresenceMenuButton.tsx'
import { useSignOut } from '../../features/flows/signOut/useSignOut.ts'
import { Avatar } from '../../features/parts/members/avatar/Avatar.tsx'
import { useMe } from '../../features/parts/members/MeContext.ts'
import { presenceLabel } from '../../features/parts/members/presenceLabel.ts'
import { statusText } from '../../features/parts/members/StatusEmoji.tsx'
import { useOverlay } from '../../features/parts/overlays/OverlayContext.ts'
import { pathTo, type PlainPageName } from '../../paths.ts'
import styles from './entryRow.module.css'
import { ListPage } from '../../shell/ListPage.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { Link } from '../../ui/Link.tsx'
import { PresenceDot } from '../../ui/PresenceDot.tsx'
import { statusActionLabel } from '../../features/flows/people/status/statusActionLabel.ts'

/** The page with what belongs to the user: presence and status, own lists, settings, and signing out. */
export default function YouPage() {
  const me = useMe()
  const open = useOverlay()
  const signOut = useSignOut()
  const status = useStatus(me.profile.id)
  const saved = [...useSavedMessages().values()].filter(({ state }) => state === 'saved').length
  return (
    <ListPage title={i18n._('You')} back={null}>
      <ul className={styles.list}>
        <li>
          <OwnPresence />
        </li>
        <li>
          <DoNotDisturb />
        </li>
        <ActionRow
          icon={Smile}
          name={statusActionLabel(status !== null)}
          onSelect={() => open({ kind: 'status' })}
        />
        <ActionRow
          icon={CircleUserRound}
          name={i18n._('View profile')}
          onSelect={() => open({ kind: 'person', id: me.profile.id })}
        />
      </ul>
      <ul className={styles.list}>
        <PageRow page="drafts" icon={SquarePen} name={i18n._('Drafts')} count={useDrafts().size} />
        <PageRow
          page="scheduled"
          icon={Clock}
          name={i18n._('Scheduled')}
          count={useScheduledMessages().length}
        />
        <PageRow page="saved" icon={Bookmark} name={i18n._('Saved')} count={saved} />
      </ul>
      <ul className={styles.list}>
        <PageRow page="settings" icon={Settings} name={i18n._('Settings')} />
        {canInvite(me) ? (
          <ActionRow
            icon={UserPlus}
            name={i18n._('Invite people')}
            onSelect={() => open({ kind: 'invite' })}
          />
        ) : null}
        <ActionRow icon={LogOut} name={i18n._('Sign out')} onSelect={signOut} />
      </ul>
    </ListPage>
  )
}

/** The user's name, presence and status; opens the menu of the presence. */
function OwnPresence() {
  const { profile } = useMe()
  const known = usePresence(profile.id)
  const status = useStatus(profile.id)
  const presence = useConnection() === 'offline' ? 'offline' : known
  const line = status ? statusText(status) : presenceLabel(presence)
  return (
    <PresenceMenuButton
      className={styles.entry}
      bare
      label={[profile.name, presenceLabel(presence), status ? line : ''].filter(Boolean).join(', ')}
    >
      <Avatar id={profile.id} name={profile.name} size={56} />
      <span className={styles.text}>
        <span className={styles.first}>
          <bdi className={styles.name}>{profile.name}</bdi>
          <PresenceDot state={presence} label="" />
        </span>
        <bdi className={styles.second}>{line}</bdi>
      </span>
    </PresenceMenuButton>
  )
}

/** Whether “Do not disturb” is on, and until when; opens the menu of the presence. */
function DoNotDisturb() {
  const { profile } = useMe()
  const name = presenceLabel('dnd')
  const isOn = usePresenceChoice(profile.id) === 'dnd'
  const until = isOn ? expiryText(profile.presence_until) || i18n._('until I change it') : i18n._('Off')
  return (
    <PresenceMenuButton className={styles.entry} bare label={`${name}, ${until}`}>
      <RowContent icon={BellOff} name={name} />
      <span className={styles.end}>{until}</span>
    </PresenceMenuButton>
  )
}

interface RowProps {
  icon: ComponentProps<typeof Icon>['of']
  name: string
}

function ActionRow({ icon, name, onSelect }: RowProps & { onSelect: () => void }) {
  return (
    <li>
      <button type="button" className={styles.entry} data-entry onClick={onSelect}>
        <RowContent icon={icon} name={name} />
      </button>
    </li>
  )
}

function PageRow({ page, icon, name, count = 0 }: RowProps & { page: PlainPageName; count?: number }) {
  return (
    <li>
      <Link href={pathTo(page)} className={styles.entry} data-entry>
        <RowContent icon={icon} name={name} />
        {count > 0 ? <span className={styles.end}>{count}</span> : null}
      </Link>
    </li>
  )
}

function RowContent({ icon, name }: RowProps) {
  return (
    <>
      <span className={styles.icon}>
        <Icon of={icon} size={20} />
      </span>
      <span className={styles.text}>{name}</span>
    </>
  )
}
