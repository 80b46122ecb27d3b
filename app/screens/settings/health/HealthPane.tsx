import { i18n } from '@lingui/core'
import Check from 'lucide-react/icons/check'
import CircleHelp from 'lucide-react/icons/circle-question-mark'
import Info from 'lucide-react/icons/info'
import TriangleAlert from 'lucide-react/icons/triangle-alert'
import { useState } from 'react'
import { navigate } from '../../../historyState.ts'
import { pathTo } from '../../../paths.ts'
import { findingsOfHealth } from '../../../../wire/databaseChecks.ts'
import { describeCheck } from '../../../../wire/describeCheck.ts'
import type { WorkspaceHealth } from '../../../../wire/administration.ts'
import {
  isCheckCode,
  isReminder,
  sortFindings,
  type CheckCode,
  type Finding,
} from '../../../../wire/serverChecks.ts'
import { postponeReminder } from '../../../data/administration/attention.ts'
import { checkAgain, workspaceHealth } from '../../../data/administration/health.ts'
import { useCheckLanguage } from '../../../features/parts/server/useCheckLanguage.ts'
import { useAction } from '../../../ui/useAction.ts'
import { useDevicePreference } from '../../../data/hooks/useDevicePreference.ts'
import { useQuery } from '../../../data/queries/useQuery.ts'
import { QueryContent } from '../../../features/parts/lists/QueryContent.tsx'
import { useMe } from '../../../features/parts/members/MeContext.ts'
import { TextWithCommands } from '../../../features/parts/TextWithCommands.tsx'
import { Button } from '../../../ui/Button.tsx'
import { cx } from '../../../ui/cx.ts'
import { formatDate, formatTime } from '../../../ui/dates.ts'
import { Icon } from '../../../ui/Icon.tsx'
import { PaneFrame } from '../PaneFrame.tsx'
import { SettingsSection } from '../SettingsSection.tsx'
import { RestoreNotice } from './RestoreNotice.tsx'
import styles from './HealthPane.module.css'

/** The checks of the server and of the workspace with what to do, for owners and admins. */
export default function HealthPane() {
  // A value that is known from earlier may be up to 15 minutes old.
  const query = useQuery(workspaceHealth, [], { freshMs: 0 })
  const check = useAction()
  const { role } = useMe()
  const onCheck = () => void check.run(checkAgain)
  return (
    <PaneFrame
      action={
        <Button variant="primary" busy={check.busy} onClick={onCheck}>
          {check.busy ? i18n._('Checking…') : i18n._('Check again')}
        </Button>
      }
    >
      <QueryContent query={query} loading={i18n._('Loading…')}>
        {(health) => (
          <>
            {health.server?.restore ? (
              <RestoreNotice restore={health.server.restore} isOwner={role === 'owner'} onChange={onCheck} />
            ) : null}
            <Findings health={health} isOwner={role === 'owner'} />
          </>
        )}
      </QueryContent>
      {check.failure ? <p role="alert">{check.failure}</p> : null}
      {query.value ? (
        <p role="status" className="note">
          {i18n._('Checked at {time}', {
            time: formatTime(query.value.server?.checks?.reported_at ?? query.value.checked_at),
          })}
        </p>
      ) : null}
    </PaneFrame>
  )
}

const icons = { problem: TriangleAlert, notice: Info, unknown: CircleHelp, ok: Check }

/** The panes that help with some findings. */
const paths: Partial<Record<CheckCode, string>> = {
  'files.nearly_full': pathTo('storageSettings'),
  'files.full': pathTo('storageSettings'),
  'mail.rejected': pathTo('peopleSettings'),
  'webhooks.disabled': pathTo('botSettings'),
}

/** The findings for which an owner makes a backup on the page "Server". */
const backupCodes = new Set<CheckCode>(['backups.none', 'backups.none_yet', 'backups.old', 'backups.failed'])

