import { i18n } from '@lingui/core'
import { useMemo, useState } from 'react'
import type { AuditEntry } from '../../../../wire/audit.ts'
import type { Profile } from '../../../../wire/people.ts'
import type { FactorType } from '../../../data/account/ownAccount.ts'
import { auditLog, exportAuditLog, type AuditFilter } from '../../../data/administration/auditLog.ts'
import { useSidebar } from '../../../data/channels/channels.ts'
import { saveBlob } from '../../../data/files/download/saveFile.ts'
import { isolateBidi } from '../../../data/people/isolateBidi.ts'
import { useMembers } from '../../../data/people/people.ts'
import { usePagedQuery } from '../../../data/queries/pagedQuery.ts'
import { useUserGroups } from '../../../data/userGroups/useUserGroups.ts'
import { factorKind } from '../../../features/flows/account/factorName.ts'
import { titleOf } from '../../../features/parts/channels/titleOf.ts'
import { ActionsMenu } from '../../../features/parts/lists/ActionsMenu.tsx'
import { FilteredList } from '../../../features/parts/lists/FilteredList.tsx'
import { PagedTable } from '../../../features/parts/lists/PagedTable.tsx'
import { useFilters } from '../../../features/parts/lists/useFilters.ts'
import { PersonButton } from '../../../features/parts/members/PersonButton.tsx'
import { formatDateTime } from '../../../ui/dates.ts'
import { SelectField } from '../../../ui/SelectField.tsx'
import { TextField } from '../../../ui/TextField.tsx'
import { useToast } from '../../../ui/toast.ts'
import { PaneFrame } from '../PaneFrame.tsx'
import list from '../SettingsList.module.css'
import { ACTIONS, actionLabel } from './actionLabel.ts'
import { CSV_HEAD, toCsv, toJsonLines } from './auditFile.ts'

type Profiles = ReadonlyMap<string, Profile>

