import { i18n } from '@lingui/core'
import { useState } from 'react'
import type { StorageUsage } from '../../../wire/files.ts'
import { useMember } from '../../data/people/people.ts'
import { readStorageUsage, setStorageQuotas } from '../../data/people/storageUsage.ts'
import { Avatar } from '../../features/members/avatar/Avatar.tsx'
import { useMe } from '../../features/members/MeContext.ts'
import { Button } from '../../ui/Button.tsx'
import { Form } from '../../ui/Form.tsx'
import { useToast } from '../../ui/toast.ts'
import { formatBytes } from '../../ui/formatBytes.ts'
import { TextField } from '../../ui/TextField.tsx'
import { useAsync } from '../../ui/useAsync.ts'
import { useAction } from '../account/useAction.ts'
import { SettingsSection } from './SettingsSection.tsx'
import styles from './StorageSettings.module.css'
import settingsStyles from './SettingsPane.module.css'

/** Storage used by the workspace and by its top users; owners set the quotas. */
export function StorageSettings() {
  const { role } = useMe()
  const [reloadKey, setReloadKey] = useState(0)
  const [changed, setChanged] = useState<StorageUsage | null>(null)
  const answer = useAsync(readStorageUsage, reloadKey)
  const usage = changed ?? (answer?.ok ? answer.value : null)
  return (
    <SettingsSection title={i18n._('File storage')}>
      {usage ? (
        <>
          <UsageMeter usage={usage} />
          {role === 'owner' ? (
            <Quotas
              key={`${usage.max_bytes} ${usage.max_bytes_per_person}`}
              usage={usage}
              onSaved={setChanged}
            />
          ) : (
            <p className={settingsStyles.small}>
              {i18n._('Each person can store up to {limit}. Only owners can change these limits.', {
                limit: formatBytes(usage.max_bytes_per_person),
              })}
            </p>
          )}
        </>
      ) : answer && !answer.ok ? (
        <>
          <p role="alert">{answer.failure.message}</p>
          <div>
            <Button onClick={() => setReloadKey(reloadKey + 1)}>{i18n._('Try again')}</Button>
          </div>
        </>
      ) : (
        <p className={settingsStyles.muted}>{i18n._('Loading…')}</p>
      )}
    </SettingsSection>
  )
}

function UsageMeter({ usage }: { usage: StorageUsage }) {
  const { used_bytes: used, max_bytes: maxBytes, people } = usage
  const text = i18n._('{used} of {limit} used', { used: formatBytes(used), limit: formatBytes(maxBytes) })
  return (
    <>
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
      {people.length ? (
        <div>
          <h3 className={settingsStyles.label}>{i18n._('Top users')}</h3>
          <ul className={styles.people}>
            {people.map((one) => (
              <Person key={one.profile_id} id={one.profile_id} used={one.used_bytes} />
            ))}
          </ul>
        </div>
      ) : null}
    </>
  )
}

function Person({ id, used }: { id: string; used: number }) {
  const member = useMember(id)
  const name = member?.profile.name ?? i18n._('Former member')
  return (
    <li className={styles.person}>
      <Avatar id={id} name={name} size={24} />
      <bdi className={styles.name}>{name}</bdi>
      <span className={settingsStyles.muted}>{formatBytes(used)}</span>
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

function Quotas({ usage, onSaved }: { usage: StorageUsage; onSaved: (usage: StorageUsage) => void }) {
  const showToast = useToast()
  const action = useAction()
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
  const save = async () => {
    if (isSame || max_bytes === null || max_bytes_per_person === null) return
    const saved = await action.run(() => setStorageQuotas({ max_bytes, max_bytes_per_person }))
    if (!saved) return
    showToast({ text: i18n._('Saved.') })
    onSaved(saved.value)
  }
  return (
    <Form onSubmit={() => void save()} failure={action.failure}>
      <div className={styles.quotas}>
        <TextField
          label={i18n._('Workspace limit (GB)')}
          inputMode="decimal"
          autoComplete="off"
          value={workspaceLimit}
          onChange={(event) => setWorkspaceLimit(event.currentTarget.value)}
        />
        <TextField
          label={i18n._('Limit per person (GB)')}
          inputMode="decimal"
          autoComplete="off"
          value={personLimit}
          onChange={(event) => setPersonLimit(event.currentTarget.value)}
        />
      </div>
      <p className={settingsStyles.small}>
        {i18n._('Lowering a limit doesn’t delete files. Profile pictures don’t count toward it.')}
      </p>
      {isSame ? null : (
        <div>
          <Button type="submit" variant="primary" busy={action.busy} disabled={!isReady}>
            {i18n._('Save')}
          </Button>
        </div>
      )}
    </Form>
  )
}
