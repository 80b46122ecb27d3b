import { i18n } from '@lingui/core'
import { useMemo, useState } from 'react'
import type { AuditEntry } from '../../../../wire/audit.ts'
import { auditLog, exportAuditLog, type AuditFilter } from '../../../data/administration/auditLog.ts'
import { useSidebar } from '../../../data/channels/channels.ts'
import { isolateBidi } from '../../../data/people/isolateBidi.ts'
import { useMembers } from '../../../data/people/people.ts'
import { usePagedQuery } from '../../../data/queries/pagedQuery.ts'
import { titleOf } from '../../../features/parts/channels/titleOf.ts'
import { PagedList } from '../../../features/parts/lists/PagedList.tsx'
import { useMe } from '../../../features/parts/members/MeContext.ts'
import { Button } from '../../../ui/Button.tsx'
import { formatDateTime } from '../../../ui/dates.ts'
import { SelectField } from '../../../ui/SelectField.tsx'
import { TextField } from '../../../ui/TextField.tsx'
import { useToast } from '../../../ui/toast.ts'
import { PaneFrame } from '../PaneFrame.tsx'
import { SettingsSection } from '../SettingsSection.tsx'
import paneStyles from '../SettingsPane.module.css'
import { ACTIONS, actionLabel } from './actionLabel.ts'
import { CSV_HEAD, toCsv, toJsonLines } from './auditFile.ts'
import styles from './AuditPane.module.css'

/** The audit log of the workspace: filtered, page by page, and exported. For owners and admins. */
export default function AuditPane() {
  const { role } = useMe()
  const [actor, setActor] = useState('')
  const [action, setAction] = useState('')
  const [from, setFrom] = useState('')
  const [to, setTo] = useState('')
  const filter = useMemo(
    (): AuditFilter => ({
      actor: actor || null,
      action: action || null,
      from: startOfDay(from, 0),
      until: startOfDay(to, 1),
    }),
    [actor, action, from, to],
  )
  const members = useMembers()
  const people = useMemo(
    () =>
      members
        .filter(({ profile }) => profile.kind === 'person')
        .map(({ profile }) => profile)
        .toSorted((a, b) => a.name.localeCompare(b.name)),
    [members],
  )
  if (role !== 'owner' && role !== 'admin') return null
  return (
    <PaneFrame title={i18n._('Audit log')}>
      <SettingsSection
        title={i18n._('Who changed what')}
        hint={i18n._('Nobody can change or delete these entries. They contain no messages.')}
      >
        <div className={paneStyles.filters}>
          <SelectField
            label={i18n._('Person')}
            value={actor}
            options={[
              { value: '', label: i18n._('Anyone') },
              ...people.map(({ id, name }) => ({ value: id, label: name })),
            ]}
            onChange={setActor}
          />
          <SelectField
            label={i18n._('Action')}
            value={action}
            options={[
              { value: '', label: i18n._('All actions') },
              ...ACTIONS.map((one) => ({ value: one, label: actionLabel(one) })),
            ]}
            onChange={setAction}
          />
        </div>
        <div className={paneStyles.filters}>
          <TextField
            type="date"
            label={i18n._('First day')}
            value={from}
            onChange={(event) => setFrom(event.currentTarget.value)}
          />
          <TextField
            type="date"
            label={i18n._('Last day')}
            value={to}
            onChange={(event) => setTo(event.currentTarget.value)}
          />
        </div>
        <Exports filter={filter} />
        <Entries filter={filter} />
      </SettingsSection>
    </PaneFrame>
  )
}

/** The start of a day in the reader's time zone, `days` later; null for an empty field. */
function startOfDay(date: string, days: number): string | null {
  const [year, month, day] = date.split('-').map(Number)
  if (!year || !month || !day) return null
  const at = new Date(year, month - 1, day + days)
  return Number.isNaN(at.getTime()) ? null : at.toISOString()
}