/** The audit log of the workspace: filtered, page by page, and exported. For owners and admins. */
export default function AuditPane() {
  const { values, change } = useFilters({ person: null, action: null, from: null, to: null })
  const { person, action, from, to } = values
  const filter = useMemo(
    (): AuditFilter => ({
      actor: person || null,
      action: action || null,
      from: startOfDay(from, 0),
      until: startOfDay(to, 1),
    }),
    [person, action, from, to],
  )
  const members = useMembers()
  const profiles: Profiles = useMemo(
    () => new Map(members.map(({ profile }) => [profile.id, profile])),
    [members],
  )
  const people = useMemo(
    () =>
      [...profiles.values()]
        .filter(({ kind }) => kind === 'person')
        .toSorted((a, b) => a.name.localeCompare(b.name)),
    [profiles],
  )
  const describe = useDescription(profiles)
  const pages = usePagedQuery(auditLog, [filter])
  return (
    <PaneFrame
      isWide
      list={JSON.stringify(values)}
      isReady={pages.value !== undefined}
      hint={i18n._('Nobody can change or delete these entries. They contain no messages.')}
      action={<ExportMenu filter={filter} profiles={profiles} />}
    >
      <FilteredList
        label={i18n._('Filter the entries')}
        filters={
          <>
            <SelectField
              label={i18n._('Person')}
              value={person}
              options={[
                { value: '', label: i18n._('Anyone') },
                ...people.map(({ id, name }) => ({ value: id, label: name })),
              ]}
              onChange={(next) => change({ person: next })}
            />
            <SelectField
              label={i18n._('Action')}
              value={action}
              options={[
                { value: '', label: i18n._('All actions') },
                ...ACTIONS.map((one) => ({ value: one, label: actionLabel(one) })),
              ]}
              onChange={(next) => change({ action: next })}
            />
            <TextField
              type="date"
              label={i18n._('First day')}
              value={from}
              onChange={(text) => change({ from: text })}
            />
            <TextField
              type="date"
              label={i18n._('Last day')}
              value={to}
              onChange={(text) => change({ to: text })}
            />
          </>
        }
      >
        <PagedTable<AuditEntry>
          label={i18n._('Entries')}
          pages={pages}
          empty={i18n._('No entries match.')}
          idOf={({ id }) => String(id)}
          columns={[
            { title: i18n._('Time'), render: ({ recorded_at }) => formatDateTime(recorded_at) },
            {
              title: i18n._('Person'),
              render: ({ actor_id: id, action: done }) =>
                id === null ? (
                  // The database does not see who sends requests to the auth service.
                  done.startsWith('account.') ? (
                    i18n._('Unknown')
                  ) : (
                    i18n._('The server')
                  )
                ) : (
                  <PersonButton id={id} className={list.name}>
                    <bdi>{nameOf(profiles, id)}</bdi>
                  </PersonButton>
                ),
            },
            { title: i18n._('Action'), render: (entry) => actionLabel(entry.action), isText: true },
            {
              title: i18n._('Details'),
              isText: true,
              render: ({ target, reason }) =>
                [
                  ...describe(target),
                  ...(reason ? [i18n._('Reason: {reason}', { reason: isolateBidi(reason) })] : []),
                ].join(' · ') || null,
            },
          ]}
        />
      </FilteredList>
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

function ExportMenu({ filter, profiles }: { filter: AuditFilter; profiles: Profiles }) {
  const showToast = useToast()
  const [busy, setBusy] = useState(false)
  const download = async (format: 'csv' | 'jsonl') => {
    const names = new Map([...profiles].map(([id, { name }]) => [id, name]))
    setBusy(true)
    const outcome = await (format === 'csv'
      ? exportAuditLog(filter, 'text/csv', CSV_HEAD, (entries) => toCsv(entries, names))
      : exportAuditLog(filter, 'application/jsonl', '', (entries) => toJsonLines(entries, names)))
    setBusy(false)
    if (!outcome.ok) return showToast({ text: outcome.failure.message })
    await saveBlob(outcome.value.file, `audit-log.${format}`)
    if (!outcome.value.isComplete)
      showToast({
        text: i18n._('The file has the newest 100,000 entries. Choose a range of days for older ones.'),
      })
  }
  return (
    <ActionsMenu
      label={i18n._('Export')}
      variant="primary"
      busy={busy}
      items={[
        { label: i18n._('Export as CSV'), onSelect: () => void download('csv') },
        { label: i18n._('Export as JSON Lines'), onSelect: () => void download('jsonl') },
      ]}
    />
  )
}

function nameOf(profiles: Profiles, id: string): string {
  return profiles.get(id)?.name ?? i18n._('Former member')
}

/** What an entry is about: the people, the channel or group, and values before and after. */
function useDescription(profiles: Profiles): (target: Record<string, unknown>) => string[] {
  const { channels } = useSidebar()
  const groups = useUserGroups()
  return (target) => {
    if (target['hidden']) return [i18n._('in a private channel')]
    const parts: string[] = []
    const { profile_id: person, profile_ids: people, channel_id: channel, group_id: group, from, to } = target
    if (typeof person === 'string') parts.push(isolateBidi(nameOf(profiles, person)))
    const known = groups.find(({ id }) => id === group)
    if (known && !('name' in target)) parts.push(isolateBidi(known.name))
    if (Array.isArray(people)) parts.push(namesOf(profiles, people))
    const factor = target['factor_type']
    if (typeof factor === 'string') parts.push(factorKind(factor as FactorType))
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

/** Names of a cell; the file that can be exported has all of them. */
const MAX_NAMES = 10

function namesOf(profiles: Profiles, ids: unknown[]): string {
  const names = ids.slice(0, MAX_NAMES).map((id) => isolateBidi(nameOf(profiles, String(id))))
  return names.join(', ') + (ids.length > MAX_NAMES ? ', …' : '')
}

/** A stored value; a time and a rule of retention in the reader's language. */
function textOf(value: unknown): string {
  if (value === null || value === undefined) return '–'
  if (typeof value === 'object' && 'keep_days' in value)
    return typeof value.keep_days === 'number'
      ? i18n._('{days, plural, one {# day} other {# days}}', { days: value.keep_days })
      : i18n._('No limit')
  if (typeof value !== 'string') return JSON.stringify(value)
  return /^\d{4}-\d\d-\d\dT/.test(value) ? formatDateTime(value) : isolateBidi(value)
}
