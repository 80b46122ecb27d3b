import { i18n } from '@lingui/core'
import { Suspense, useCallback, useState } from 'react'
import { LIMITS } from '../../../../wire/limits.ts'
import { usePresence, usePresenceChoice, useStatus } from '../../../data/people/people.ts'
import { changeName, changePronouns, changeTitle } from '../../../data/people/profile.ts'
import { useOverlay } from '../../../features/parts/overlays/OverlayContext.ts'
import { OwnAvatar } from '../../../features/flows/people/picture/OwnAvatar.tsx'
import { useMe } from '../../../features/parts/members/MeContext.ts'
import { presenceLabel } from '../../../features/parts/members/presenceLabel.ts'
import { statusText } from '../../../features/parts/members/StatusEmoji.tsx'
import { expiryText } from '../../../features/flows/people/status/expiryText.ts'
import { Button } from '../../../ui/Button.tsx'
import { formatDayAndTime } from '../../../ui/dates.ts'
import { PresenceDot } from '../../../ui/PresenceDot.tsx'
import { NameForm } from '../NameForm.tsx'
import { PaneFrame } from '../PaneFrame.tsx'
import { TimeZoneChoice } from './TimeZoneChoice.tsx'
import styles from '../SettingsPane.module.css'
import { lazyComponent } from '../../../ui/lazyComponent.tsx'
import { statusActionLabel } from '../../../features/flows/people/status/statusActionLabel.ts'

const PresenceMenu = lazyComponent(() => import('../../../features/flows/people/status/PresenceMenu.tsx'))

/** The user's own profile: picture, name, status, presence. */
export default function ProfilePane() {
  const { profile, expires_at: accessEnds } = useMe()
  const open = useOverlay()
  const status = useStatus(profile.id)
  const presence = usePresence(profile.id)
  const manualPresence = usePresenceChoice(profile.id)
  const [anchor, setAnchor] = useState<HTMLElement | null>(null)
  const close = useCallback(() => setAnchor(null), [])
  return (
    <PaneFrame hint={i18n._('How you appear to others in the workspace.')}>
      {accessEnds ? (
        <p>
          {i18n._('You have access to this workspace until {time}.', { time: formatDayAndTime(accessEnds) })}
        </p>
      ) : null}
      <OwnAvatar />
      <NameForm
        key={profile.name}
        label={i18n._('Your name')}
        name={profile.name}
        maxLength={LIMITS.personNameCharacters}
        autoComplete="name"
        save={changeName}
      />
      <NameForm
        key={`pronouns ${profile.pronouns}`}
        label={i18n._('Pronouns')}
        hint={i18n._('How others refer to you, for example “she/her”. Shown on your profile.')}
        name={profile.pronouns ?? ''}
        maxLength={LIMITS.personPronounsCharacters}
        autoComplete="off"
        optional
        save={changePronouns}
      />
      <NameForm
        key={`title ${profile.title}`}
        label={i18n._('Title')}
        hint={i18n._('What you do, for example “Ward nurse”. Shown in the people directory.')}
        name={profile.title ?? ''}
        maxLength={LIMITS.personTitleCharacters}
        autoComplete="organization-title"
        optional
        save={changeTitle}
      />
      <TimeZoneChoice timeZone={profile.time_zone ?? null} />
      <div>
        <h2 className="label">{i18n._('Status')}</h2>
        <div className={styles.line}>
          <p className={styles.text}>
            {status ? <bdi>{statusText(status)}</bdi> : <span className="muted">{i18n._('None')}</span>}{' '}
            {status ? <span className="muted">{expiryText(status.status_expires_at)}</span> : null}
          </p>
          <Button onClick={() => open({ kind: 'status' })}>{statusActionLabel(status !== null)}</Button>
        </div>
      </div>
      <div>
        <h2 className="label">{i18n._('Presence')}</h2>
        <div className={styles.line}>
          <p className={styles.text}>
            <PresenceDot state={presence} label="" /> {presenceLabel(presence)}{' '}
            <span className="muted">
              {manualPresence === 'auto' ? '' : expiryText(profile.presence_until)}
            </span>
          </p>
          <Button
            aria-haspopup="menu"
            aria-expanded={anchor !== null}
            onClick={(event) => setAnchor(event.currentTarget)}
          >
            {i18n._('Change presence')}
          </Button>
          <Suspense>{anchor ? <PresenceMenu anchor={anchor} onClose={close} bare /> : null}</Suspense>
        </div>
        <p className="note">{i18n._('“Do not disturb” pauses notifications on all your devices.')}</p>
      </div>
    </PaneFrame>
  )
}
