import { i18n } from '@lingui/core'
import Archive from 'lucide-react/icons/archive'
import Hash from 'lucide-react/icons/hash'
import Lock from 'lucide-react/icons/lock'
import { useState, type ReactNode } from 'react'
import { Link } from '../../../ui/Link.tsx'
import { pathTo } from '../../../paths.ts'
import type { StorageUsage } from '../../../../wire/files.ts'
import { useMember } from '../../../data/people/people.ts'
import {
  channelStorage,
  personStorage,
  setStorageQuotas,
  storageUsage,
} from '../../../data/administration/storageUsage.ts'
import { usePagedQuery } from '../../../data/queries/pagedQuery.ts'
import { useQuery } from '../../../data/queries/useQuery.ts'
import { PagedList } from '../../../features/parts/lists/PagedList.tsx'
import { QueryContent } from '../../../features/parts/lists/QueryContent.tsx'
import { Avatar } from '../../../features/parts/members/avatar/Avatar.tsx'
import { useMe } from '../../../features/parts/members/MeContext.ts'
import { PersonButton } from '../../../features/parts/members/PersonButton.tsx'
import { Form } from '../../../ui/Form.tsx'
import { formatBytes } from '../../../ui/formatBytes.ts'
import { Icon } from '../../../ui/Icon.tsx'
import { Tabs } from '../../../ui/Tabs.tsx'
import { TextField } from '../../../ui/TextField.tsx'
import { PaneFrame } from '../PaneFrame.tsx'
import { SettingsSection } from '../SettingsSection.tsx'
import listStyles from '../SettingsList.module.css'
import styles from './StoragePane.module.css'

/** Storage that the files of the workspace use, by person and by channel, for owners and admins; owners set the quotas. */
export default function StoragePane() {
  const { role } = useMe()
  const [by, setBy] = useState<'people' | 'channels'>('people')
  return (
    <PaneFrame>
      <QueryContent query={useQuery(storageUsage)} loading={i18n._('File storage')}>
        {(usage) => (
          <>
            <SettingsSection title={i18n._('Usage and limits')}>
              <UsageMeter usage={usage} />
              {role === 'owner' ? (
                <Quotas key={`${usage.max_bytes} ${usage.max_bytes_per_person}`} usage={usage} />
              ) : (
                <p className="note">
                  {i18n._('Each person can store up to {limit}. Only owners can change these limits.', {
                    limit: formatBytes(usage.max_bytes_per_person),
                  })}
                </p>
              )}
            </SettingsSection>
            <SettingsSection title={i18n._('What uses the storage')}>
              <Tabs
                label={i18n._('What uses the storage')}
                value={by}
                tabs={[
                  { value: 'people', label: i18n._('People') },
                  { value: 'channels', label: i18n._('Channels') },
                ]}
                onChange={setBy}
              >
                {by === 'people' ? <PeopleUsage maxBytes={usage.max_bytes_per_person} /> : <ChannelUsage />}
              </Tabs>
            </SettingsSection>
          </>
        )}
      </QueryContent>
    </PaneFrame>
  )
}

function UsageMeter({ usage }: { usage: StorageUsage }) {
  const { used_bytes: used, max_bytes: maxBytes } = usage
  const text = i18n._('{used} of {limit} used', { used: formatBytes(used), limit: formatBytes(maxBytes) })
  return (
    <div className={styles.used}>
      <p>{text}</p>
      <div
        className={styles.meter}
        role="meter"
        aria-label={i18n._('File storage used')}
        aria-valuetext={text}
        aria-valuemin={0}
        aria-valuemax={maxBytes}
        aria-valuenow={Math.min(used, maxBytes)}
        data-high={used > maxBytes * 0.9 || undefined}
      >
        <div style={{ inlineSize: `${Math.min(100, (used / maxBytes) * 100)}%` }} />
      </div>
      {used >= maxBytes ? (
        <p className={styles.full}>
          {i18n._(
            'File storage is full. Nobody can send files until some are deleted or the limit is raised.',
          )}
        </p>
      ) : null}
    </div>
  )
}

function PeopleUsage({ maxBytes }: { maxBytes: number }) {
  return (
    <PagedList
      label={i18n._('People by storage')}
      className={listStyles.list}
      pages={usePagedQuery(personStorage)}
      empty={i18n._('No files from people in this workspace.')}
      render={({ profile_id: id, used_bytes: used }) => (
        <PersonUsage key={id} id={id} used={used} maxBytes={maxBytes} />
      )}
    />
  )
}

