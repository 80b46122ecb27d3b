import { i18n } from '@lingui/core'
import { useState } from 'react'
import { pathTo } from '../../../paths.ts'
import type { Report, ReportOutcome, ReportState, Silence } from '../../../../wire/moderation.ts'
import {
  closeReport,
  endSilence,
  guestLinks,
  reportList,
  setGuestLinks,
  silenceList,
  takeReport,
} from '../../../data/moderation/moderation.ts'
import type { Outcome } from '../../../data/failures/failures.ts'
import { useChannel } from '../../../data/channels/channels.ts'
import { isolateBidi } from '../../../data/people/isolateBidi.ts'
import { useProfile } from '../../../data/people/people.ts'
import { usePagedQuery } from '../../../data/queries/pagedQuery.ts'
import { useQuery } from '../../../data/queries/useQuery.ts'
import { titleOf } from '../../../features/parts/channels/titleOf.ts'
import { LoadTogether } from '../../../features/parts/lists/LoadTogether.tsx'
import { PagedList } from '../../../features/parts/lists/PagedList.tsx'
import { QueryContent } from '../../../features/parts/lists/QueryContent.tsx'
import { useMe } from '../../../features/parts/members/MeContext.ts'
import { Body } from '../../../features/parts/body/Body.tsx'
import RemoveMessage from '../../../features/flows/moderation/RemoveMessage.tsx'
import SilencePerson from '../../../features/flows/moderation/SilencePerson.tsx'
import { Button } from '../../../ui/Button.tsx'
import { formatDateTime, formatDayAndTime } from '../../../ui/dates.ts'
import { Link } from '../../../ui/Link.tsx'
import { SelectField } from '../../../ui/SelectField.tsx'
import { Tabs } from '../../../ui/Tabs.tsx'
import { useToast } from '../../../ui/toast.ts'
import { PaneFrame } from '../PaneFrame.tsx'
import { SettingsSection } from '../SettingsSection.tsx'
import { SettingSwitch } from '../SettingSwitch.tsx'
import paneStyles from '../SettingsPane.module.css'
import styles from './ModerationPane.module.css'

/** Reports of messages, and who is silenced: for owners and admins. */
export default function ModerationPane() {
  const { role } = useMe()
  const [state, setState] = useState<ReportState>('open')
  if (role !== 'owner' && role !== 'admin') return null
  return (
    <PaneFrame>
      <LoadTogether>
        <SettingsSection
          title={i18n._('Reported messages')}
          hint={i18n._(
            'You see what was reported until the report is closed. Reports of your own messages go to the other admins.',
          )}
        >
          <Tabs
            label={i18n._('Reports')}
            value={state}
            tabs={[
              { value: 'open', label: i18n._('New') },
              { value: 'in_progress', label: i18n._('In progress') },
              { value: 'closed', label: i18n._('Done') },
            ]}
            onChange={setState}
          >
            <ReportList key={state} state={state} />
          </Tabs>
        </SettingsSection>
        <Silences />
        <GuestLinks />
      </LoadTogether>
    </PaneFrame>
  )
}

function ReportList({ state }: { state: ReportState }) {
  return (
    <PagedList
      label={i18n._('Reports')}
      className={styles.list}
      pages={usePagedQuery(reportList, [state])}
      empty={state === 'open' ? i18n._('No new reports.') : i18n._('No reports here.')}
      render={(report) => (
        <ReportRow
          key={report.id}
          first={report}
          onMoved={() =>
            reportList.change([state], (page) => ({
              ...page,
              items: page.items.filter(({ id }) => id !== report.id),
            }))
          }
        />
      )}
    />
  )
}

interface RowProps {
  first: Report
  /** The report is in another list now. */
  onMoved: () => void
}

