import { i18n } from '@lingui/core'
import { useState } from 'react'
import type { StorageUsage } from '../../../wire/linnet.ts'
import { useMember } from '../../data/people/people.ts'
import { readStorageUsage, setStorageQuotas } from '../../data/people/storageUsage.ts'
import { Avatar } from '../../features/people/avatar/Avatar.tsx'
import { useMe } from '../../features/people/MeContext.ts'
import { Button } from '../../ui/Button.tsx'
import { Form } from '../../ui/Form.tsx'
import { useNotice } from '../../ui/notice.ts'
import { sizeOf } from '../../ui/size.ts'
import { TextField } from '../../ui/TextField.tsx'
import { useAnswer } from '../../ui/useAnswer.ts'
import { useAction } from '../account/useAction.ts'
import { Part } from './Part.tsx'
import styles from './StorageSettings.module.css'
import settings from './SettingsPane.module.css'

/** What the files of the workspace take and who uses most; owners set the quotas. */
export function StorageSettings() {
  const { role } = useMe()
  const [turn, setTurn] = useState(0)
  const [changed, setChanged] = useState<StorageUsage | null>(null)
  const answer = useAnswer(readStorageUsage, turn)
  const usage = changed ?? (answer?.ok ? answer.value : null)
  return (
    <Part title={i18n._('File storage')}>
      {usage ? (
        <>
          <Used usage={usage} />
          {role === 'owner' ? (
            <Quotas
              key={`${usage.max_bytes} ${usage.max_bytes_per_person}`}
              usage={usage}
              onSaved={setChanged}
            />
          ) : (
            <p className={settings.small}>
              {i18n._('Each person can store up to {limit}. Only owners can change these limits.', {
                limit: sizeOf(usage.max_bytes_per_person),
              })}
            </p>
          )}
        </>
      ) : answer && !answer.ok ? (
        <>
          <p role="alert">{answer.failure.sentence}</p>
          <div>
            <Button onClick={() => setTurn(turn + 1)}>{i18n._('Try again')}</Button>
          </div>
        </>
      ) : (
        <p className={settings.soft}>{i18n._('Loading…')}</p>
      )}
    </Part>
  )
}

function Used({ usage }: { usage: StorageUsage }) {
  const { used_bytes: used, max_bytes: most, people } = usage
  const words = i18n._('{used} of {limit} used', { used: sizeOf(used), limit: sizeOf(most) })
  return (
    <>
      <div className={styles.used}>
        <p>{words}</p>
        <div
          className={styles.meter}
          role="meter"
          aria-label={i18n._('File storage used')}
          aria-valuetext={words}
          aria-valuemin={0}
          aria-valuemax={most}
          aria-valuenow={Math.min(used, most)}
          data-high={used > most * 0.9 || undefined}
        >
          <div style={{ inlineSize: `${Math.min(100, (used / most) * 100)}%` }} />
        </div>
        {used >= most ? (
          <p className={styles.full}>
            {i18n._('No more files can be sent until some are deleted or the limit is raised.')}
          </p>
        ) : null}
      </div>
      {people.length ? (
        <div>
          <h3 className={settings.label}>{i18n._('Who uses the most')}</h3>
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
      <span className={settings.soft}>{sizeOf(used)}</span>
    </li>
  )
}

/** Bytes of a gigabyte, as sizes are shown. */
const GIGABYTE = 1e9

/** "10" for ten gigabytes: as many decimals as a field of the language needs. */
const gigabytes = (bytes: number): string =>
  new Intl.NumberFormat(i18n.locales ?? i18n.locale, { maximumFractionDigits: 2, useGrouping: false }).format(
    bytes / GIGABYTE,
  )

/** Bytes that were entered in gigabytes, with a decimal point or comma; null where it is no number. */
function bytesIn(text: string): number | null {
  const number = /^\d+(?:[.,]\d+)?$/.test(text.trim()) ? Number(text.trim().replace(',', '.')) : NaN
  return number > 0 ? Math.round(number * GIGABYTE) : null
}

function Quotas({ usage, onSaved }: { usage: StorageUsage; onSaved: (usage: StorageUsage) => void }) {
  const notice = useNotice()
  const action = useAction()
  const before = { all: gigabytes(usage.max_bytes), each: gigabytes(usage.max_bytes_per_person) }
  const [all, setAll] = useState(before.all)
  const [each, setEach] = useState(before.each)
  const isSame = all.trim() === before.all && each.trim() === before.each
  const wanted = {
    max_bytes: all.trim() === before.all ? usage.max_bytes : bytesIn(all),
    max_bytes_per_person: each.trim() === before.each ? usage.max_bytes_per_person : bytesIn(each),
  }
  const { max_bytes, max_bytes_per_person } = wanted
  const isReady = max_bytes !== null && max_bytes_per_person !== null
  const save = async () => {
    if (isSame || max_bytes === null || max_bytes_per_person === null) return
    const saved = await action.run(() => setStorageQuotas({ max_bytes, max_bytes_per_person }))
    if (!saved) return
    notice({ words: i18n._('Saved.') })
    onSaved(saved.value)
  }
  return (
    <Form onSubmit={() => void save()} failure={action.failure}>
      <div className={styles.quotas}>
        <TextField
          label={i18n._('Limit for the workspace (GB)')}
          inputMode="decimal"
          autoComplete="off"
          value={all}
          onChange={(event) => setAll(event.currentTarget.value)}
        />
        <TextField
          label={i18n._('Limit for each person (GB)')}
          inputMode="decimal"
          autoComplete="off"
          value={each}
          onChange={(event) => setEach(event.currentTarget.value)}
        />
      </div>
      <p className={settings.small}>
        {i18n._(
          'Files that are already stored stay, even if you lower a limit. Profile pictures don’t count.',
        )}
      </p>
      {isSame ? null : (
        <div>
          <Button type="submit" look="primary" busy={action.busy} disabled={!isReady}>
            {i18n._('Save')}
          </Button>
        </div>
      )}
    </Form>
  )
}
