import { i18n } from '@lingui/core'
import Check from 'lucide-react/icons/check'
import TriangleAlert from 'lucide-react/icons/triangle-alert'
import { useState } from 'react'
import { Link } from 'wouter'
import type { WorkspaceHealth } from '../../../../wire/administration.ts'
import { readHealth } from '../../../data/administration/health.ts'
import { useMe } from '../../../features/members/MeContext.ts'
import { Button } from '../../../ui/Button.tsx'
import { cx } from '../../../ui/cx.ts'
import { formatTime } from '../../../ui/dates.ts'
import { Icon } from '../../../ui/Icon.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { useAsync } from '../../../ui/useAsync.ts'
import { PaneFrame } from '../PaneFrame.tsx'
import { SettingsSection } from '../SettingsSection.tsx'
import settingsStyles from '../SettingsPane.module.css'
import { findingsOf, type Finding } from './findings.ts'
import { RestoreNotice } from './RestoreNotice.tsx'
import styles from './HealthPane.module.css'

/** What works and what does not, with what to do, for owners and admins. */
export default function HealthPane() {
  const [reloadKey, setReloadKey] = useState(0)
  const outcome = useAsync(readHealth, reloadKey)
  const { role } = useMe()
  const reload = () => setReloadKey(reloadKey + 1)
  const restore = outcome?.ok ? outcome.value.server?.restore : null
  return (
    <PaneFrame title={i18n._('Server health')}>
      {restore ? <RestoreNotice restore={restore} isOwner={role === 'owner'} onChange={reload} /> : null}
      {outcome?.ok ? <Findings health={outcome.value} /> : null}
      {outcome ? null : <Skeleton label={i18n._('Loading…')} />}
      {outcome && !outcome.ok ? <p role="alert">{outcome.failure.message}</p> : null}
      <div className={settingsStyles.line}>
        <Button onClick={reload}>{i18n._('Check again')}</Button>
        {outcome?.ok ? (
          <span role="status" className={settingsStyles.small}>
            {i18n._('Checked at {time}', { time: formatTime(outcome.value.checked_at) })}
          </span>
        ) : null}
      </div>
    </PaneFrame>
  )
}

function Findings({ health }: { health: WorkspaceHealth }) {
  const found = findingsOf(health)
  const problems = found.filter(({ isFine }) => !isFine)
  return (
    <>
      <SettingsSection title={i18n._('Needs attention')}>
        {problems.length ? (
          <ul className={styles.list}>
            {problems.map((one) => (
              <Problem key={one.title} finding={one} />
            ))}
          </ul>
        ) : (
          <p>{i18n._('Nothing. Everything that Linnet checks is working.')}</p>
        )}
      </SettingsSection>
      <SettingsSection title={i18n._('Working')}>
        <ul className={cx(styles.list, styles.fine)}>
          {found
            .filter(({ isFine }) => isFine)
            .map(({ title, sentences }) => (
              <li key={title} className={styles.finding}>
                <Icon of={Check} />
                <p>
                  <span className={styles.name}>{title}</span>{' '}
                  <span className={settingsStyles.muted}>{sentences.join(' ')}</span>
                </p>
              </li>
            ))}
        </ul>
        {health.server ? null : (
          <p className={settingsStyles.small}>
            {i18n._(
              'What is waiting on this server is shown to the owners and admins of its first workspace.',
            )}
          </p>
        )}
      </SettingsSection>
    </>
  )
}

function Problem({ finding: { title, sentences, advice, path } }: { finding: Finding }) {
  return (
    <li className={cx(styles.finding, styles.problem)}>
      <Icon of={TriangleAlert} />
      <div className={styles.details}>
        <h3 className={styles.name}>{title}</h3>
        <p>{sentences.join(' ')}</p>
        {advice.map((one) => (
          <p key={one} className={settingsStyles.muted}>
            {one}
          </p>
        ))}
        {path ? (
          <Link href={path} asChild>
            <Button>{i18n._('Open')}</Button>
          </Link>
        ) : null}
      </div>
    </li>
  )
}