function Findings({ health, isOwner }: { health: WorkspaceHealth; isOwner: boolean }) {
  const checkLanguage = useCheckLanguage()
  // The notice above the list states that a restored server is paused.
  const findings = sortFindings(
    findingsOfHealth(health).filter(({ code }) => isCheckCode(code) && code !== 'outgoing.paused'),
  )
  const problems = findings.filter(({ state }) => state === 'problem')
  // What is unknown is listed only if something can be done about it, such as a server that reports nothing.
  const notices = findings.filter(
    (finding) =>
      finding.state === 'notice' ||
      (finding.state === 'unknown' && describeCheck(finding, checkLanguage).advice !== ''),
  )
  const others = findings.filter((finding) => !problems.includes(finding) && !notices.includes(finding))
  return (
    <>
      <SettingsSection title={i18n._('Needs attention')}>
        {problems.length > 0 ? (
          <FindingList findings={problems} isOwner={isOwner} />
        ) : (
          <p>{i18n._('No problems.')}</p>
        )}
      </SettingsSection>
      {notices.length > 0 ? (
        <SettingsSection title={i18n._('Recommended')}>
          <FindingList findings={notices} isOwner={isOwner} />
        </SettingsSection>
      ) : null}
      <SettingsSection title={i18n._('Working')}>
        <details>
          <summary className={styles.summary}>
            {i18n._('Show checks ({count})', { count: checkLanguage.count(others.length) })}
          </summary>
          <ul className={cx(styles.list, styles.fine)}>
            {others.map((finding) => (
              <FineItem key={keyOf(finding)} finding={finding} />
            ))}
          </ul>
        </details>
        {health.server ? null : (
          <p className="note">
            {i18n._('Only owners and admins of this server’s first workspace see its queues.')}
          </p>
        )}
      </SettingsSection>
    </>
  )
}

/** A code occurs once for each kind of job. */
const keyOf = ({ code, values }: Finding): string => `${code} ${'area' in values ? values.area : ''}`

function FindingList({ findings, isOwner }: { findings: readonly Finding[]; isOwner: boolean }) {
  return (
    <ul className={styles.list}>
      {findings.map((finding) => (
        <UrgentItem key={keyOf(finding)} finding={finding} isOwner={isOwner} />
      ))}
    </ul>
  )
}

function UrgentItem({ finding, isOwner }: { finding: Finding; isOwner: boolean }) {
  const checkLanguage = useCheckLanguage()
  const check = describeCheck(finding, checkLanguage)
  const advice = isOwner ? check.adviceForOwners : check.advice
  const opensBackups = isOwner && backupCodes.has(finding.code)
  const path = opensBackups ? `${pathTo('serverSettings')}#backups` : paths[finding.code]
  return (
    <li className={cx(styles.finding, styles[finding.state])}>
      <Icon of={icons[finding.state]} />
      <div className={styles.details}>
        <h3 className={styles.name}>{check.title}</h3>
        <p>{check.text}</p>
        {advice ? (
          <p className="muted">
            <TextWithCommands text={advice} />
          </p>
        ) : null}
        {path ? (
          <Button onClick={() => navigate(path)}>
            {opensBackups ? i18n._('Go to backups') : i18n._('Open')}
          </Button>
        ) : null}
        {isOwner && isReminder(finding) ? <Reminder code={finding.code} /> : null}
      </div>
    </li>
  )
}

/** Postpones the reminder of an owner. */
function Reminder({ code }: { code: CheckCode }) {
  const [postponed] = useDevicePreference('postponedReminders')
  const until = postponed[code] ?? 0
  const [now] = useState(Date.now)
  return until > now ? (
    <p className="note">
      {i18n._('You’ll be reminded again on {date}.', { date: formatDate(new Date(until).toISOString()) })}
    </p>
  ) : (
    <Button onClick={() => postponeReminder(code)}>{i18n._('Remind me in four weeks')}</Button>
  )
}

function FineItem({ finding }: { finding: Finding }) {
  const checkLanguage = useCheckLanguage()
  const { title, text } = describeCheck(finding, checkLanguage)
  return (
    <li className={styles.finding}>
      <Icon of={icons[finding.state]} />
      <p>
        <span className={styles.name}>{title}</span> <span className="muted">{text}</span>
      </p>
    </li>
  )
}