function ReportRow({ first, onMoved }: RowProps) {
  const [report, setReport] = useState(first)
  const [open, setOpen] = useState<'remove' | 'silence' | null>(null)
  const [done, setDone] = useState<ReportOutcome>('no_action')
  const [busy, setBusy] = useState(false)
  const showToast = useToast()
  const author = useName(report.author_id)
  const reporter = useName(report.reporter_id)
  const handler = useName(report.handler_id)
  const run = async (action: Promise<Outcome<Report>>, text: string) => {
    setBusy(true)
    const outcome = await action
    setBusy(false)
    if (!outcome.ok) return showToast({ text: outcome.failure.message })
    showToast({ text })
    onMoved()
  }
  const outcomes = outcomeLabels()
  return (
    <li className={styles.report}>
      <p>
        {i18n._('{reporter} reported a message by {author}', { reporter, author })}{' '}
        <span className="muted">
          · <ReportedPlace report={report} />
        </span>
      </p>
      <p className="note">
        {formatDateTime(report.created_at)}
        {report.note ? (
          <>
            {' · '}
            <bdi>{report.note}</bdi>
          </>
        ) : null}
      </p>
      {report.snapshot ? (
        <blockquote className={styles.snapshot}>
          {report.snapshot.before.map((one) => (
            <EarlierMessage key={`${one.created_at} ${one.author_id}`} {...one} />
          ))}
          <div className={styles.reported}>
            <p className="label">
              {author} <span className="note">{formatDayAndTime(report.snapshot.created_at)}</span>
            </p>
            <Body body={report.snapshot.body} />
            {report.snapshot.files.length ? <p className="note">{report.snapshot.files.join(', ')}</p> : null}
          </div>
        </blockquote>
      ) : null}
      {report.state === 'closed' ? (
        <p className="note">
          {i18n._('{outcome}, {name}, {time}', {
            outcome: outcomes[report.outcome ?? 'no_action'],
            name: handler,
            time: formatDateTime(report.closed_at ?? report.created_at),
          })}
        </p>
      ) : (
        <>
          {report.state === 'in_progress' ? (
            <p className="note">{i18n._('{name} is looking at it.', { name: handler })}</p>
          ) : null}
          <div className={paneStyles.line}>
            {report.state === 'open' ? (
              <Button
                busy={busy}
                onClick={() => void run(takeReport(report.id), i18n._('Find it under “In progress”.'))}
              >
                {i18n._('I’ll look at it')}
              </Button>
            ) : null}
            {report.deleted ? (
              <p className="muted">{i18n._('The message is deleted.')}</p>
            ) : (
              <Button onClick={() => setOpen('remove')}>{i18n._('Remove message…')}</Button>
            )}
            {report.author_id ? (
              <Button onClick={() => setOpen('silence')}>
                {i18n._('Silence {name}…', { name: author })}
              </Button>
            ) : null}
          </div>
          <div className={styles.close}>
            <SelectField
              label={i18n._('Outcome')}
              value={done}
              options={(Object.keys(outcomes) as ReportOutcome[]).map((value) => ({
                value,
                label: outcomes[value],
              }))}
              onChange={setDone}
            />
            <Button
              variant="primary"
              busy={busy}
              onClick={() => void run(closeReport(report.id, done), i18n._('Report closed.'))}
            >
              {i18n._('Close report')}
            </Button>
          </div>
        </>
      )}
      {open === 'remove' ? (
        <RemoveMessage
          target={{ report: report.id }}
          onDone={() => {
            setReport({ ...report, deleted: true })
            setDone('message_removed')
          }}
          onClose={() => setOpen(null)}
        />
      ) : null}
      {open === 'silence' && report.author_id ? (
        <SilencePerson
          id={report.author_id}
          onDone={() => {
            if (done === 'no_action') setDone('person_silenced')
          }}
          onClose={() => setOpen(null)}
        />
      ) : null}
    </li>
  )
}

function EarlierMessage({ author_id, body, created_at }: NonNullable<Report['snapshot']>['before'][number]) {
  const name = useName(author_id)
  return (
    <div className="muted">
      <p className="note">
        {name} {formatDayAndTime(created_at)}
      </p>
      <Body body={body} />
    </div>
  )
}

function useName(id: string | null): string {
  const profile = useProfile(id ?? '')
  return isolateBidi(profile?.name ?? i18n._('Former member'))
}

const outcomeLabels = (): Record<ReportOutcome, string> => ({
  no_action: i18n._('No action needed'),
  message_removed: i18n._('Message removed'),
  person_silenced: i18n._('Person silenced'),
  settled: i18n._('Settled in a conversation'),
})

/** The conversation of a report, as a link to the message for those who can read it. */
function ReportedPlace({ report }: { report: Report }) {
  const { channel_id: channelId, message_id: messageId, deleted } = report
  const channel = useChannel(channelId ?? '')
  if (channelId === null || typeof channel === 'string') return placeLabel(report)
  const path =
    messageId === null || deleted
      ? pathTo('channel', { channelId })
      : pathTo('message', { channelId, messageId })
  return (
    <Link href={path}>
      <bdi>{titleOf(channel)}</bdi>
    </Link>
  )
}

function placeLabel({ channel_kind }: Report): string {
  switch (channel_kind) {
    case 'public':
      return i18n._('in a public channel')
    case 'private':
      return i18n._('in a private channel')
    case 'direct':
      return i18n._('in a direct message')
    case 'group':
      return i18n._('in a group conversation')
  }
}

function Silences() {
  const silences = useQuery(silenceList)
  return (
    <SettingsSection
      title={i18n._('Silenced people')}
      hint={i18n._('They can read, but not write. To silence someone, open their profile or a report.')}
    >
      <QueryContent query={silences} loading={i18n._('Silenced people')}>
        {(silenced) =>
          silenced.length ? (
            <ul className={styles.list}>
              {silenced.map((one) => (
                <SilenceRow key={one.profile_id} silence={one} />
              ))}
            </ul>
          ) : (
            <p className="muted">{i18n._('Nobody is silenced.')}</p>
          )
        }
      </QueryContent>
    </SettingsSection>
  )
}

function SilenceRow({ silence }: { silence: Silence }) {
  const name = useName(silence.profile_id)
  const showToast = useToast()
  const end = async () => {
    const outcome = await endSilence(silence.profile_id)
    if (!outcome.ok) return showToast({ text: outcome.failure.message })
    showToast({ text: i18n._('{name} can write again.', { name }) })
  }
  return (
    <li className={paneStyles.line}>
      <p className={paneStyles.text}>
        {i18n._('{name} until {time}', { name, time: formatDayAndTime(silence.until) })}
        <span className={styles.reason}>
          <bdi>{silence.reason}</bdi>
        </span>
      </p>
      <Button aria-label={i18n._('End silence of {name}', { name })} onClick={() => void end()}>
        {i18n._('End silence')}
      </Button>
    </li>
  )
}

function GuestLinks() {
  return (
    <SettingsSection title={i18n._('Links')}>
      <QueryContent query={useQuery(guestLinks)} loading={i18n._('Links')}>
        {(saved) => (
          <SettingSwitch
            label={i18n._('Guests can send links')}
            hint={i18n._('Messages from guests that contain links aren’t sent when this is off.')}
            saved={saved}
            save={setGuestLinks}
          />
        )}
      </QueryContent>
    </SettingsSection>
  )
}