function Exports({ filter }: { filter: AuditFilter }) {
  const members = useMembers()
  const showToast = useToast()
  const [busy, setBusy] = useState(false)
  const download = async (format: 'csv' | 'jsonl') => {
    const names = new Map(members.map(({ profile }) => [profile.id, profile.name]))
    setBusy(true)
    const outcome = await (format === 'csv'
      ? exportAuditLog(filter, 'text/csv', CSV_HEAD, (entries) => toCsv(entries, names))
      : exportAuditLog(filter, 'application/jsonl', '', (entries) => toJsonLines(entries, names)))
    setBusy(false)
    if (!outcome.ok) return showToast({ text: outcome.failure.message })
    const link = document.createElement('a')
    link.href = URL.createObjectURL(outcome.value.file)
    link.download = `audit-log.${format}`
    link.click()
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
    if (!outcome.value.isComplete)
      showToast({
        text: i18n._('The file has the newest 100,000 entries. Choose a range of days for older ones.'),
      })
  }
  return (
    <div className={paneStyles.line}>
      <Button busy={busy} onClick={() => void download('csv')}>
        {i18n._('Export as CSV')}
      </Button>
      <Button busy={busy} onClick={() => void download('jsonl')}>
        {i18n._('Export as JSON lines')}
      </Button>
    </div>
  )
}

function Entries({ filter }: { filter: AuditFilter }) {
  return (
    <PagedList
      label={i18n._('Entries')}
      className={styles.list}
      pages={usePagedQuery(auditLog, [filter])}
      empty={i18n._('No entries match.')}
      render={(entry) => <Entry key={entry.id} entry={entry} />}
    />
  )
}

function Entry({ entry }: { entry: AuditEntry }) {
  const describe = useDescription()
  const nameOf = useNames()
  return (
    <li className={styles.entry}>
      <p>
        {actionLabel(entry.action)}
        {describe(entry.target).map((part) => (
          <span key={part} className={paneStyles.muted}>
            {' · '}
            {part}
          </span>
        ))}
      </p>
      {entry.reason ? (
        <p className={paneStyles.small}>
          {i18n._('Reason: {reason}', { reason: isolateBidi(entry.reason) })}
        </p>
      ) : null}
      <p className={paneStyles.small}>
        {entry.actor_id ? nameOf(entry.actor_id) : i18n._('The server')} · {formatDateTime(entry.recorded_at)}
      </p>
    </li>
  )
}

function useNames(): (id: string) => string {
  const members = useMembers()
  return (id) =>
    isolateBidi(members.find(({ profile }) => profile.id === id)?.profile.name ?? i18n._('Former member'))
}

/** What an entry is about: the person, the channel, and values before and after. */
function useDescription(): (target: Record<string, unknown>) => string[] {
  const nameOf = useNames()
  const { channels } = useSidebar()
  return (target) => {
    if (target['hidden']) return [i18n._('in a private channel')]
    const parts: string[] = []
    const { profile_id: person, channel_id: channel, from, to } = target
    if (typeof person === 'string') parts.push(nameOf(person))
    const item = channels.find(({ id }) => id === channel)
    if (item) parts.push(isolateBidi(titleOf(item)))
    if ('to' in target) parts.push(`${textOf(from)} → ${textOf(to)}`)
    for (const [key, value] of Object.entries(target))
      if (isChange(value)) parts.push(`${key}: ${textOf(value.from)} → ${textOf(value.to)}`)
      else if (['name', 'role', 'outcome', 'until', 'expires_at'].includes(key)) parts.push(textOf(value))
    return parts
  }
}

const isChange = (value: unknown): value is { from: unknown; to: unknown } =>
  typeof value === 'object' && value !== null && 'to' in value

/** A stored value; a time in the reader's language. */
function textOf(value: unknown): string {
  if (value === null || value === undefined) return '–'
  if (typeof value !== 'string') return JSON.stringify(value)
  return /^\d{4}-\d\d-\d\dT/.test(value) ? formatDateTime(value) : isolateBidi(value)
}