function PersonUsage({ id, used, maxBytes }: { id: string; used: number; maxBytes: number }) {
  const member = useMember(id)
  const name = member?.profile.name ?? i18n._('Former member')
  return (
    <UsageRow
      picture={<Avatar id={id} name={name} size={24} />}
      name={member ? <PersonButton id={id}>{name}</PersonButton> : name}
      used={used}
      note={used > maxBytes * 0.9 ? i18n._('of {limit}', { limit: formatBytes(maxBytes) }) : null}
    />
  )
}

function ChannelUsage() {
  const pages = usePagedQuery(channelStorage)
  const others = pages.summary?.other_bytes ?? 0
  return (
    <>
      <PagedList
        label={i18n._('Channels by storage')}
        className={listStyles.list}
        pages={pages}
        empty={i18n._('No channel that you can see has files.')}
        render={({ id, kind, name, archived_at, used_bytes }) => (
          <UsageRow
            key={id}
            picture={<Icon of={archived_at ? Archive : kind === 'private' ? Lock : Hash} />}
            name={<Link href={pathTo('channel', { channelId: id })}>{name}</Link>}
            used={used_bytes}
            note={archived_at ? i18n._('Archived') : null}
          />
        )}
      />
      {others > 0 ? (
        <p className="note">
          {i18n._('Direct messages, and private channels that you’re not in: {size} together.', {
            size: formatBytes(others),
          })}
        </p>
      ) : null}
    </>
  )
}

function UsageRow({
  picture,
  name,
  used,
  note,
}: {
  picture: ReactNode
  name: ReactNode
  used: number
  note: string | null
}) {
  return (
    <li className={styles.row}>
      {picture}
      <bdi className={styles.name}>{name}</bdi>
      <span className={styles.amount}>
        {formatBytes(used)}
        {note ? <span className="muted"> {note}</span> : null}
      </span>
    </li>
  )
}

/** Bytes of a decimal gigabyte, as in displayed sizes. */
const GIGABYTE = 1e9

/** "10" for ten gigabytes, with at most two decimals, in the reader's locale. */
const formatGigabytes = (bytes: number): string =>
  new Intl.NumberFormat(i18n.locales ?? i18n.locale, { maximumFractionDigits: 2, useGrouping: false }).format(
    bytes / GIGABYTE,
  )

/** Parses gigabytes with a decimal point or comma; null if it is no positive number. */
function parseGigabytes(text: string): number | null {
  const number = /^\d+(?:[.,]\d+)?$/.test(text.trim()) ? Number(text.trim().replace(',', '.')) : NaN
  return number > 0 ? Math.round(number * GIGABYTE) : null
}

function Quotas({ usage }: { usage: StorageUsage }) {
  const before = {
    workspaceLimit: formatGigabytes(usage.max_bytes),
    personLimit: formatGigabytes(usage.max_bytes_per_person),
  }
  const [workspaceLimit, setWorkspaceLimit] = useState(before.workspaceLimit)
  const [personLimit, setPersonLimit] = useState(before.personLimit)
  const isSame = workspaceLimit.trim() === before.workspaceLimit && personLimit.trim() === before.personLimit
  const wanted = {
    max_bytes:
      workspaceLimit.trim() === before.workspaceLimit ? usage.max_bytes : parseGigabytes(workspaceLimit),
    max_bytes_per_person:
      personLimit.trim() === before.personLimit ? usage.max_bytes_per_person : parseGigabytes(personLimit),
  }
  const { max_bytes, max_bytes_per_person } = wanted
  const isReady = max_bytes !== null && max_bytes_per_person !== null
  return (
    <Form
      action={isSame ? null : i18n._('Save')}
      isDisabled={!isReady}
      run={() => (isReady ? setStorageQuotas({ max_bytes, max_bytes_per_person }) : null)}
      doneText={i18n._('Saved.')}
    >
      <div className={styles.quotas}>
        <TextField
          label={i18n._('Workspace limit (GB)')}
          inputMode="decimal"
          value={workspaceLimit}
          onChange={setWorkspaceLimit}
        />
        <TextField
          label={i18n._('Limit per person (GB)')}
          inputMode="decimal"
          value={personLimit}
          onChange={setPersonLimit}
        />
      </div>
      <p className="note">
        {i18n._('Lowering a limit doesn’t delete files. Profile pictures don’t count toward it.')}
      </p>
    </Form>
  )
}
